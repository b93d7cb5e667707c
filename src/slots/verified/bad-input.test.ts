// Bad input to the machine alone: four members without a network, one of them says what it must not. Each word is
// refused, named where it leaves evidence, and survived: the others are served afterwards.

import { describe, expect, it } from 'vitest'
import { before, group, honest, instead, LIAR, type Lie, Table, type Word } from '../../../test/support/slots-table.ts'
import { verifyEvidence } from './evidence.ts'
import type { SlotsMessage } from './wire.ts'

const OUTSIDE = new Uint8Array([7, 7, 7])

const TICKS_MAX = 600
/** So many seats take several rounds with their checks. */
const SEATS = 6

/** Until all honest members were served, and after a cheat until they are served without it. */
function outcome(lie: Lie, epoch: number) {
  const table = new Table(lie)
  const told = () => table.events.filter(event => event.who !== LIAR)
  const seats = () => {
    const since = table.events.findIndex(event => event.kind === 'epoch' && event.number === epoch && event.live)
    return since < 0 ? [] : table.events.slice(since).filter(event => event.kind === 'seat' && event.who !== LIAR)
  }
  const served = () => new Set(seats().map(({ who }) => who)).size
  table.run(TICKS_MAX, () => served() === honest.length && seats().length >= SEATS)
  return { table, cheats: told().filter(event => event.kind === 'cheat'), served: served() }
}

const LIST = 'passed on another list than it was given'
const KEY = 'posted a key without possessing it'
const ROUND = 'opened a round that cannot be'
const BALLOT = 'cast a ballot that it does not know'
const otherEpoch = new Uint8Array(32).fill(1)

const named: readonly (readonly [what: string, lie: Lie, verdict: string])[] = [
  ['a key that is not in the group', instead('key', () => ({ publicKey: OUTSIDE })), KEY],
  ['the identity as a key', instead('key', () => ({ publicKey: group.identity })), KEY],
  ["another's proof of possession", instead('key', (_said, table) => ({ proof: table.heard('key', 'a')!.proof })), KEY],
  ['a header with a slot twice', instead('header', () => ({ slots: [0, 0] })), ROUND],
  ['a header without slots', instead('header', () => ({ slots: [] })), ROUND],
  ['a header with a slot that is not there', instead('header', () => ({ slots: [0, 9] })), ROUND],
  ['a ticket that is not in the group', instead('pass', said => ({ list: changed(said, { c1: OUTSIDE }) })), LIST],
  ['the identity in a ticket', instead('pass', said => ({ list: changed(said, { c2: group.identity }) })), LIST],
  ['a ticket twice', instead('pass', said => ({ list: changed(said, said.list[1]!) })), LIST],
  ['a ticket that is missing', instead('pass', said => ({ list: said.list.slice(1) })), LIST],
  ['a ticket too many', instead('pass', said => ({ list: [...said.list, said.list[0]!] })), LIST],
  ['no tickets', instead('pass', () => ({ list: [] })), LIST],
  ['two tickets that changed places', instead('pass', said => ({ list: said.list.toReversed() })), LIST],
  ['a proof of shuffle that is no proof', instead('pass', () => ({ proof: OUTSIDE })), LIST],
  ['a ticket taken by the leader of a lottery', instead('pass', () => ({ taken: 0 })), LIST],
  ['a share that is not in the group', instead('share', () => ({ value: OUTSIDE })), 'gave a false share'],
  ['the identity as a share', instead('share', () => ({ value: group.identity })), 'gave a false share'],
  ['a share with a proof for another', instead('share', (_said, table) => foreignShare(table)), 'gave a false share'],
  ['a ballot that is not in the group', instead('vote', said => ({ ballots: ballots(said, { b: OUTSIDE }) })), BALLOT],
  ['the identity in a ballot', instead('vote', said => ({ ballots: ballots(said, { a: group.identity }) })), BALLOT],
  ["another's ballot", instead('vote', (said, table) => ({ ballots: othersBallots(said, table) })), BALLOT],
  ['a false opening', instead('opening', said => ({ parts: parts(said, group.generator) })), 'opened a check falsely'],
  ['an opening outside', instead('opening', said => ({ parts: parts(said, OUTSIDE) })), 'opened a check falsely'],
  ['a part too few', instead('opening', () => ({ parts: [] })), 'opened a check falsely'],
  ['two keys', before('key', (said, table) => table.forge(said, { proof: OUTSIDE })), KEY],
  [
    'two seals',
    before('seal', (said, table) => table.forge(said, { passes: said.passes.slice(1) })),
    'signed two versions of one seal',
  ],
]

