// What one member can make another keep or say: a bound for each, and one beyond it is refused while everybody else is heard
// (docs/reference/limits.md). Member c alone, of five of whom one may lie; e is the one that floods.

import { describe, expect, it } from 'vitest'
import { bytesIn, listedUnder } from '../../../test/support/limits.ts'
import { BEAT, honest, instead, LIAR, Table, TICK, type Word } from '../../../test/support/slots-table.ts'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { CHECKS_BEHIND_MAX } from './checks.ts'
import { CHECKS_AHEAD_MAX, EARLY_BYTES_MAX } from './hearing.ts'
import { CHAIN_MAX } from './links.ts'
import { slotsMember } from './machine.ts'
import { type EpochRecord, firstRecord, recordHash } from './record.ts'
import { saveAdopted } from './saved.ts'
import { ANSWERS_MAX, OUTBOX_MAX, saidBy } from './saying.ts'
import type { Round } from './state.ts'
import { BALLOTS_KEPT, PROPOSALS_KEPT } from './succession.ts'
import { EVIDENCE_BYTES_MAX, NEEDS_MAX, type SlotsMessage, signedBytes } from './wire.ts'

/** What one member leaves in another's memory beyond what an honest one does, besides its early words. */
const BYTES_OF_MEMBER = 256 * 1_024

const names = ['a', 'b', 'c', 'd', 'e']
const FLOODER = 'e'
const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'], liars: 1 }
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
const first = firstRecord(settings, members, group.name)
const epoch = recordHash(first)
const next: EpochRecord = { ...first, number: 1, previous: epoch }

type Words = Record<string, unknown> & { kind: string }

function by(author: string, words: Words): SlotsMessage {
  const unsigned = { round: 0, ...words, author, epoch, signature: new Uint8Array() } as unknown as SlotsMessage
  return { ...unsigned, signature: signatures.signer(author).sign(signedBytes(unsigned)) }
}

function member(change: Partial<typeof settings> = {}) {
  const own = { ...settings, ...change }
  const machine = slotsMember({ settings: own, members, group, signer: signatures.signer('c'), signatures })
  const state = machine.init('c', names, NOTHING_SAVED)
  const random = seededRandom(1)
  const sent: { to: string; body: SlotsMessage }[] = []
  const step = (input: Parameters<typeof machine.step>[1], now: number) => {
    machine.step(state, input, {
      now,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      do(effect) {
        if (effect.kind === 'send') sent.push({ to: effect.to, body: effect.body })
      },
    })
    machine.check!(state)
  }
  step({ kind: 'start' }, 0)
  const hears = (body: SlotsMessage, now = settings.settle) => step({ kind: 'message', from: body.author, body }, now)
  const looks = (now: number) => step({ kind: 'timer', name: 'beat' }, now)
  return { state, sent, hears, looks, saysOf: (kind: string) => sent.filter(({ body }) => body.kind === kind) }
}

/** Which bounds have a test: compared with the list at the end. */
const tested = new Set<string>()
function bound(constant: string, what: string, test: () => void): void {
  tested.add(constant)
  it(`${constant}: ${what}`, test)
}

/** A hash that no record has. */
const madeUp = (number: number) => new Uint8Array(32).map((_, place) => (number >> (8 * (place % 4))) & 255)

