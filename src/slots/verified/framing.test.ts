// Evidence against an honest member (protocols/slots 9): everything it said is genuine, and what the accuser adds is made up.
// The accuser may sign what it likes as itself, and show statements of others that they never made. Member b is the accuser,
// c the victim; the judge has the arithmetic and the bytes alone.

import { beforeAll, describe, expect, it } from 'vitest'
import { group, LIAR, names, Table, type Word } from '../../../test/support/slots-table.ts'
import { encode, seededRandom } from '../../core/index.ts'
import { keyPair, possessionProofCodec, provePossession } from '../../crypto/index.ts'
import { type Evidence, encodeEvidence, verifyEvidence } from './evidence.ts'
import { keyContext } from './proofs.ts'
import type { EpochRecord } from './record.ts'
import { type Key, type Pass, type SlotsMessage, statementHash, type Vote } from './wire.ts'

const VICTIM = 'c'
const random = seededRandom(11)
const bytes = (length: number) => random.bytes(length)

interface Seen {
  readonly table: Table
  readonly record: EpochRecord
  readonly keys: readonly Key[]
  readonly passes: readonly Pass[]
  readonly votes: readonly Vote[]
  /** What the victim said, all of it true. */
  of<Kind extends SlotsMessage['kind']>(kind: Kind): Word<Kind>
}

let seen: Seen

// A round in which everybody is honest. Member b leads round 1, so its pass is the one before the victim's.
beforeAll(() => {
  const table = new Table(said => [said])
  table.run(60, () => names.every(name => table.heard('opening', name) !== undefined))
  const all = <Kind extends SlotsMessage['kind']>(kind: Kind, order: readonly string[]) =>
    order.map(name => table.heard(kind, name)!)
  const { record } = table.states.get('a')!.epoch
  const [keys, passes, votes] = [all('key', names), all('pass', ['b', 'c', 'd', 'a']), all('vote', names)]
  seen = { table, record, keys, passes, votes, of: kind => table.heard(kind, VICTIM)! }
  expect(passes.map(({ round, place }) => [round, place])).toEqual([0, 1, 2, 3].map(place => [1, place]))
})

/** Another key of the accuser, with a proof that it possesses it. */
function otherKey(key: Key): Key {
  const pair = keyPair(group, bytes)
  const proof = provePossession(group, pair, keyContext(key.epoch, key.author), bytes)
  return seen.table.forge(key, { publicKey: pair.publicKey, proof: encode(possessionProofCodec(group), proof) })
}

/** A list of tickets that nobody shuffled. */
function otherList(pass: Pass): Pass {
  const list = pass.list.map(({ c1, c2 }) => ({ c1, c2: group.add(c2, group.generator) }))
  return seen.table.forge(pass, { list })
}

/** Keys of the epoch with the accuser's own changed, and the victim's signature under the true ones. */
function withKeys(keys: readonly SlotsMessage[] = seen.keys, ready: SlotsMessage = seen.of('ready')) {
  return { record: seen.record, keys, ready }
}

function judged(evidence: Evidence) {
  const { signatures } = seen.table
  return verifyEvidence(encodeEvidence(evidence), { group, signatures })
}

function madeUpKeys(): readonly Key[] {
  return seen.keys.map(key => (key.author === LIAR ? otherKey(key) : key))
}

const lapOf = (passes: readonly Pass[]) => passes.map(statementHash)

