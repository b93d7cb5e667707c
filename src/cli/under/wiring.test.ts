// lock, lead and slots run their command under what they hold, with the watchdog that was asked for: each hands its own hold, and the
// seat, whose signal fires at its very end, one that warns before.

import { Command } from 'commander'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Held } from './held.ts'

const started = vi.hoisted(() => ({ under: [] as unknown[][] }))
const LEFT_MS = 60_000
const hold = vi.hoisted(() => ({ signal: new AbortController().signal, remaining: () => 60_000 }))

vi.mock('./run.ts', async original => ({
  ...(await original<typeof import('./run.ts')>()),
  runUnder: async (...args: unknown[]) => {
    started.under.push(args)
    return 0
  },
}))
vi.mock('../connection.ts', async original => {
  const lease = { ...hold, name: 'jobs', token: 7n, held: () => true, release: async () => {} }
  const group = { lock: async () => lease, [Symbol.asyncDispose]: async () => {} }
  return { ...(await original<typeof import('../connection.ts')>()), connectFrom: async () => group }
})
vi.mock('../../client/join.ts', () => {
  const seat = { ...hold, slot: 'oak', [Symbol.asyncDispose]: async () => {} }
  const group = {
    async coordinator(_name: string, { lead }: { lead(term: unknown): Promise<void> }) {
      void lead({ ...hold, number: 7 })
      return { ended: new Promise(() => {}) }
    },
    slots: () => ({ request: async () => seat, async *incidents() {} }),
    [Symbol.asyncDispose]: async () => {},
  }
  return { join: async () => group }
})

const { lockCommand } = await import('../commands/lock.ts')
const { leadCommand } = await import('../commands/lead.ts')
const { slotsCommand } = await import('../commands/slots.ts')
const commands = {
  lock: [lockCommand, [], { COTERIE_LOCK: 'jobs', COTERIE_TOKEN: '7' }],
  lead: [leadCommand, [], { COTERIE_COORDINATOR: 'jobs', COTERIE_TERM: '7' }],
  slots: [slotsCommand, ['request', '--slots', 'oak'], { COTERIE_SLOTS: 'jobs', COTERIE_SLOT: 'oak' }],
} as const

beforeEach(() => {
  started.under = []
})

const fences: readonly (readonly [readonly string[], string | undefined])[] = [
  [[], undefined],
  [['--fence-with', 'watchdog'], 'watchdog'],
]
const cases = Object.keys(commands).flatMap(name =>
  fences.map(([fence, fenceWith]) => [name as keyof typeof commands, fence, fenceWith] as const),
)

it.each(cases)('%s %j', async (name, fence, fenceWith) => {
  const [make, rest, environment] = commands[name]
  const line = [name, 'jobs', ...rest, '--config', 'somewhere', ...fence, '--', 'work', '--hard']
  await new Command('coterie').addCommand(make()).parseAsync(line, { from: 'user' })
  process.exitCode = undefined
  expect(started.under).toHaveLength(1)
  const [held, command, given, options] = started.under[0]!
  expect((held as Held).remaining()).toBe(LEFT_MS)
  expect((held as Held).signal === hold.signal).toBe(name !== 'slots')
  expect(command).toEqual(['work', '--hard'])
  expect(given).toEqual(environment)
  expect((options as { fenceWith?: string } | undefined)?.fenceWith).toBe(fenceWith)
})

it.each(Object.keys(commands))('%s --help says what escapes, and what cannot end anything', name => {
  let help = ''
  const [make] = commands[name as keyof typeof commands]
  make()
    .configureOutput({ writeOut: text => (help += text) })
    .outputHelp()
  expect(help).toMatch(/setsid/)
  expect(help).toMatch(/stopped \(SIGSTOP, a debugger\)/)
  expect(help).toMatch(/--fence-with watchdog/)
})
