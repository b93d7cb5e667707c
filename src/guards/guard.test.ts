// The guard over a store of tokens: one suite of cases for every store, then what each store promises beyond it.

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SettingsError, Unavailable } from 'coterie'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StaleToken } from './errors.ts'
import { fileTokens } from './file-tokens.ts'
import { createGuard } from './guard.ts'
import { memoryTokens, type TokenStore } from './store.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-tokens-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const stores: [string, () => TokenStore, number][] = [
  ['memory', () => memoryTokens(), 100],
  ['files', () => fileTokens(join(dir, String(Math.random()))), 8],
]

describe.each(stores)('a guard with its tokens in %s', (_name, createStore, numRuns) => {
  it('runs no work with a smaller token after work with a larger one, in any interleaving', async () => {
    const write = fc.record({ token: fc.bigInt({ min: 0n, max: 5n }), yields: fc.nat({ max: 3 }) })
    const writes = fc.asyncProperty(fc.array(write, { maxLength: 12 }), async list => {
      const guard = createGuard(createStore())
      const written: bigint[] = []
      const each = async ({ token, yields }: (typeof list)[number]) => {
        for (let i = 0; i < yields; i++) await new Promise(setImmediate)
        // Between its start and its write the work gives way, as every real one does.
        await guard.run('r', token, async () => {
          for (let i = 0; i < yields; i++) await new Promise(setImmediate)
          written.push(token)
        })
      }
      const outcomes = await Promise.allSettled(list.map(each))
      for (const [place, token] of written.entries()) if (place > 0) expect(token >= written[place - 1]!).toBe(true)
      const refused = outcomes.filter(outcome => outcome.status === 'rejected')
      for (const { reason } of refused) expect(reason).toBeInstanceOf(StaleToken)
      expect(written.length + refused.length).toBe(list.length)
    })
    await fc.assert(writes, { numRuns })
  })

  it('gives the value of the work back, and its error; the turn ends either way', async () => {
    const guard = createGuard(createStore())
    expect(await guard.run('r', 1n, () => 42)).toBe(42)
    await expect(guard.run('r', 2n, () => Promise.reject(new Error('on purpose')))).rejects.toThrow('on purpose')
    // Failed work may have written half: its token counts.
    await expect(guard.run('r', 1n, () => 'late')).rejects.toThrow(StaleToken)
    expect(await guard.run('r', 2n, () => 'again')).toBe('again')
  })

  it('keeps resources apart, and does not make one wait for another', async () => {
    const guard = createGuard(createStore())
    // It has its turn, and writes no token any more that would be in the way of removing the folder.
    await new Promise<void>(begun => {
      void guard.run('a', 9n, () => {
        begun()
        return new Promise(() => {})
      })
    })
    expect(await guard.run('b', 1n, () => 'free')).toBe('free')
  })

  it('refuses bad tokens and names, and too many that wait', async () => {
    const guard = createGuard(createStore(), 1)
    await expect(guard.run('', 1n, () => 0)).rejects.toThrow(SettingsError)
    await expect(guard.run('r', 1.5, () => 0)).rejects.toThrow(SettingsError)
    const first = guard.run('r', 1n, () => new Promise(setImmediate))
    await expect(guard.run('r', 1n, () => 0)).rejects.toThrow(Unavailable)
    await first
    expect(await guard.run('r', 1n, () => 1)).toBe(1)
  })
})

describe('memoryTokens', () => {
  it('refuses new names when it is full, and forgets none', async () => {
    const store = memoryTokens(2)
    await store.admit('a', 5n)
    await store.admit('b', 5n)
    await expect(store.admit('c', 5n)).rejects.toThrow(Unavailable)
    expect(await store.admit('a', 4n)).toEqual({ pass: false, seen: 5n })
    expect(await store.admit('a', 6n)).toEqual({ pass: true, seen: 6n })
  })
})

describe('fileTokens', () => {
  it('remembers over a restart', async () => {
    await fileTokens(dir).admit('a/b', 5n)
    expect(await fileTokens(dir).admit('a/b', 4n)).toEqual({ pass: false, seen: 5n })
    expect(await fileTokens(dir).admit('a/b', 5n)).toEqual({ pass: true, seen: 5n })
  })

  it('sees what another process has let pass', async () => {
    const [one, two] = [fileTokens(dir), fileTokens(dir)]
    expect(await one.admit('r', 1n)).toEqual({ pass: true, seen: 1n })
    expect(await two.admit('r', 2n)).toEqual({ pass: true, seen: 2n })
    expect(await one.admit('r', 1n)).toEqual({ pass: false, seen: 2n })
    expect(await one.admit('r', 3n)).toEqual({ pass: true, seen: 3n })
  })

  it('takes any name, and does not leave its folder', async () => {
    const store = fileTokens(join(dir, 'inside'))
    for (const name of ['../outside', '/etc/x', 'CON', 'ä'.repeat(100), '.']) await store.admit(name, 1n)
    expect(await readdir(dir)).toEqual(['inside'])
    await expect(fileTokens(dir, 0).admit('x', 1n)).rejects.toThrow(Unavailable)
  })
})
