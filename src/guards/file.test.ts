// The file guard: what it keeps, what it refuses, and a writer that is stopped before any one of its operations.

import { AsyncLocalStorage } from 'node:async_hooks'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileError, SettingsError, Unavailable } from 'coterie'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StaleToken } from './errors.ts'
import { fileGuard } from './file.ts'

/** Called before each operation on the file system of the writer that runs in it. */
const operations = vi.hoisted(() => ({ before: undefined as AsyncLocalStorage<() => Promise<void>> | undefined }))

vi.mock('node:fs/promises', async original => {
  const real = await original<typeof import('node:fs/promises')>()
  const wrapped = Object.entries(real).map(([name, member]) => [
    name,
    typeof member !== 'function'
      ? member
      : async (...args: unknown[]) => {
          await operations.before?.getStore()?.()
          return (member as (...args: unknown[]) => unknown)(...args)
        },
  ])
  return Object.fromEntries(wrapped)
})
operations.before = new AsyncLocalStorage()

let dir: string
let path: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-file-guard-'))
  path = join(dir, 'stock.json')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const text = async () => {
  const { token, data } = await fileGuard(path).read()
  return { token, data: data?.toString() }
}

describe('fileGuard', () => {
  it('writes, and reads content and token back; the file itself is plain', async () => {
    await fileGuard(path).write(7n, 'seven')
    expect(await text()).toEqual({ token: 7n, data: 'seven' })
    expect(await readFile(path, 'utf8')).toBe('seven')
    await fileGuard(path).write(8n, new Uint8Array([0x61, 0x62]))
    expect(await text()).toEqual({ token: 8n, data: 'ab' })
  })

  it('lets the same holder write again', async () => {
    const guard = fileGuard(path)
    await guard.write(7n, 'one')
    await guard.write(7n, 'two')
    expect(await text()).toEqual({ token: 7n, data: 'two' })
  })

  it('refuses a stale token and changes nothing', async () => {
    const guard = fileGuard(path)
    await guard.write(7n, 'new')
    await expect(guard.write(6n, 'old')).rejects.toThrow(StaleToken)
    await expect(guard.write(6n, 'old')).rejects.toMatchObject({ token: 6n, seen: 7n, outcome: 'did not happen' })
    expect(await text()).toEqual({ token: 7n, data: 'new' })
  })

  it('reads nothing, or a plain file, where no guard has written', async () => {
    expect(await text()).toEqual({ token: undefined, data: undefined })
    await writeFile(path, 'by hand')
    expect(await text()).toEqual({ token: undefined, data: 'by hand' })
  })

  it('keeps the mode of a file that was there', async () => {
    for (const mode of [0o600, 0o666]) {
      await writeFile(path, 'by hand')
      await chmod(path, mode)
      await fileGuard(path).write(1n, 'by a guard')
      expect((await stat(path)).mode & 0o777).toBe(mode)
    }
  })

  it('knows a file by any of its names', async () => {
    await fileGuard(path).write(5n, 'five')
    await symlink(path, join(dir, 'other'))
    await expect(fileGuard(join(dir, 'other')).write(4n, 'four')).rejects.toThrow(StaleToken)
  })

  it('leaves nothing behind', async () => {
    const guard = fileGuard(path)
    await Promise.allSettled([3n, 1n, 2n, 5n, 4n].map(token => guard.write(token, String(token))))
    expect(await text()).toEqual({ token: 5n, data: '5' })
    expect((await readdir(`${path}.guard`)).sort()).toEqual(['lock', 'record'])
    expect(await readdir(join(`${path}.guard`, 'lock'))).toEqual([])
  })

  it('clears away what a killed writer left an hour ago, and not what is younger', async () => {
    for (const [name, age] of [
      ['try-aa', 7_200],
      ['try-bb', 60],
    ] as const) {
      await mkdir(join(`${path}.guard`, name), { recursive: true })
      const then = Date.now() / 1000 - age
      await utimes(join(`${path}.guard`, name), then, then)
    }
    await fileGuard(path).write(1n, 'x')
    expect((await readdir(`${path}.guard`)).sort()).toEqual(['lock', 'record', 'try-bb'])
  })

  it.each(['', '2 5 aa', '1 05 aa', '1 5', '1 -5 aa', `1 5 ${'a'.repeat(90)}`])(
    'refuses to go on with the damaged record %j',
    async record => {
      await fileGuard(path).write(5n, 'five')
      await writeFile(join(`${path}.guard`, 'record'), record)
      await expect(fileGuard(path).write(9n, 'nine')).rejects.toThrow(FileError)
      await expect(fileGuard(path).read()).rejects.toThrow(/damaged/)
      expect(await readFile(path, 'utf8')).toBe('five')
    },
  )

  it('refuses tokens that are none, and folders that are not there', async () => {
    await expect(fileGuard(path).write(-1n, '')).rejects.toThrow(SettingsError)
    await expect(fileGuard(path).write(1.5, '')).rejects.toThrow(SettingsError)
    await expect(fileGuard(join(dir, 'no', 'such')).write(1n, '')).rejects.toThrow(FileError)
  })

  it('gives up in time, when told to, and before something strange in the lock', async () => {
    const held = join(`${path}.guard`, 'lock')
    await mkdir(held, { recursive: true })
    await writeFile(join(held, 'aa.record'), '1 5 aa\n')
    await expect(fileGuard(path).write(1n, 'x', { timeout: 50 })).rejects.toThrow(Unavailable)
    await rm(join(held, 'aa.record'))
    await writeFile(join(held, '.strange'), '')
    await expect(fileGuard(path).write(1n, 'x', { timeout: 50 })).rejects.toThrow(Unavailable)
    const signal = AbortSignal.timeout(50)
    await expect(fileGuard(path).write(1n, 'x', { signal })).rejects.toMatchObject({
      name: 'Unavailable',
      cause: { name: 'TimeoutError' },
    })
    expect(await readdir(`${path}.guard`)).toEqual(['lock'])
    expect(await readdir(held)).toEqual(['.strange'])
  })
})

