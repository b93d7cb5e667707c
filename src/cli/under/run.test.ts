// A signal must find its handler: one that comes while the command starts would end coterie alone, and leave the command.

import { expect, it, vi } from 'vitest'
import { runUnder } from './run.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGTSTP', 'SIGCONT'] as const
const handlers = () => SIGNALS.map(signal => process.listenerCount(signal))
const seen = vi.hoisted(() => ({ atStart: [] as number[] }))

vi.mock('node:child_process', async original => {
  const real = await original<typeof import('node:child_process')>()
  const spawn = (...args: Parameters<typeof real.spawn>) => {
    seen.atStart = handlers()
    return real.spawn(...args)
  }
  return { ...real, spawn }
})

it.each([
  ['that runs', 'true', 0],
  ['that is not there', '/no/such/program', 127],
])('signals are handled before a command %s is started, and no longer after its end', async (_, program, code) => {
  const before = handlers()
  const held = { signal: new AbortController().signal, remaining: () => 60_000 }
  expect(await runUnder(held, [program], {})).toBe(code)
  expect(seen.atStart).toEqual(before.map(count => count + 1))
  expect(handlers()).toEqual(before)
})
