// What one member can make another keep: the list in docs/reference/limits.md, filled to each bound and beyond. The member is
// `self` of five, of whom one may lie; `e` is the one that fills.

import { describe, expect, it } from 'vitest'
import { bytesIn, type Growing, gapsIn, listedUnder } from '../../../test/support/limits.ts'
import { Puppet, sent } from '../../../test/support/machine.ts'
import { decode, encode } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { approvalBytes, firstElectorate, successorOf } from '../count/electorate.ts'
import { electionDefaults } from '../settings.ts'
import {
  type Claim,
  type ElectionMessage,
  electionRecord,
  electionVocabulary,
  MEMBERS_MAX,
  NAMES_MAX,
  NAMES_PER_MEMBER,
  type OpenBallot,
  SEALED_BYTES_MAX,
} from '../wire.ts'
import { noteDouble, REPORTED_MAX } from './ballots.ts'
import type { ElectionCommand, ElectionEvent } from './commands.ts'
import { HELD_BYTES_MAX } from './granting.ts'
import { election } from './machine.ts'
import { type ElectionState, newAttempt, type Race } from './state.ts'

const signatures = idealSignatures()
const sealing = idealSealing()
const voter = (id: string) => ({ id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey })
const IDS = ['b', 'c', 'd', 'e', 'self']
const electorate = firstElectorate(IDS.map(voter))
const settings = { ...electionDefaults, liars: 1, promise: 1_000, countAfter: 50, attemptMax: 300, quiet: 0 }
type Member = Puppet<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

const HIDDEN_BYTES = 12_288
/** One early ballot in each of its places, and one word of each kind. */
const BYTES_OF_MEMBER = 512 * 1_024

function member(change: Partial<typeof settings> = {}): Member {
  const keys = { signer: signatures.signer('self'), signatures, sealing: sealing('self') }
  const saved = new Map([['', [encode(electionRecord, { kind: 'first', electorate })]]])
  const puppet: Member = new Puppet(election({ ...settings, ...change }, keys), [], saved)
  puppet.start()
  return puppet
}

const ballotOf = (voterId: string, hidden = HIDDEN_BYTES): OpenBallot => {
  return { voter: voterId, order: [], hidden: new Uint8Array(hidden), signature: new Uint8Array(64) }
}
function claim(name: string, id: string, term: number, ballots: readonly OpenBallot[] = []): Claim {
  const view = { rows: [{ member: id, values: [1, 0, 0] }], leftOut: [] }
  return { kind: 'claim', name, term, electorate: 1, asked: 1, view, ballots, voided: [], openings: [] }
}
/** Every kind of word that names a place, as large as it can be. */
function wordsOf(name: string, term: number): ElectionMessage[] {
  const about = { name, term }
  const view = { rows: [{ member: 'e', values: [0, 0, 0] }], leftOut: [] }
  const digest = new Uint8Array(32)
  const ballots = Array.from({ length: 8 }, () => ballotOf('e'))
  const alive = { ...about, electorate: 1, asked: 1, by: 1, under: 1 }
  return [
    { kind: 'call', ...about, electorate: 1, view },
    { kind: 'ballot', ...about, electorate: 1, view: digest, sealed: new Uint8Array(SEALED_BYTES_MAX) },
    claim(name, 'e', term, ballots),
    { kind: 'tally', ...about, electorate: 1, ballots, voided: [] },
    { kind: 'opening', ...about, digest, opening: new Uint8Array(6_144) },
    { kind: 'opened', ...about, openings: [new Uint8Array(6_144)] },
    { kind: 'grant', ...about, asked: 1, signature: new Uint8Array(64) },
    { kind: 'refusal', ...about, highest: term + 1, remaining: 9 },
    { kind: 'double', ...about, ballot: ballotOf('e') },
    { kind: 'alive', ...alive, grants: [{ granter: 'e', signature: new Uint8Array(64) }] },
    { kind: 'renewed', ...about, asked: 1, promised: true, informed: true },
    { kind: 'resigned', ...about },
  ]
}

const held = (puppet: Member) => [...puppet.state.races.values()].flatMap(({ heldClaim }) => heldClaim ?? [])

/** Each place is promised to b, and the promise is nearly over. */
function bound(names: readonly string[]): Member {
  const puppet = member()
  for (const name of names) {
    puppet.command({ kind: 'open', name })
    puppet.hear('b', claim(name, 'b', 1))
  }
  puppet.now += settings.promise - settings.holdMax / 2
  return puppet
}
/** Ballots of a claim of about that many bytes. */
const large = (bytes: number) => Array.from({ length: Math.floor(bytes / (HIDDEN_BYTES + 256)) }, () => ballotOf('e'))
const places = Array.from({ length: 12 }, (_, place) => `place-${place}`)