/** Runs a writer up to its nth operation; `wake` lets it go on. */
function stopBefore(nth: number, token: bigint, data: string) {
  let count = 0
  let wake = () => {}
  let arrived = () => {}
  const awake = new Promise<void>(resolve => {
    wake = resolve
  })
  const asleep = new Promise<void>(resolve => {
    arrived = resolve
  })
  const done = operations.before!.run(
    async () => {
      if (++count !== nth) return
      arrived()
      await awake
    },
    () => fileGuard(path).write(token, data),
  )
  const outcome = done.then(
    () => 'passed',
    error => (error instanceof StaleToken ? 'stale' : Promise.reject(error)),
  )
  return { wake, outcome, stopped: Promise.race([asleep.then(() => true), outcome.then(() => false)]) }
}

describe('a writer that stops before any of its operations, and wakes after another has written', () => {
  it('with a smaller token: what the other wrote stays', async () => {
    const outcomes: string[] = []
    for (let nth = 1; ; nth++) {
      path = join(dir, `late-${nth}`)
      const late = stopBefore(nth, 1n, 'late')
      if (!(await late.stopped)) break
      expect([undefined, 'late'], `stopped before ${nth}`).toContain((await text()).data)
      await fileGuard(path).write(2n, 'next')
      expect(await text(), `stopped before ${nth}`).toEqual({ token: 2n, data: 'next' })
      late.wake()
      outcomes.push(await late.outcome)
      expect(await text(), `woken before ${nth}`).toEqual({ token: 2n, data: 'next' })
      expect(await readFile(path, 'utf8')).toBe('next')
    }
    // Both ends of the story came up: stopped before it was accepted, and after.
    expect(outcomes.slice(0, 5)).toEqual(Array(5).fill('stale'))
    expect(outcomes.slice(-3)).toEqual(Array(3).fill('passed'))
    expect(outcomes).toEqual([...outcomes].sort().reverse())
  })

  it('with a larger token: accepted once, and the other refused from then on', async () => {
    for (let nth = 1; ; nth++) {
      path = join(dir, `first-${nth}`)
      const slow = stopBefore(nth, 2n, 'slow')
      if (!(await slow.stopped)) break
      const accepted = (await text()).token === 2n
      const other = await fileGuard(path)
        .write(1n, 'other')
        .then(
          () => 'passed',
          error => error.name,
        )
      expect(other, `stopped before ${nth}`).toBe(accepted ? 'StaleToken' : 'passed')
      slow.wake()
      expect(await slow.outcome).toBe('passed')
      expect(await text(), `woken before ${nth}`).toEqual({ token: 2n, data: 'slow' })
    }
  })

  it('and never wakes: the next one reads a whole state and goes on', async () => {
    for (let nth = 1; ; nth++) {
      path = join(dir, `dead-${nth}`)
      await fileGuard(path).write(1n, 'one')
      const dead = stopBefore(nth, 2n, 'two')
      if (!(await dead.stopped)) break
      expect([
        { token: 1n, data: 'one' },
        { token: 2n, data: 'two' },
      ]).toContainEqual(await text())
      await fileGuard(path).write(3n, 'three')
      expect(await text()).toEqual({ token: 3n, data: 'three' })
    }
  })
})