describe('favours and signatures', () => {
  bound('BALLOTS_KEPT', 'one that favours everything does not keep the others from a successor', () => {
    const { state, hears, saysOf } = member()
    for (let i = 0; i < 5_000; i++) {
      hears(by(FLOODER, { kind: 'favour', ballot: i % 900, record: madeUp(i) }))
      hears(by(FLOODER, { kind: 'sign', ballot: i % 900, record: madeUp(i) }))
    }
    const { favours, signs } = state.epoch.succession
    expect([favours.size, signs.size]).toEqual([BALLOTS_KEPT, BALLOTS_KEPT])
    hears(by('b', { kind: 'petition', number: 0, leaving: false }))
    hears(by('a', { kind: 'propose', ballot: 5, record: next, favoured: undefined }))
    for (const author of ['a', 'b', 'd']) hears(by(author, { kind: 'favour', ballot: 5, record: recordHash(next) }))
    expect(saysOf('sign').length).toBe(4)
    for (const author of ['a', 'b', 'd']) hears(by(author, { kind: 'sign', ballot: 5, record: recordHash(next) }))
    expect(state.epoch.record.number).toBe(1)
  })
  bound('BALLOTS_KEPT', 'the latest ballots of each are kept: the bound, and one more', () => {
    const { state, hears } = member()
    const ballots = () => [...state.epoch.succession.favours.keys()].map(name => Number.parseInt(name, 10))
    const favours = (author: string, ballot: number) =>
      hears(by(author, { kind: 'favour', ballot, record: madeUp(ballot) }))
    for (let ballot = 1; ballot <= BALLOTS_KEPT; ballot++) favours(FLOODER, ballot)
    expect([Math.min(...ballots()), ballots().length]).toEqual([1, BALLOTS_KEPT])
    favours(FLOODER, BALLOTS_KEPT + 1)
    expect([Math.min(...ballots()), ballots().length]).toEqual([2, BALLOTS_KEPT])
    favours(FLOODER, 1)
    expect([Math.min(...ballots()), ballots().length]).toEqual([2, BALLOTS_KEPT])
    favours('a', 1)
    expect([Math.min(...ballots()), ballots().length]).toEqual([1, BALLOTS_KEPT + 1])
  })
})

describe('proposals', () => {
  bound('PROPOSALS_KEPT', 'of each leader the latest are kept: the bound, and one more', () => {
    const { state, hears } = member()
    const kept = () => [...state.epoch.succession.proposals.keys()]
    const ofE = (turn: number) => 5 * turn + 4
    const proposes = (author: string, ballot: number) =>
      hears(by(author, { kind: 'propose', ballot, record: next, favoured: undefined }))
    proposes('a', 0)
    for (let turn = 0; turn < PROPOSALS_KEPT; turn++) proposes(FLOODER, ofE(turn))
    expect(kept()).toEqual([0, ...Array.from({ length: PROPOSALS_KEPT }, (_, turn) => ofE(turn))])
    proposes(FLOODER, ofE(PROPOSALS_KEPT))
    expect(kept()).toEqual([0, ...Array.from({ length: PROPOSALS_KEPT }, (_, turn) => ofE(turn + 1))])
    // What it said first, again: its last ones stay.
    proposes(FLOODER, ofE(0))
    expect(kept()).not.toContain(ofE(0))
    expect(kept().length).toBe(PROPOSALS_KEPT + 1)
  })
})

describe('words of rounds that have not begun', () => {
  const BIG = 64
  /** A vote as large as may be said. */
  const vote = (author: string, round: number, check: number) => {
    const ballot = { a: new Uint8Array(384), b: new Uint8Array(384), proof: new Uint8Array(2_304) }
    return by(author, { kind: 'vote', round, check, ballots: new Array(BIG).fill(ballot) })
  }
  const bytesOf = (rounds: Iterable<Round>, author: number) =>
    [...rounds].reduce((total, round) => {
      const said = [0, 1, 2].flatMap(check => saidBy(round, 'vote', author, check) ?? [])
      return total + said.reduce((sum, word) => sum + signedBytes(word).length, 0)
    }, 0)

  bound('EARLY_BYTES_MAX', 'are kept up to the bound, for each member', () => {
    // More rounds ahead than five members could have.
    const many = Array.from({ length: 20 }, (_, place) => `m${place}`)
    const { state, hears } = crowd(many)
    for (let round = 1; round <= 20; round++) {
      for (let check = 0; check < 3; check++) hears(vote('m1', round, check))
    }
    const size = signedBytes(vote('m1', 1, 0)).length
    const kept = bytesOf(state.epoch.rounds.values(), 1)
    expect(kept).toBeLessThanOrEqual(EARLY_BYTES_MAX)
    expect(kept).toBeGreaterThan(EARLY_BYTES_MAX - size)
    hears(vote('m2', 3, 0))
    expect(bytesOf(state.epoch.rounds.values(), 2)).toBe(size)
  })

  function crowd(many: readonly string[]) {
    const people = many.map(name => ({ name, identity: signatures.signer(name).publicKey }))
    const machine = slotsMember({ settings, members: people, group, signer: signatures.signer('m0'), signatures })
    const state = machine.init('m0', many, NOTHING_SAVED)
    const random = seededRandom(1)
    const step = (input: Parameters<typeof machine.step>[1]) =>
      machine.step(state, input, { now: 0, below: () => 0, bytes: length => random.bytes(length), do: () => {} })
    step({ kind: 'start' })
    const hears = (said: SlotsMessage) => {
      const words = { ...said, epoch: state.epoch.hash } as SlotsMessage
      const body = { ...words, signature: signatures.signer(said.author).sign(signedBytes(words)) }
      step({ kind: 'message', from: said.author, body })
    }
    return { state, hears }
  }
})

