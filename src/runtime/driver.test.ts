// The real driver over the real log on a disk whose power is cut: a machine that accounts for its state bit by bit, and
// saves lazily now and then, has after each restart all that it promised.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { createDisk, type Disk } from '../../test/storage/disk.ts'
import { unexpected } from '../../test/storage/history.ts'
import { type LedgerCommand, type LedgerRules, ledger } from '../../test/support/ledger.ts'
import {
  bytes,
  NOTHING_SAVED,
  type Protocol,
  type Random,
  seededRandom,
  struct,
  text,
  uint,
  variants,
  type Writer,
} from '../core/index.ts'
import { partedVocabulary } from '../node/vocabulary.ts'
import { Driver } from './driver.ts'
import { createLogStorage } from './storage/log.ts'
import type { Log, Transport } from './transport/index.ts'
import { FRAME_BYTES_MAX } from './transport/transport.ts'

const KEYS = 12
const LIVES = 12
const SEEDS = 6
const COMMANDS = 60
/** So small that every life compacts. */
const DEAD_BYTES_MIN = 200
const nowhere = { send() {} } as unknown as Transport

interface Name {
  readonly kind: 'name'
  readonly name: string
}

interface Told {
  readonly promised: Map<number, number>
  /** Counters that were found behind what was promised. */
  forgotten: number
  cuts: number
}

/** One life on this disk: until the power is cut, or a clean stop. */
async function live(disk: Disk, rules: LedgerRules, told: Told, random: Random): Promise<void> {
  const storage = await createLogStorage({ folder: '/store', files: disk, deadBytesMin: DEAD_BYTES_MIN }).open(
    unexpected,
  )
  const driver = new Driver({
    protocol: ledger(rules),
    self: 'a',
    peers: [],
    vocabulary: text(1) as never,
    clock: () => 0,
    log: () => {},
    storage,
    saved: await storage.read(),
    event: ([key, value]) => told.promised.set(key, value),
    failed: unexpected,
  })
  const { table } = driver.state
  for (const [key, value] of told.promised) if ((table.get(key) ?? 0) < value) told.forgotten++
  driver.start(nowhere)
  for (let i = 0; i < COMMANDS && !disk.isCut; i++) {
    driver.command({ key: random.below(KEYS), lazy: random.below(4) === 0 } satisfies LedgerCommand)
    if (random.below(2) === 0) await new Promise(setImmediate)
  }
  if (disk.isCut) driver.end()
  else await driver.stop()
  await storage.close()
}

async function campaign(rules: LedgerRules, seed: number): Promise<Told> {
  const random = seededRandom(seed)
  const told: Told = { promised: new Map(), forgotten: 0, cuts: 0 }
  let disk = createDisk()
  for (let life = 0; life < LIVES; life++) {
    const next = { cutAt: 10 + random.below(120), delays: random.fork(life) }
    disk = random.below(2) === 0 ? disk.afterKill(next) : disk.afterCut(random, next)
    await Promise.race([live(disk, rules, told, random.fork(LIVES + life)), disk.cut])
    if (disk.isCut) told.cuts++
  }
  return told
}

async function campaigns(rules: LedgerRules): Promise<readonly Told[]> {
  const all: Told[] = []
  for (let seed = 1; seed <= SEEDS; seed++) all.push(await campaign(rules, seed))
  return all
}

describe('the driver', () => {
  it('keeps what a machine promised that writes its state bit by bit, through power cuts and kills', async () => {
    for (const { forgotten, promised, cuts } of await campaigns({ page: 2 })) {
      expect(forgotten).toBe(0)
      expect([...promised.values()].reduce((sum, value) => sum + value, 0)).toBeGreaterThan(50)
      expect(cuts).toBeGreaterThan(1)
    }
  })

  it('planted: an account declared whole too soon is found', async () => {
    const found = (await campaigns({ page: 2, hurry: 3 })).filter(({ forgotten }) => forgotten > 0)
    expect(found.length).toBeGreaterThan(0)
  })
})

it('words to several peers are encoded once, and each peer hears its own', () => {
  const words = struct<{ number: number }>({ number: uint() })
  let encoded = 0
  const vocabulary = {
    ...words,
    write(writer: Writer, body: { number: number }) {
      encoded++
      words.write(writer, body)
    },
  }
  const protocol: Protocol<null, { number: number }, number, never> = {
    name: 'speaker',
    init: () => null,
    step(_state, input, turn) {
      if (input.kind !== 'command') return
      const all = { number: input.body }
      for (const to of ['b', 'c']) turn.do({ kind: 'send', to, body: all })
      turn.do({ kind: 'send', to: 'd', body: { number: input.body + 1 } })
    },
  }
  const sent: string[] = []
  const settings = { self: 'a', peers: ['b', 'c', 'd'], clock: () => 0, log: () => {}, saved: NOTHING_SAVED }
  const driver = new Driver({ ...settings, protocol, vocabulary, event: unexpected, failed: unexpected })
  driver.start({ send: (to: string, frame: Uint8Array) => sent.push(`${to} ${frame}`) } as unknown as Transport)
  driver.command(5)
  driver.command(6)
  expect(sent).toEqual(['b 5', 'c 5', 'd 6', 'b 6', 'c 6', 'd 7'])
  expect(encoded).toBe(4)
})

