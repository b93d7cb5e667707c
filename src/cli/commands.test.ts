// The commands that use a group or a simulation: their help, wrong usage, and what --json prints. Those that need a
// running group are tried with one in test/e2e.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../test/support/command.ts'
import { coterie } from '../../test/support/processes.ts'
import { LeaseLost, NotAcquired, Refused, SettingsError, trust, Unavailable } from '../core/index.ts'
import { packAddress } from '../play/pack.ts'
import { exploreCommand } from './commands/explore.ts'
import { leadCommand } from './commands/lead.ts'
import { exitCodeOf, lockCommand } from './commands/lock.ts'
import { describeLocks, locksCommand } from './commands/locks.ts'
import { attributesFrom } from './commands/publish.ts'
import { describeRuns, simCommand } from './commands/sim.ts'
import { slotsCommand } from './commands/slots.ts'
import { statusCommand } from './commands/status.ts'
import { describeFreed, unlockCommand } from './commands/unlock.ts'
import { refuseOther } from './commands/up.ts'
import { asTyped, duration, inWords } from './duration.ts'
import { distance, meant } from './similar.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** What a shell would see. */
const run = (...line: string[]) =>
  runCommand(
    [lockCommand, locksCommand, unlockCommand, statusCommand, simCommand, exploreCommand].map(make => make()),
    line,
  )

describe('help', () => {
  it.each(['lock', 'locks', 'unlock', 'status', 'sim', 'explore'])(
    '%s has an example and its exit codes',
    async name => {
      const { out, code } = await run(name, '--help')
      expect(code).toBe(0)
      expect(out).toContain(`Usage: coterie ${name}`)
      expect(out).toContain(`Example:\n  $ coterie ${name}`)
      expect(out).toMatch(/Exit codes: .*2 wrong usage/s)
    },
  )
})

it('help of a command below another is its own', async () => {
  const running = coterie(['help', 'member', 'admit'])
  expect(await running.ended).toBe(0)
  expect(running.output()).toMatch(/^Usage: coterie member admit \[options\] <name>/)
})

it('help of what is no command says so, and what was meant', async () => {
  const running = coterie(['help', 'stauts'])
  expect(await running.ended).toBe(2)
  expect(running.errors()).toBe("error: unknown command 'stauts'\n(Did you mean status?)\n")
})

it('publish says which word it took for a second topic', () => {
  expect(attributesFrom(['prices/acme', 'price=3'])).toEqual({ topic: 'prices/acme', price: 3 })
  const wrong = () => attributesFrom(['prices', '{"price":3}'])
  expect(wrong).toThrow('topic is given twice: "{\\"price\\":3}" has no =. Attributes are name=value, and --channel')
  expect(() => attributesFrom(['price=3', 'price=4'])).toThrow('price is given twice.')
})

it.each([
  ['lock', lockCommand],
  ['lead', leadCommand],
  ['slots', slotsCommand],
])('help: %s says what becomes of its command when coterie itself is killed', async (name, command) => {
  const { out } = await runCommand([command()], [name, '--help'])
  expect(out).toMatch(/If coterie itself is ended by kill -9, the command goes on.* guard/s)
})