/** By the constant: filled to the bound, and beyond. */
const cases: Record<string, () => void> = {
  NAMES_PER_MEMBER() {
    const puppet = member()
    const words = (from: string, count: number) => {
      for (let place = 0; place < count; place++) puppet.hear(from, wordsOf(`${from}-${place}`, 1)[0]!)
    }
    words('e', NAMES_PER_MEMBER)
    expect(puppet.state.races.size).toBe(NAMES_PER_MEMBER)
    words('e', NAMES_PER_MEMBER + 1)
    expect(puppet.state.races.size).toBe(NAMES_PER_MEMBER)
    // Half of all are for all others together.
    for (const id of ['b', 'c', 'd']) words(id, NAMES_PER_MEMBER + 1)
    expect(puppet.state.races.size).toBe(NAMES_MAX / 2)
  },
  SEALED_BYTES_MAX() {
    const puppet = member()
    puppet.command({ kind: 'open', name: 'jobs' })
    const ballot = (term: number, bytes: number) => {
      const about = { name: 'jobs', term, electorate: 1, view: new Uint8Array(32) }
      return { kind: 'ballot', ...about, sealed: new Uint8Array(bytes) } as const
    }
    for (let term = 1; term < 50; term++) puppet.hear('e', ballot(term, SEALED_BYTES_MAX))
    const { earlyBallots } = puppet.state.races.get('jobs')!
    expect([...earlyBallots].map(([id, { sealed }]) => [id, sealed.length])).toEqual([['e', SEALED_BYTES_MAX]])
    const read = (bytes: number) => decode(electionVocabulary, encode(electionVocabulary, ballot(1, bytes)))
    expect(read(SEALED_BYTES_MAX).ok).toBe(true)
    expect(() => read(SEALED_BYTES_MAX + 1)).toThrow()
  },
  REPORTED_MAX() {
    const puppet = member()
    puppet.command({ kind: 'open', name: 'jobs' })
    const race = puppet.state.races.get('jobs')!
    const turn = { now: 0, below: () => 0, bytes: () => new Uint8Array(), do: () => {} }
    const scene = { state: puppet.state, settings, turn } as unknown as Parameters<typeof noteDouble>[0]
    for (let term = 1; term < 10; term++) {
      const attempt = newAttempt(term, { rows: [], leftOut: [] }, [], true)
      for (let voter = 0; voter < REPORTED_MAX; voter++) {
        const ballot = ballotOf(`${voter + (term % 2)}`)
        noteDouble(scene, race, attempt, { first: ballot, second: ballot })
        expect(race.reportedDoubles.size).toBeLessThanOrEqual(REPORTED_MAX)
      }
    }
    expect(race.reportedDoubles.size).toBeGreaterThan(REPORTED_MAX - 2)
  },
  HELD_BYTES_MAX() {
    const puppet = bound(places)
    const ballots = large(MEMBERS_MAX * HIDDEN_BYTES)
    const fits = Math.floor(HELD_BYTES_MAX / (ballots.length * (HIDDEN_BYTES + 256)))
    for (const name of places.slice(0, fits)) {
      expect(sent(puppet.hear('e', claim(name, 'e', 2, ballots)))).toEqual([])
    }
    expect(held(puppet)).toHaveLength(fits)
    const [answer] = sent<ElectionMessage>(puppet.hear('e', claim(places[fits]!, 'e', 2, ballots)) as never)
    expect(answer?.body.kind).toBe('refusal')
    expect(held(puppet)).toHaveLength(fits)
    expect(bytesIn(held(puppet))).toBeLessThan(HELD_BYTES_MAX)
    puppet.hear('c', claim(places[fits]!, 'c', 2, ballots))
    expect(held(puppet)).toHaveLength(fits + 1)
    // Said again, it takes the place of what it said before.
    puppet.hear('e', claim(places[0]!, 'e', 2, ballots))
    expect(held(puppet)).toHaveLength(fits + 1)
  },
  /** As fast as it is listened to: a burst, and then 2,048 words a second. */
  BYTES_OF_MEMBER() {
    const puppet = member()
    puppet.command({ kind: 'open', name: 'jobs' })
    const before = bytesIn(puppet.state)
    const names = ['jobs', ...Array.from({ length: 20 }, (_, place) => `place-${place}`)]
    for (let round = 1; round <= 6; round++) {
      const again = Math.ceil(settings.rateLimit!.perSecond / (names.length * wordsOf('', 1).length))
      for (let time = 0; time < again; time++) {
        for (const name of names) for (const body of wordsOf(name, round)) puppet.hear('e', body)
      }
      puppet.pass(1_000)
    }
    expect([...puppet.state.races.keys()].filter(name => name !== 'jobs')).toHaveLength(NAMES_PER_MEMBER)
    expect(bytesIn(puppet.state) - before).toBeGreaterThan(SEALED_BYTES_MAX)
    expect(bytesIn(puppet.state) - before).toBeLessThan(BYTES_OF_MEMBER)
  },
}

describe('what a peer can fill', () => {
  it('is listed, and each has its case', () =>
    expect(Object.keys(cases).sort()).toEqual(listedUnder('What a peer can fill: elections')))
  it.each(Object.keys(cases))('%s', name => cases[name]!())
})