describe('questions', () => {
  const need = { kind: 'key', author: 2, index: 0 }
  const asks = (author: string, count: number) => by(author, { kind: 'ask', needs: new Array(count).fill(need) })
  const answersTo = (sent: readonly { to: string; body: SlotsMessage }[], to: string) =>
    sent.filter(one => one.to === to && one.body.kind === 'key').length

  bound('ANSWERS_MAX', 'a word that is asked for twice is sent once', () => {
    const { sent, hears } = member()
    sent.length = 0
    hears(asks(FLOODER, NEEDS_MAX))
    expect(answersTo(sent, FLOODER)).toBe(1)
  })
  bound('ANSWERS_MAX', 'each member is answered so much a beat, and not once more; the others are answered', () => {
    const { sent, hears, looks } = member()
    sent.length = 0
    for (let i = 0; i < ANSWERS_MAX; i++) hears(asks(FLOODER, 1))
    expect(answersTo(sent, FLOODER)).toBe(ANSWERS_MAX)
    hears(asks(FLOODER, 1))
    expect(answersTo(sent, FLOODER)).toBe(ANSWERS_MAX)
    hears(asks('a', 1))
    expect(answersTo(sent, 'a')).toBe(1)
    looks(settings.settle + settings.beat)
    hears(asks(FLOODER, 1))
    expect(answersTo(sent, FLOODER)).toBe(ANSWERS_MAX + 1)
  })
  bound('ANSWERS_MAX', 'words of an epoch that we do not know are answered as often', () => {
    const { sent, hears } = member()
    sent.length = 0
    const elsewhere = (number: number) => ({ ...by(FLOODER, { kind: 'want', round: 1 }), epoch: madeUp(number) })
    for (let i = 0; i <= ANSWERS_MAX; i++) hears(elsewhere(i) as SlotsMessage)
    expect(sent.length).toBe(ANSWERS_MAX)
  })
  bound('ANSWERS_MAX', 'a word that fits to nothing is shown what we have as often, however often it is said', () => {
    const lies = {
      ready: instead('ready', () => ({ keys: madeUp(1) })),
      seal: instead('seal', ({ passes }) => ({ passes: passes.map(() => madeUp(1)) })),
    }
    for (const [kind, lie] of Object.entries(lies) as ['ready' | 'seal', (typeof lies)['seal']][]) {
      const table = new Table(lie, { holds: true })
      table.run(300, () => table.heard(kind, LIAR) !== undefined)
      // Kept by all; then just after a beat.
      table.run(BEAT / TICK, () => false)
      table.run(BEAT / TICK, () => table.now % BEAT === 0)
      for (let again = 0; again < 1_000; again++) table.says(table.heard(kind, LIAR)!)
      table.run(1, () => false)
      const shown = table.said.filter(({ at, by, body }) => {
        return at === table.now && by === 'a' && body.kind === (kind === 'ready' ? 'key' : 'pass')
      })
      expect([kind, shown.length]).toEqual([kind, ANSWERS_MAX])
    }
  })
  bound('OUTBOX_MAX', 'paced: what waits for one member keeps no word from another', () => {
    const { state, hears } = member({ paced: true })
    const waiting = (to: string) => state.outboxTo.get(to)!
    state.outboxTo.set(FLOODER, OUTBOX_MAX - 1)
    hears(asks(FLOODER, 1))
    expect(waiting(FLOODER)).toBe(OUTBOX_MAX)
    const { length } = state.outbox
    hears(asks(FLOODER, 1))
    expect([waiting(FLOODER), state.outbox.length]).toEqual([OUTBOX_MAX, length])
    hears(asks('a', 1))
    expect(state.outbox.length).toBe(length + 1)
  })
})