it('a word that is longer than any frame is said to nobody, is counted, and ends nothing', () => {
  const word = bytes(2 ** 32)
  const protocol: Protocol<null, Uint8Array, number, never> = {
    name: 'speaker',
    init: () => null,
    step(_state, input, turn) {
      if (input.kind === 'command') turn.do({ kind: 'send', to: 'b', body: new Uint8Array(input.body) })
    },
  }
  const sent: number[] = []
  const settings = { self: 'a', peers: ['b'], clock: () => 0, log: () => {}, saved: NOTHING_SAVED }
  const driver = new Driver({ ...settings, protocol, vocabulary: word, event: unexpected, failed: unexpected })
  driver.start({ send: (_to: string, frame: Uint8Array) => sent.push(frame.length) } as unknown as Transport)
  for (const length of [1, FRAME_BYTES_MAX, 2]) driver.command(length)
  expect(sent).toEqual([2, 3])
  expect(driver.counts).toMatchObject({ sent: 3, tooLong: 1 })
})

it('a word that cannot be encoded is said to nobody, is counted and logged with its part and kind, and ends nothing', () => {
  const vocabulary = partedVocabulary({ names: variants<Name>({ name: { name: text(4) } }) })
  const protocol: Protocol<null, { part: 'names'; body: Name }, unknown, never> = {
    name: 'speaker',
    init: () => null,
    step(_state, input, turn) {
      if (input.kind !== 'command') return
      const word = { part: 'names', body: { kind: 'name', name: input.body as string } } as const
      for (const to of ['b', 'c']) turn.do({ kind: 'send', to, body: word })
    },
  }
  const sent: string[] = []
  const lines: unknown[] = []
  const log: Log = (level, message, fields) => lines.push([level, message, fields])
  const settings = { self: 'a', peers: ['b', 'c'], clock: () => 0, log, saved: NOTHING_SAVED }
  const driver = new Driver({ ...settings, protocol, vocabulary, event: unexpected, failed: unexpected })
  driver.start({ send: (to: string, frame: Uint8Array) => sent.push(`${to} ${frame}`) } as unknown as Transport)
  for (const name of ['x', '\ud800', 'longer', undefined, 'y']) driver.command(name)
  expect(sent).toEqual(['b 0,0,1,120', 'c 0,0,1,120', 'b 0,0,1,121', 'c 0,0,1,121'])
  expect(driver.counts).toMatchObject({ sent: 10, unsayable: 6, tooLong: 0 })
  expect(lines).toHaveLength(6)
  expect(lines[0]).toEqual([
    'error',
    'message not sent',
    { to: 'b', lane: 'names', kind: 'name', why: 'cannot encode text with a lone surrogate: "\\ud800"' },
  ])
})

describe('timers', () => {
  const DAY_MS = 86_400_000
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A machine that sets one timer at its start and tells when it fires. */
  function alarm(after: number) {
    vi.useFakeTimers()
    const fired: string[] = []
    const protocol: Protocol<null, string, never, string> = {
      name: 'alarm',
      init: () => null,
      step(_state, input, turn) {
        if (input.kind === 'start') turn.do({ kind: 'timer', name: 'far', after })
        if (input.kind === 'timer') turn.do({ kind: 'emit', event: input.name })
      },
    }
    const driver = new Driver({
      protocol,
      self: 'a',
      peers: [],
      vocabulary: text(1),
      clock: () => 0,
      log: () => {},
      saved: NOTHING_SAVED,
      event: name => fired.push(name),
      failed: unexpected,
    })
    driver.start(nowhere)
    return { fired, driver }
  }

  it.each([1, 24, 25, 30, 100])('of %d days fires when it is due, and not before', days => {
    const { fired } = alarm(days * DAY_MS)
    vi.advanceTimersByTime(days * DAY_MS - 1)
    expect(fired).toEqual([])
    vi.advanceTimersByTime(1)
    expect(fired).toEqual(['far'])
  })
  it('of 100 days does not fire in a node that has ended after 30', () => {
    const { fired, driver } = alarm(100 * DAY_MS)
    vi.advanceTimersByTime(30 * DAY_MS)
    driver.end()
    vi.advanceTimersByTime(100 * DAY_MS)
    expect(fired).toEqual([])
  })
})