describe('what one member can make another keep', () => {
  it('has at most one entry of it in each map of a place, and what is of a list is bounded by the list', () => {
    const puppet = member()
    puppet.command({ kind: 'open', name: 'jobs' })
    for (let term = 1; term <= 50; term++) for (const body of wordsOf('jobs', term)) puppet.hear('e', body)
    const race = puppet.state.races.get('jobs')!
    const maps = Object.entries(race).filter((entry): entry is [keyof Race, Map<string, unknown>] => {
      return entry[1] instanceof Map
    })
    // The list of all of them: a new one must be looked at here.
    expect(maps.map(([name]) => name).sort()).toEqual(
      ['rowsSince', 'saidTerms', 'followedAt', 'callers', 'earlyBallots', 'claimedViews', 'reportedDoubles'].sort(),
    )
    for (const [name, map] of maps) {
      expect(
        [...map.keys()].filter(id => !IDS.includes(id)),
        name,
      ).toEqual([])
      expect([...map.keys()].filter(id => id === 'e').length, name).toBeLessThanOrEqual(1)
    }
    // What it left behind when it left the list is forgotten by the next of its kind.
    expect(race.claimedViews.size).toBeLessThanOrEqual(MEMBERS_MAX)
  })
  it('is nothing at all for a stranger but lists, and strangers share one allowance', () => {
    const puppet = member()
    const before = bytesIn(puppet.state.races)
    for (let place = 0; place < 200; place++) {
      for (const body of wordsOf('jobs', 1)) puppet.hear(`stranger-${place}`, body)
    }
    expect(bytesIn(puppet.state.races)).toBe(before)
    expect(puppet.state.peers.size).toBe(1)
  })
})

describe('claims that wait for a promise to end', () => {
  it('are gone when it is over', () => {
    const puppet = bound(places)
    for (const name of places) puppet.hear('e', claim(name, 'e', 2))
    expect(held(puppet)).toHaveLength(places.length)
    puppet.pass(settings.holdMax)
    expect(held(puppet)).toEqual([])
  })
})

describe('signatures under a successor', () => {
  it('are one of each listed member, however often it signs', () => {
    const puppet = member({ liars: 0 })
    puppet.command({ kind: 'view', name: 'jobs', rows: [{ member: 'self', values: [1, 0, 0] }] })
    puppet.command({ kind: 'open', name: 'jobs' })
    const next = successorOf(electorate, { add: voter('f') })
    puppet.state.signedSuccessor = next
    puppet.state.proposal = { id: 1, electorate: next, approvals: new Map() }
    for (let term = 0; term < 40; term++) {
      const signature = signatures.signer('e').sign(approvalBytes(next, term))
      puppet.hear('e', { kind: 'approve', number: 2, approval: { signer: 'e', term, signature } })
    }
    expect(puppet.state.proposal?.approvals.size).toBe(1)
  })
})

// A new field that can grow belongs into this list, with its bound.
describe('the list is whole: nothing that grows is without a bound', () => {
  const GROWING: Growing = {
    'ElectionState.chain': 'CHAIN_MAX',
    'ElectionState.races': 'NAMES_PER_MEMBER',
    'ElectionState.peers': 'one for each listed member, and one for all others',
    'ElectionState.failed': 'what membership tells',
    'ElectionState.keyless': 'one for each listed member',
    'ElectionState.vouchedFailures': 'one for each listed member',
    'ElectionState.allowedChanges': 'ALLOWED_MAX',
    'Proposal.approvals': 'one for each listed member',
    'Peer.reportedAt': 'one for each way to lie',
    'Race.rows': 'what membership tells',
    'Race.rowsSince': 'what membership tells',
    'Race.saidTerms': 'one for each listed member',
    'Race.followedAt': 'one for each listed member',
    'Race.callers': 'one for each listed member',
    'Race.silentCandidates': 'one for each listed member',
    'Race.neverLed': 'as many as there may be liars',
    'Race.earlyBallots': 'one for each listed member',
    'Race.claimedViews': 'one for each listed member',
    'Race.reportedDoubles': 'REPORTED_MAX',
    'Race.news': 'empty between inputs',
    'Attempt.candidates': 'CANDIDATES_MAX',
    'Attempt.ballots': 'one for each listed member',
    'Attempt.voided': 'one for each listed member',
    'Attempt.claimed': 'CANDIDATES_MAX',
    'Tally.ballots': 'one for each listed member',
    'Tally.voided': 'one for each listed member',
    'Tally.openings': 'CANDIDATES_MAX',
    'Candidacy.sent': 'SENT_MAX',
    'Candidacy.believedUntil': 'one for each listed member',
    'Candidacy.grants': 'one for each listed member',
    'Candidacy.informed': 'one for each listed member',
    'Candidacy.refusedUntil': 'one for each listed member',
  }

  it('of the state', () => expect(gapsIn(['election/member/state.ts'], GROWING)).toEqual([]))
})