function changed(said: Word<'pass'>, change: Partial<Word<'pass'>['list'][number]>): Word<'pass'>['list'] {
  return said.list.map((ticket, place) => (place === 0 ? { ...ticket, ...change } : ticket))
}
function foreignShare(table: Table): Partial<Word<'share'>> {
  const { value, proof } = table.heard('share', 'a') ?? { value: OUTSIDE, proof: OUTSIDE }
  return { value, proof }
}
function ballots(said: Word<'vote'>, change: Partial<Word<'vote'>['ballots'][number]>): Word<'vote'>['ballots'] {
  return said.ballots.map(ballot => ({ ...ballot, ...change }))
}
function othersBallots(said: Word<'vote'>, table: Table): Word<'vote'>['ballots'] {
  return table.heard('vote', 'a')?.ballots ?? ballots(said, { proof: OUTSIDE })
}
function parts(said: Word<'opening'>, value: Uint8Array): Word<'opening'>['parts'] {
  return said.parts.map(part => ({ ...part, value }))
}

describe('what leaves evidence is named, and the others go on without the cheat', () => {
  it.each(named)('%s', (_what, lie, verdict) => {
    const { table, cheats, served } = outcome(lie, 1)
    expect(new Set(cheats.map(({ member }) => member))).toEqual(new Set([LIAR]))
    expect(new Set(cheats.map(({ who }) => who))).toEqual(new Set(honest))
    for (const { what, evidence } of cheats) {
      expect(what).toBe(verdict)
      expect(verifyEvidence(evidence, { group, signatures: table.signatures })).toMatchObject({ ok: true, cheat: LIAR })
    }
    const epochs = table.events.filter(event => event.kind === 'epoch')
    expect(epochs.at(-1)).toMatchObject({ number: 1, members: honest, live: true })
    expect(served).toBe(honest.length)
  })
})

const ignored: readonly (readonly [what: string, lie: Lie])[] = [
  ['a word that is not signed', before('pass', said => ({ ...said, signature: OUTSIDE }))],
  ["a word in another's name", before('seal', (said, table) => table.forge(said, { author: 'a', passes: [] }))],
  ["a word in a stranger's name", before('seal', (said, table) => table.forge(said, { author: 'z' }))],
  ['a pass of another epoch', before('pass', (said, table) => table.forge(said, { epoch: otherEpoch }))],
  ['a pass of a round that is far', before('pass', (said, table) => table.forge(said, { round: said.round + 40 }))],
  ['a pass of round 0', before('pass', (said, table) => table.forge(said, { round: 0 }))],
  ["a pass in another's place", before('pass', (said, table) => table.forge(said, { place: (said.place + 1) % 4 }))],
  ['a pass beyond the ring', before('pass', (said, table) => table.forge(said, { place: 60 }))],
  ['a header out of turn', before('header', (said, table) => table.forge(said, { round: said.round + 1 }))],
  ['a share for itself', before('share', (said, table) => table.forge(said, { owner: 1 }))],
  ['a share for nobody', before('share', (said, table) => table.forge(said, { owner: 60 }))],
  ['a vote in a check far ahead', before('vote', (said, table) => table.forge(said, { check: said.check + 50 }))],
  ['an opening far ahead', before('opening', (said, table) => table.forge(said, { check: said.check + 50 }))],
  ['evidence that shows nothing', before('seal', (said, table) => accusation(said, table, OUTSIDE))],
  ['a key of a round', before('key', (said, table) => table.forge(said, { round: 1 }))],
  ['every word twice', said => [said, said]],
  ['a first word again and again', (said, table) => [table.heard(said.kind, LIAR) ?? said, said]],
  ["others' words, replayed", (said, table) => [...table.sent.slice(0, 3), said]],
]

function accusation(said: Word<'seal'>, table: Table, evidence: Uint8Array): SlotsMessage {
  const { author, epoch, signature } = said
  return table.forge({ kind: 'accuse', author, epoch, signature, round: 0, evidence }, {})
}

describe('what leaves none is refused, and nobody is named', () => {
  it.each(ignored)('%s', (_what, lie) => {
    const { table, cheats, served } = outcome(lie, 0)
    expect(cheats).toEqual([])
    expect(table.events.filter(event => event.kind === 'silent')).toEqual([])
    expect(served).toBe(honest.length)
  })
})