describe('wrong usage ends with 2 and a sentence', () => {
  it.each([
    ['lock without a name', ['lock'], /missing required argument 'name'/],
    ['lock without a command', ['lock', 'a'], /missing required argument 'command'/],
    ['a ttl that is none', ['lock', 'a', '--ttl', 'soon', '--', 'true'], /must be a duration/],
    ['a ttl without a unit', ['lock', 'a', '--ttl', '10', '--', 'true'], /with its unit: 10ms, 10s, 10m, 10h or 10d/],
    ['an unknown option', ['locks', '--everything'], /unknown option '--everything'/],
    ['unlock without a name', ['unlock', '--force'], /name the lock to free/],
    ['unlock without --force', ['unlock', 'a'], /add --force: .*only guards/],
    ['status of too much', ['status', 'server-1'], /too many arguments/],
    ['a simulation of nothing', ['sim'], /missing required argument 'protocol'/],
    ['a run by an address that is none', ['sim', '--play', '#v=9&run=lock'], /form 9; this build reads form 1/],
    ['a run by a packed address that is cut', ['sim', '--play', '#z=AAAA'], /cannot be unpacked/],
    [
      'a run of what cannot be played',
      ['sim', '--play', '#run=tea'],
      /nothing to play called 'tea'; there is: lock-printed/,
    ],
    ['a run by its address and a protocol', ['sim', 'lock', '--play', '#run=lock'], /leave the protocol out/],
    ['a simulation of what is not there', ['sim', 'tea'], /no protocol 'tea' to simulate; there are: lock/],
    ['an exit code that is none', ['lock', 'a', '-E', '256', '--', 'true'], /conflict-exit-code.* 0 to 255/],
    ['a fence that is none', ['lock', 'a', '--fence-with', 'dog', '--', 'true'], /'--fence-with <what>'.*watchdog/],
    ['a picture of many runs', ['sim', 'lock', '--diagram', 'x.svg'], /--diagram is for one run/],
    [
      'an option with a slip',
      ['lock', 'a', '--tll', '5s', '--', 'true'],
      /unknown option '--tll'[\s\S]*Did you mean --ttl/,
    ],
    ['seeds that are no number', ['sim', 'lock', '--seeds', 'many'], /must be a whole number/],
    ['a bug that is not there', ['sim', 'lock', '--bug', 'typo'], /no planted bug 'typo'; there are: /],
    ['trust that cannot be', ['sim', 'lock', '--servers', '3', '--liars', '1'], /3 servers cannot keep a lock/],
    [
      'exploring what is not there',
      ['explore', 'tea'],
      /no protocol 'tea' to explore; there are: lock, election, ordering/,
    ],
    ['a system that is not there', ['explore', 'lock', '--system', 'big'], /--system is 'big'; it must be one of/],
    ['a depth that is none', ['explore', 'ordering', '--depth', 'deep'], /must be a whole number/],
  ] as const)('%s', async (_, line, sentence) => {
    const { out, err, code } = await run(...line)
    expect(err).toMatch(sentence)
    expect(out).toBe('')
    expect(code).toBe(2)
  })
})

describe('sim', () => {
  // In a process of its own: its worker threads run what was built.
  const sim = async (...more: string[]) => {
    const running = coterie(['sim', 'lock', '--seeds', '4', '--json', ...more])
    const code = await running.ended
    return { code, result: JSON.parse(running.output()) }
  }

  it('--json has a shape to rely on, and the same seeds give the same trace hash', async () => {
    const first = await sim()
    expect(first.code).toBe(0)
    expect(first.result).toEqual({
      scenario: 'lock',
      protocol: 'lock',
      firstSeed: 1,
      asked: 4,
      runs: 4,
      simulatedMs: expect.any(Number),
      wallMs: expect.any(Number),
      messages: expect.any(Number),
      traceHash: expect.stringMatching(/^[0-9a-f]{16}$/),
      violations: [],
      replays: [],
    })
    expect((await sim()).result.traceHash).toBe(first.result.traceHash)
    expect((await sim('--from', '2')).result.traceHash).not.toBe(first.result.traceHash)
  })

  it('one run twice in every detail is one run', async () => {
    const once = async () => JSON.parse((await run('sim', 'lock', '--seed', '17', '--json')).out)
    const first = await once()
    expect(first).toMatchObject({ seed: 17, violations: [] })
    expect(first.trace.length).toBeGreaterThan(10)
    expect(await once()).toEqual(first)
  })
})

describe('sim --play', () => {
  const BROKEN = '#run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff'
  it('prints the run of an address and its verdict', async () => {
    const { out, code } = await run('sim', '--play', `https://lab.example/${BROKEN}&h=00000000`)
    expect(out).toMatch(/entered/)
    expect(out).toMatch(/made by another version; this build gives another run/)
    expect(out).toMatch(/broken: 'the lock' is held by client-1 .* and client-2/)
    expect(code).toBe(1)
  })
  it('says what a traitor is asked, and --json has a shape to rely on', async () => {
    const { out, code } = await run('sim', '--json', '--play', BROKEN.slice(0, -1))
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      address: 'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:f',
      status: 'asks',
      verdict:
        'server-5 is asked by client-2 and has no word left; it could say f (FREE), l (LOCKED), - (nothing), h (the truth)',
      asks: 'server-5',
      answers: ['f', 'l', '-', 'h'],
      outside: [],
    })
  })
  it('reads a packed address', async () => {
    const long = `${BROKEN.slice(1)}&only=${Array.from({ length: 900 }, (_, place) => place).join(',')}`
    const packed = await packAddress(long)
    expect(packed).toMatch(/^z=/)
    const { out } = await run('sim', '--json', '--play', `#${packed}`)
    expect(JSON.parse(out).status).toBe('broken')
  })
})

it('sim says in a sentence that a picture cannot be written', async () => {
  const { err, code } = await run('sim', 'lock', '--seed', '17', '--diagram', '/no/such/folder/run.svg')
  expect(err).toBe('error: cannot write /no/such/folder/run.svg: its folder is not there.\n')
  expect(code).toBe(1)
})