describe('rounds that are over', () => {
  /** As large as may be said. */
  const ballot = { a: new Uint8Array(384), b: new Uint8Array(384), proof: new Uint8Array(2_304) }
  const ballots = new Array(64).fill(ballot)
  const parts = new Array(64).fill({ value: new Uint8Array(384), proof: new Uint8Array(2_304) })

  const isAfter = (said: SlotsMessage, check: number) =>
    (said.kind === 'vote' || said.kind === 'opening') && said.check > check

  /** What member a keeps after many rounds; the liar says all it can about checks that will never be. */
  function kept(floods: boolean): number {
    const table = new Table(said => [said], { settings: { lease: 1_000 } })
    const own = (kind: 'vote' | 'opening') => table.heard(kind, LIAR)
    for (let time = 0; time < 5; time++) {
      table.run(100, () => false)
      const vote = own('vote')
      const opening = own('opening')
      if (!floods || vote === undefined || opening === undefined) continue
      for (const round of table.states.get('a')!.epoch.rounds.values()) {
        for (let check = round.check; check <= round.check + 2; check++) {
          if (round.phase !== 'over') continue
          table.says(table.forge(vote, { round: round.number, check, ballots }))
          table.says(table.forge(vote, { round: round.number, check, ballots: ballots.slice(0, 1) }))
          table.says(table.forge(opening, { round: round.number, check, parts }))
        }
      }
    }
    expect(table.events.filter(({ kind }) => kind === 'seat').length).toBeGreaterThan(10)
    const { rounds } = table.states.get('a')!.epoch
    const over = [...rounds.values()].filter(({ phase }) => phase === 'over')
    expect(over.length).toBeGreaterThan(3)
    expect(over.flatMap(({ said, check }) => [...said.values()].filter(one => isAfter(one, check)))).toEqual([])
    return bytesIn(rounds)
  }

  bound('BYTES_OF_MEMBER', 'take no more words about checks that never come', () => {
    expect(kept(true) - kept(false)).toBeLessThan(BYTES_OF_MEMBER)
  })
})

describe('checks of one round', () => {
  bound(
    'CHECKS_BEHIND_MAX',
    'some before the present one are kept; older ones are forgotten, and not taken again',
    () => {
      const table = new Table(said => [said], { holds: true, settings: { lease: 10_000, checkMax: 50 } })
      const roundOf = (name: string) => table.states.get(name)!.epoch.rounds.get(1)
      const kept = (name: string) =>
        [...roundOf(name)!.said.keys()]
          .flatMap(place => /^(?:vote|opening):\d+:(\d+)$/.exec(place)?.[1] ?? [])
          .map(Number)
      const runTo = (check: number) => table.run(500, () => (roundOf('a')?.check ?? 0) >= check)
      runTo(CHECKS_BEHIND_MAX)
      expect(Math.min(...kept('a'))).toBe(0)
      runTo(CHECKS_BEHIND_MAX + 1)
      expect(Math.min(...kept('a'))).toBe(1)
      const [old] = table.sent.filter(said => said.kind === 'vote' && said.author === LIAR && said.check === 0)
      table.says(old!)
      table.says(table.forge(old as Word<'vote'>, { ballots: [] }))
      table.run(2, () => false)
      expect(Math.min(...kept('a'))).toBe(1)
      expect(table.events.filter(({ kind }) => kind === 'cheat' || kind === 'silent')).toEqual([])
    },
  )
})