const frames: readonly (readonly [what: string, refusal: RegExp, evidence: () => Evidence])[] = [
  [
    'a pass, with keys that it never agreed to (S19)',
    /not the keys that the accused agreed to/,
    () => ({ kind: 'pass', statement: seen.passes[1]!, before: seen.passes[0], ...withKeys(madeUpKeys()) }),
  ],
  [
    'a ballot, with keys that it never agreed to (S19)',
    /not the keys that the accused agreed to/,
    () => ({ kind: 'ballot', statement: seen.of('vote'), subject: 0, ...withKeys(madeUpKeys()) }),
  ],
  [
    "a share, with another key in the victim's own name (S19)",
    /not the keys that the accused agreed to/,
    () => {
      const { passes } = seen
      const keys = seen.keys.map(key => (key.author === VICTIM ? { ...otherKey(key), author: VICTIM } : key))
      const lap = { first: passes[0]!, last: passes[3]!, passes: lapOf(passes) }
      return { kind: 'share', statement: seen.of('share'), ...lap, ...withKeys(keys) }
    },
  ],
  [
    'a ballot, with the agreement of another member to other keys',
    /not the agreement of the accused/,
    () => {
      const keys = madeUpKeys()
      const ready = seen.table.forge(seen.table.heard('ready', LIAR)!, { keys: new Uint8Array(32) })
      return { kind: 'ballot', statement: seen.of('vote'), subject: 0, ...withKeys(keys, ready) }
    },
  ],
  [
    "a ballot, with an agreement in the victim's name that it did not sign",
    /not signed by c/,
    () => {
      const ready = seen.table.forge(seen.of('ready'), { keys: new Uint8Array(32) })
      return { kind: 'ballot', statement: seen.of('vote'), subject: 0, ...withKeys(madeUpKeys(), ready) }
    },
  ],
  [
    'a pass, with another one before it (S20)',
    /not the pass before/,
    () => ({ kind: 'pass', statement: seen.passes[1]!, before: otherList(seen.passes[0]!), ...withKeys() }),
  ],
  [
    'a pass, with none before it',
    /not the pass before/,
    () => ({ kind: 'pass', statement: seen.passes[1]!, before: undefined, ...withKeys() }),
  ],
  [
    'a share, of another lap (S21)',
    /not the lap of the share/,
    () => {
      const passes = [...seen.passes.slice(0, 3), otherList(seen.passes[3]!)]
      const lap = { first: passes[0]!, last: passes[3]!, passes: lapOf(passes) }
      return { kind: 'share', statement: seen.of('share'), ...lap, ...withKeys() }
    },
  ],
  [
    'a share, of its lap, and another last pass beside it (S21)',
    /not its passes/,
    () => {
      const lap = { first: seen.passes[0]!, last: otherList(seen.passes[3]!), passes: lapOf(seen.passes) }
      return { kind: 'share', statement: seen.of('share'), ...lap, ...withKeys() }
    },
  ],
  [
    'a share, of its lap, and another first pass beside it (S21)',
    /not its passes/,
    () => {
      const lap = { first: otherList(seen.passes[0]!), last: seen.passes[3]!, passes: lapOf(seen.passes) }
      return { kind: 'share', statement: seen.of('share'), ...lap, ...withKeys() }
    },
  ],
  [
    'an opening, of other votes',
    /not the votes that were opened/,
    () => {
      const [other] = seen.votes.filter(({ author }) => author === LIAR)
      const ballots = other!.ballots.map(ballot => ({ ...ballot, a: group.add(ballot.a, group.generator) }))
      const votes = seen.votes.map(vote => (vote === other ? seen.table.forge(vote, { ballots }) : vote))
      return { kind: 'opening', statement: seen.of('opening'), votes, ...withKeys() }
    },
  ],
  [
    'a key, of another epoch',
    /a statement of another epoch/,
    () => ({ kind: 'key', record: { ...seen.record, number: 1 }, statement: seen.of('key') }),
  ],
  [
    'two versions of one vote, of which it signed one',
    /not signed by c/,
    () => {
      const statement = seen.of('vote')
      return { kind: 'versions', record: seen.record, statement, other: seen.table.forge(statement, { ballots: [] }) }
    },
  ],
]

const proven: readonly (readonly [what: string, refusal: RegExp, evidence: () => Evidence])[] = [
  [
    'a pass',
    /the pass is proven/,
    () => ({ kind: 'pass', statement: seen.passes[1]!, before: seen.passes[0], ...withKeys() }),
  ],
  [
    'a ballot',
    /the ballot is proven/,
    () => ({ kind: 'ballot', statement: seen.of('vote'), subject: 0, ...withKeys() }),
  ],
  [
    'a share',
    /the share is proven/,
    () => {
      const lap = { first: seen.passes[0]!, last: seen.passes[3]!, passes: lapOf(seen.passes) }
      return { kind: 'share', statement: seen.of('share'), ...lap, ...withKeys() }
    },
  ],
  [
    'an opening',
    /the opening is proven/,
    () => ({ kind: 'opening', statement: seen.of('opening'), votes: seen.votes, ...withKeys() }),
  ],
  ['a key', /the key is proven/, () => ({ kind: 'key', record: seen.record, statement: seen.of('key') })],
]

describe('an honest member is not framed', () => {
  it.each(frames)('by %s', (_what, refusal, evidence) => {
    expect(judged(evidence())).toMatchObject({ ok: false, refusal: expect.stringMatching(refusal) })
  })
  it.each(proven)('nor by %s as it was, with everything that belongs to it', (_what, refusal, evidence) => {
    expect(judged(evidence())).toMatchObject({ ok: false, refusal: expect.stringMatching(refusal) })
  })
  it('and the members who are shown it name nobody', () => {
    const { table } = seen
    const { author, epoch, signature } = table.heard('seal', LIAR)!
    for (const [, , evidence] of frames) {
      const words = {
        kind: 'accuse',
        author,
        epoch,
        signature,
        round: 0,
        evidence: encodeEvidence(evidence()),
      } as const
      table.says(table.forge(words, {}))
    }
    table.run(5, () => false)
    expect(table.events.filter(({ kind }) => kind === 'cheat' || kind === 'silent')).toEqual([])
    expect([...table.states.values()].flatMap(({ cheats }) => [...cheats.keys()])).toEqual([])
  })
})
