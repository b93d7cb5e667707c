// What becomes of a command, and of what it started, when the hold under it ends: with real processes.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runUnder, warnedEarly } from '../../src/cli/under/run.ts'
import { endAll, root, run, waitFor } from '../support/processes.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'under-'))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await endAll()
  rmSync(folder, { recursive: true, force: true })
})

/** A script that hears no SIGTERM, and starts a process that hears none either and leaves a trace each 10 ms. */
function script(more = 'wait'): { command: string[]; beats: () => number } {
  const [beatFile, file] = [join(folder, 'beats'), join(folder, 'script.sh')]
  writeFileSync(beatFile, '')
  writeFileSync(
    file,
    `trap '' TERM\n( trap '' TERM; for i in $(seq 1500); do printf x >> ${beatFile}; sleep 0.01; done ) &\n${more}\n`,
  )
  return { command: ['bash', file], beats: () => readFileSync(beatFile).length }
}

async function isQuiet(beats: () => number): Promise<boolean> {
  const before = beats()
  await sleep(150)
  return beats() === before
}

function hold(leftMs: number) {
  const lost = new AbortController()
  let until = Number.POSITIVE_INFINITY
  return {
    signal: lost.signal,
    remaining: () => Math.max(0, until - performance.now()),
    lose() {
      until = performance.now() + leftMs
      lost.abort(new Error('lost'))
    },
  }
}

describe('a hold that is lost', () => {
  it('ends also what the command started, and before the hold ends', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const held = hold(600)
    const { command, beats } = script()
    const running = runUnder(held, command, {})
    await waitFor('a trace', () => beats() > 3)
    held.lose()
    expect(await running).toBe(128 + 9)
    expect(held.remaining()).toBeGreaterThan(0)
    expect(await isQuiet(beats)).toBe(true)
  })
  it('kills at once where no time is left', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const held = hold(0)
    const { command, beats } = script()
    const running = runUnder(held, command, {})
    await waitFor('a trace', () => beats() > 3)
    const began = performance.now()
    held.lose()
    expect(await running).toBe(128 + 9)
    expect(performance.now() - began).toBeLessThan(400)
  })
  it('a command that stops when told is not killed', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const held = hold(10_000)
    const running = runUnder(
      held,
      ['bash', '-c', `trap 'exit 7' TERM; touch ${folder}/on; for i in $(seq 1500); do sleep 0.01; done`],
      {},
    )
    await waitFor('the trap', () => readable(join(folder, 'on')))
    held.lose()
    expect(await running).toBe(7)
  })
})

it('what a command leaves running is ended before the hold is let go', async () => {
  const { command, beats } = script('sleep 0.1; exit 3')
  const began = performance.now()
  expect(await runUnder(hold(0), command, {})).toBe(3)
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(await isQuiet(beats)).toBe(true)
})

it('a command that is not there is 127', async () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  expect(await runUnder(hold(0), [join(folder, 'no\u001b[2J')], {})).toBe(127)
  expect(said.mock.calls.join()).toContain('\\u{1b}[2J could not be started')
})

it('a hold whose signal fires at its end is given up a tenth earlier', async () => {
  const end = performance.now() + 500
  using held = warnedEarly({ signal: new AbortController().signal, remaining: () => end - performance.now() })
  await new Promise<void>(resolve => held.signal.addEventListener('abort', () => resolve()))
  expect(held.remaining()).toBeGreaterThan(20)
  expect(held.remaining()).toBeLessThanOrEqual(51)
})

describe('coterie itself', () => {
  const under = (ttl: number, fence: 'none' | 'watchdog', command: readonly string[]) =>
    run(process.execPath, [join(root, 'test/e2e/under.mjs'), String(ttl), fence, ...command])

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('hands %s on to all of the group', async signal => {
    const inner = `trap 'echo inner; exit' INT TERM HUP; echo on; for ((i=0; i<1000; i++)); do sleep 0.01; done`
    const command = `trap 'echo outer; exit 5' INT TERM HUP; bash -c "${inner}"; true`
    const running = under(60_000, 'none', ['bash', '-c', command])
    await waitFor('it runs', () => running.output().includes('on'))
    running.child.kill(signal)
    expect(await running.ended).toBe(0)
    expect(running.output()).toMatch(/inner/)
    expect(running.output()).toMatch(/outer/)
    expect(running.output()).toMatch(/ended 5/)
  })
  it('stopped by Ctrl-Z, stops the group too; continued after the end, kills it', async () => {
    const { command, beats } = script()
    const running = under(400, 'none', command)
    await waitFor('a trace', () => beats() > 3)
    running.child.kill('SIGTSTP')
    await sleep(600)
    expect(await isQuiet(beats)).toBe(true)
    running.child.kill('SIGCONT')
    expect(await running.ended).toBe(0)
    expect(running.output()).toMatch(/ended 137/)
    expect(await isQuiet(beats)).toBe(true)
  })
  it.each(['SIGSTOP', 'SIGKILL'] as const)('by %s, without a watchdog, cannot end the command', async signal => {
    const { command, beats } = script('echo $$; wait')
    const running = under(400, 'none', command)
    await waitFor('a trace', () => beats() > 3 && running.output() !== '')
    running.child.kill(signal)
    await sleep(700)
    expect(await isQuiet(beats)).toBe(false)
    process.kill(-Number.parseInt(running.output(), 10), 'SIGKILL')
  })
  it.each(['SIGSTOP', 'SIGKILL'] as const)('by %s, with a watchdog, ends in time', async signal => {
    const { command, beats } = script()
    const running = under(1_000, 'watchdog', command)
    await waitFor('a trace', () => beats() > 3)
    // It is renewed while its holder is well.
    await sleep(1_500)
    expect(await isQuiet(beats)).toBe(false)
    running.child.kill(signal)
    await sleep(1_000)
    expect(await isQuiet(beats)).toBe(true)
    if (signal === 'SIGKILL') return
    running.child.kill('SIGCONT')
    expect(await running.ended).toBe(0)
    expect(running.output()).toMatch(/ended 137/)
  })
  it('a watchdog goes when all is over', async () => {
    const running = under(5_000, 'watchdog', ['true'])
    expect(await running.ended).toBe(0)
    expect(running.output()).toMatch(/ended 0/)
  })
})

function readable(file: string): boolean {
  try {
    readFileSync(file)
    return true
  } catch {
    return false
  }
}
