// A member that flips bits (protocols/slots 9). Where its signature is under what is wrong, it is named with evidence, or, where
// what it signed may be the answer to another's lie, it is missed; where its signature no longer fits, nobody can show whose
// word it was, and it is missed as if it had said nothing. In no case is an honest member named, or missed.

import { describe, expect, it } from 'vitest'
import { group, honest, instead, LIAR, type Lie, Table, type Word } from '../../../test/support/slots-table.ts'
import { seededRandom } from '../../core/index.ts'
import { verifyEvidence } from './evidence.ts'
import type { SlotsMessage } from './wire.ts'

const random = seededRandom(23)

function flip(bytes: Uint8Array): Uint8Array {
  const flipped = bytes.slice()
  const place = random.below(flipped.length)
  flipped[place] = flipped[place]! ^ (1 << random.below(8))
  return flipped
}

const first = <One>(list: readonly One[], change: (one: One) => One) => [change(list[0]!), ...list.slice(1)]

/** Everybody else is in the next epoch, and was served there. */
function without(lie: Lie) {
  const table = new Table(lie)
  const isNext = () => honest.every(name => table.states.get(name)!.epoch.record.number > 0)
  table.run(600, () => isNext() && honest.every(name => servedBy(table).has(name)))
  const told = table.events.filter(event => event.who !== LIAR)
  const named = told.flatMap(event => (event.kind === 'cheat' ? [event] : []))
  const missed = told.flatMap(event => (event.kind === 'silent' ? event.members : []))
  // Seen by each who was brought a word that nobody signed, and shown to nobody.
  const forged = told.flatMap(event => (event.kind === 'forged' ? event.member : []))
  return { table, named, missed: new Set([...missed, ...forged]), served: servedBy(table) }
}

function servedBy(table: Table): Set<string> {
  const since = table.events.findIndex(event => event.kind === 'epoch' && event.number > 0 && event.live)
  const later = since < 0 ? [] : table.events.slice(since)
  return new Set(later.flatMap(event => (event.kind === 'seat' && event.who !== LIAR ? event.who : [])))
}

type Flip<Kind extends SlotsMessage['kind']> = (said: Word<Kind>) => Partial<Word<Kind>>
const flipping = <Kind extends SlotsMessage['kind']>(kind: Kind, change: Flip<Kind>) => instead(kind, change)

const proofs: readonly (readonly [what: string, lie: () => Lie])[] = [
  ['its key', () => flipping('key', said => ({ publicKey: flip(said.publicKey) }))],
  ['the proof that it has its key', () => flipping('key', said => ({ proof: flip(said.proof) }))],
  ['a ticket', () => flipping('pass', said => ({ list: first(said.list, one => ({ ...one, c1: flip(one.c1) })) }))],
  [
    'half a ticket',
    () => flipping('pass', said => ({ list: first(said.list, one => ({ ...one, c2: flip(one.c2) })) })),
  ],
  ['the proof of its shuffle', () => flipping('pass', said => ({ proof: flip(said.proof) }))],
  ['a share', () => flipping('share', said => ({ value: flip(said.value) }))],
  ['the proof of a share', () => flipping('share', said => ({ proof: flip(said.proof) }))],
  ['a ballot', () => flipping('vote', said => ({ ballots: first(said.ballots, one => ({ ...one, b: flip(one.b) })) }))],
  [
    'the proof of a ballot',
    () => flipping('vote', said => ({ ballots: first(said.ballots, one => ({ ...one, proof: flip(one.proof) })) })),
  ],
  [
    'an opening',
    () => flipping('opening', said => ({ parts: first(said.parts, one => ({ ...one, value: flip(one.value) })) })),
  ],
  [
    'the proof of an opening',
    () => flipping('opening', said => ({ parts: first(said.parts, one => ({ ...one, proof: flip(one.proof) })) })),
  ],
  // Anew for each hearer: two versions of one word.
  [
    'what it sealed, for each another way',
    () => (said, table) => [said.kind === 'seal' ? table.forge(said, { passes: first(said.passes, flip) }) : said],
  ],
]

describe('a bit of what it signs: named, and nobody else', () => {
  it.each(proofs)('%s', (_what, lie) => {
    const { table, named, missed, served } = without(lie())
    expect(new Set(named.map(({ member }) => member))).toEqual(new Set([LIAR]))
    expect(new Set(named.map(({ who }) => who))).toEqual(new Set(honest))
    for (const { evidence } of named) {
      expect(verifyEvidence(evidence, { group, signatures: table.signatures })).toMatchObject({ ok: true, cheat: LIAR })
    }
    expect([...missed].filter(name => name !== LIAR)).toEqual([])
    expect(served).toEqual(new Set(honest))
  })
})

const hashes: readonly (readonly [what: string, lie: () => Lie])[] = [
  ['the keys that it agrees to', () => flipping('ready', said => ({ keys: flip(said.keys) }))],
  ['the pass before its own', () => flipping('pass', said => ({ previous: flip(said.previous) }))],
  ['the passes that it seals', () => flipping('seal', said => ({ passes: first(said.passes, flip) }))],
  ['the lap of its share', () => flipping('share', said => ({ lap: flip(said.lap) }))],
  ['the votes that it opens', () => flipping('opening', said => ({ votes: flip(said.votes) }))],
  ['its signatures', () => said => [{ ...said, signature: flip(said.signature) }]],
  [
    'its signatures, and those under what it passes on',
    () => (said, table) => [
      { ...said, signature: flip(said.signature) },
      ...table.sent.slice(-1).map(one => ({ ...one, signature: flip(one.signature) })),
    ],
  ],
]

describe('a bit of what may be an answer to a lie, or is not signed any more: missed or seen to forge, and nobody else', () => {
  it.each(hashes)('%s', (_what, lie) => {
    const { named, missed, served } = without(lie())
    expect(named).toEqual([])
    expect(missed).toEqual(new Set([LIAR]))
    expect(served).toEqual(new Set(honest))
  })
})