describe('checks ahead', () => {
  bound('CHECKS_AHEAD_MAX', 'of a round that goes on: two, and no larger than its slots', () => {
    const table = new Table(said => [said], { holds: true, settings: { lease: 10_000, checkMax: 50 } })
    table.run(500, () => (table.states.get('a')!.epoch.rounds.get(1)?.check ?? 0) >= 2)
    const round = table.states.get('a')!.epoch.rounds.get(1)!
    const vote = table.heard('vote', LIAR)!
    const [one] = vote.ballots
    const now = round.check
    const says = (check: number, count: number) => {
      table.says(table.forge(vote, { round: 1, check, ballots: new Array(count).fill(one) }))
    }
    says(now + 1, round.slots.length + 1)
    for (let ahead = 1; ahead < 20; ahead++) says(now + CHECKS_AHEAD_MAX + ahead, 1)
    says(now + CHECKS_AHEAD_MAX, 1)
    table.run(1, () => false)
    const ahead = [...round.said.values()].flatMap(said => (said.kind === 'vote' && said.check > now ? said.check : []))
    expect(ahead).toEqual([now + CHECKS_AHEAD_MAX])
    // It has not said what it said ahead of: it is missed, and when the leases are over nothing of it is left.
    table.now += 20_000
    table.run(20, () => round.phase === 'over')
    expect([round.phase, ...round.said.keys()].filter(name => name.endsWith(`:${now + CHECKS_AHEAD_MAX}`))).toEqual([])
    expect(round.phase).toBe('over')
  })
  bound('CHECKS_AHEAD_MAX', 'what was said before the header, and is no word of this round, goes when it comes', () => {
    let isSaid = false
    const table = new Table(
      (said, at) => {
        if (isSaid || said.kind !== 'key') return [said]
        isSaid = true
        const ballot = { a: new Uint8Array(384), b: new Uint8Array(384), proof: new Uint8Array(2_304) }
        const early = { ...said, kind: 'vote', round: 1, check: 0, ballots: new Array(64).fill(ballot) }
        return [said, at.forge(early as unknown as Word<'vote'>, {})]
      },
      { settings: { lease: 1_000 } },
    )
    const kept = () =>
      honest.filter(name => {
        const round = table.states.get(name)!.epoch.rounds.get(1)
        return [...(round?.said.values() ?? [])].some(said => said.kind === 'vote' && said.ballots.length === 64)
      })
    table.run(20, () => kept().length > 0)
    expect(kept().length).toBeGreaterThan(0)
    table.run(500, () => table.events.some(({ kind }) => kind === 'seat'))
    expect(kept()).toEqual([])
  })
})

describe('earlier epochs', () => {
  it('that are kept for members that are behind are so many after a restart, too', () => {
    const saved: Uint8Array[] = []
    const turn = { do: (effect: { readonly record?: Uint8Array }) => saved.push(effect.record!) }
    for (let number = 1; number <= CHAIN_MAX + 50; number++) {
      const link = { record: { ...first, number, previous: madeUp(number) }, ballot: 0, signatures: [] }
      saveAdopted({ turn } as unknown as Parameters<typeof saveAdopted>[0], link)
    }
    const machine = slotsMember({ settings, members, group, signer: signatures.signer('c'), signatures })
    const { chain, epoch: now } = machine.init('c', names, new Map([['', saved]]))
    expect([chain.length, chain[0]!.record.number, now.record.number]).toEqual([CHAIN_MAX, 51, CHAIN_MAX + 50])
  })
})

describe('evidence', () => {
  bound('EVIDENCE_BYTES_MAX', 'is kept once of each member, and no longer than the bound', () => {
    const { state, hears } = member()
    const accuse = (bytes: number) => by(FLOODER, { kind: 'accuse', evidence: new Uint8Array(bytes) })
    for (let bytes = 1; bytes < 2_000; bytes++) hears(accuse(bytes))
    expect(state.cheats.size).toBe(0)
    expect(() => by(FLOODER, { kind: 'accuse', evidence: new Uint8Array(EVIDENCE_BYTES_MAX + 1) })).toThrow()
    expect(signedBytes(accuse(EVIDENCE_BYTES_MAX)).length).toBeGreaterThan(EVIDENCE_BYTES_MAX)
    // A cheat is one, whatever else proves it.
    const table = new Table(instead('vote', said => ({ ballots: said.ballots.map(one => ({ ...one, a: one.b })) })))
    table.run(500, () => table.events.some(({ kind }) => kind === 'cheat'))
    const caught = honest.map(name => [...table.states.get(name)!.cheats])
    expect(caught.flat().every(([name, { length }]) => name === LIAR && length <= EVIDENCE_BYTES_MAX)).toBe(true)
    expect(caught.flat().length).toBeGreaterThan(0)
  })
})

describe('what a peer can fill', () => {
  it('is listed, and each has its tests', () =>
    expect([...tested].sort()).toEqual(listedUnder('What a peer can fill: slots')))
})