describe('durations', () => {
  it.each([
    ['500ms', 500],
    ['1.5s', 1_500],
    ['1m30s', 90_000],
    ['2d', 172_800_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['0s', 0],
  ])('%s', (text, millis) => expect(duration(text)).toBe(millis))
  it.each(['', '30s1m', '1m1m', '1m 30s', '-1s', 's', '1w', '1e3s', '99999999d'])('%j is none', text =>
    expect(() => duration(text)).toThrow(/must be a duration/),
  )
  it('in words, days too', () => expect(inWords(2 * 86_400_000 + 3_600_000)).toBe('2 d 1 h'))
})

describe('the word that was meant', () => {
  it('is the nearest, where one is near', () => {
    expect(meant('wran', ['debug', 'info', 'warn'])).toBe(' Did you mean warn?')
    expect(meant('loud', ['debug', 'info', 'warn', 'error'])).toBe('')
  })
  it('letters are counted as a person would', () => {
    for (const [one, other, wrong] of [
      ['', 'abc', 3],
      ['lock', 'lokc', 1],
      ['ttl', 'tll', 1],
      ['same', 'same', 0],
      ['kitten', 'sitting', 3],
    ] as const)
      expect(distance(one, other)).toBe(wrong)
  })
})

describe('the exit code of lock', () => {
  const chosen = { conflictExitCode: 42 }
  it.each([
    [new NotAcquired('a', 'contended', {}, 'in time'), 42],
    [new NotAcquired('a', 'recovering', {}, 'in time'), 42],
    [new NotAcquired('a', 'unreachable', {}, 'in time'), 69],
    [new Unavailable('nobody answers'), 69],
    [new Refused('a stranger'), 69],
    [new LeaseLost('a', 'too late'), 79],
    [new SettingsError('no'), undefined],
    [new Error('a bug'), undefined],
  ])('%s', (error, code) => expect(exitCodeOf(error, chosen)).toBe(code))
})

describe('up', () => {
  it('refuses numbers that the group does not have', () => {
    const group = { trust: trust({ liars: 1 }) }
    const dir = 'shop'
    for (const same of [{}, { servers: 7 }, { servers: 7, liars: 1, crashes: 1 }]) refuseOther({ dir, ...same }, group)
    expect(() => refuseOther({ dir, servers: 3 }, group)).toThrow(
      /^--servers is 3, and the group in shop differs: 7 servers.* --dir\.$/s,
    )
    expect(() => refuseOther({ dir, liars: 0 }, group)).toThrow(/--liars is 0/)
  })
})

describe('what is printed', () => {
  it('of runs, also where Ctrl-C came before the last', () => {
    const summary = { simulatedMs: 60_000, wallMs: 500, messages: 1_200, traceHash: 'beef', violations: [] }
    const text = (runs: number) => describeRuns({ ...summary, asked: 100, runs }, { protocol: 'lock' }, [])
    expect(text(100)).toMatch(/^100 runs, 60 simulated seconds .*\nno promise was broken$/)
    expect(text(75)).toMatch(/^stopped: 75 of 100 runs were done\n75 runs, .*\nno promise was broken$/)
  })
  it('of a duration that is refused: as it was typed', () => {
    const said = (millis: number) => asTyped(`ttl is ${millis}; it must be less.`)
    expect(said(7_200_000)).toBe('ttl is 7200000; it must be less.')
    expect(duration('2h')).toBe(7_200_000)
    expect(said(7_200_000)).toBe('--ttl is 2h (7200000 ms); it must be less.')
  })
  const lock = { name: 'a', holder: 'ann#1', token: 5n, votes: 3, held: true, age: 1_500, remaining: 900, waiters: [] }

  it('of a lock', () => {
    expect(describeLocks([])).toBe('no lock is held')
    expect(describeLocks([lock])).toBe('  a  held by ann#1 for 1.5 s, 900 ms left unless renewed, token 5')
    expect(describeLocks([{ ...lock, held: false, waiters: ['x', 'y'] }])).toMatch(
      /being taken by .*, 2 waiting: x, y$/,
    )
    const crowd = Array.from({ length: 20 }, (_, place) => `w${place}`)
    expect(describeLocks([{ ...lock, waiters: crowd }])).toMatch(/, 20 or more waiting: w0, w1, w2, …$/)
  })
  it('of a lock that was freed', () => {
    expect(describeFreed({ name: 'a', holder: undefined, token: undefined, freed: 3 })).toMatch(/^nobody held a/)
    expect(describeFreed({ name: 'a', holder: 'ann#1', token: 5n, freed: 3 })).toMatch(
      /ann#1 was cut off \(token 5\)\n.*Only guards protect now/,
    )
  })
})
