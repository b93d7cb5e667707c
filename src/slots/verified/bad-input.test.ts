// Bad input to the machine alone: four members without a network, one of them says what it must not. Each word is
// refused, named where it leaves evidence, and survived: the others are served afterwards.

import { describe, expect, it } from 'vitest'
import { type Effect, type Input, NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { verifyEvidence } from './evidence.ts'
import { slotsMember } from './machine.ts'
import { performShuffleWork } from './shuffle-work.ts'
import type { MemberState, SlotsCommand, SlotsEvent } from './state.ts'
import { type SlotsMessage, signedBytes } from './wire.ts'

const names = ['a', 'b', 'c', 'd']
const LIAR = 'b'
const honest = names.filter(name => name !== LIAR)
const group = insecureBareGroup()
const TICK = 10
const BEAT = 50
const settings = {
  ...slotsDefaults,
  ...{ name: 'desks', slots: ['north', 'south'], liars: 1, lease: 1_000, beat: BEAT, checkMax: 200, patience: 400 },
}
const OUTSIDE = new Uint8Array([7, 7, 7])

type Word<Kind extends SlotsMessage['kind']> = Extract<SlotsMessage, { kind: Kind }>
/** What is sent in place of a word of the liar: several words, or none. */
type Lie = (said: SlotsMessage, table: Table) => readonly SlotsMessage[]

class Table {
  readonly events: (SlotsEvent & { who: string })[] = []
  /** Everything that anybody sent, as it was sent. */
  readonly sent: SlotsMessage[] = []
  readonly signatures = idealSignatures()
  private readonly machines = new Map<string, ReturnType<typeof slotsMember>>()
  private readonly states = new Map<string, MemberState>()
  private readonly queue: (readonly [to: string, from: string, body: SlotsMessage])[] = []
  private readonly todo: (readonly [who: string, command: SlotsCommand])[] = []
  private readonly random = seededRandom(7)
  private readonly lie: Lie
  private now = 0

  constructor(lie: Lie) {
    this.lie = lie
    const members = names.map(name => ({ name, identity: this.signatures.signer(name).publicKey }))
    for (const name of names) {
      const { signatures } = this
      const machine = slotsMember({ settings, members, group, signer: signatures.signer(name), signatures })
      this.machines.set(name, machine)
      this.states.set(name, machine.init(name, names, NOTHING_SAVED))
    }
    for (const name of names) this.step(name, { kind: 'start' })
    for (const [id, name] of names.entries()) this.step(name, { kind: 'command', body: { kind: 'request', id } })
  }

  /** The liar's signature under anything, or another's name with the liar's signature. */
  forge<Said extends SlotsMessage>(said: Said, change: Partial<Said>): Said {
    const words = { ...said, ...change }
    return { ...words, signature: this.signatures.signer(LIAR).sign(signedBytes(words)) }
  }

  heard<Kind extends SlotsMessage['kind']>(kind: Kind, author: string): Word<Kind> | undefined {
    return this.sent.find((said): said is Word<Kind> => said.kind === kind && said.author === author)
  }

  // A word takes a tick, so that an answer to an answer takes time as well.
  run(ticks: number, done: () => boolean): void {
    for (let i = 0; i < ticks && !done(); i++) {
      this.now += TICK
      for (const [to, from, body] of this.queue.splice(0)) this.step(to, { kind: 'message', from, body })
      if (this.now % BEAT === 0) for (const name of names) this.step(name, { kind: 'timer', name: 'beat' })
    }
  }

  private step(who: string, input: Input<SlotsMessage, SlotsCommand>): void {
    this.machines.get(who)!.step(this.states.get(who)!, input, {
      now: this.now,
      below: bound => this.random.below(bound),
      bytes: length => this.random.bytes(length),
      do: effect => this.carryOut(who, effect),
    })
    for (let next = this.todo.shift(); next !== undefined; next = this.todo.shift()) {
      this.step(next[0], { kind: 'command', body: next[1] })
    }
  }

  private carryOut(who: string, effect: Effect<SlotsMessage, SlotsEvent>): void {
    if (effect.kind === 'send') {
      const own = effect.body.author === who && who === LIAR
      const said = own ? this.lie(effect.body, this) : [effect.body]
      for (const body of said) {
        this.sent.push(body)
        this.queue.push([effect.to, who, body])
      }
    } else if (effect.kind === 'emit') this.observe(who, effect.event)
  }

  // Whoever gets a seat lets go at once and asks again.
  private observe(who: string, event: SlotsEvent): void {
    this.events.push({ ...event, who })
    if (event.kind === 'work') {
      const answer = performShuffleWork(group, event.request, length => this.random.bytes(length))
      this.todo.push([who, { kind: 'worked', id: event.id, answer }])
    } else if (event.kind === 'seat') {
      this.todo.push([who, { kind: 'release', id: event.id }])
      this.todo.push([who, { kind: 'request', id: event.id + names.length }])
    }
  }
}

/** Another word instead of the liar's, the same to everybody. */
function instead<Kind extends SlotsMessage['kind']>(
  kind: Kind,
  change: (said: Word<Kind>, table: Table) => Partial<Word<Kind>>,
): Lie {
  const forged = new Map<string, SlotsMessage>()
  return (said, table) => {
    if (said.kind !== kind) return [said]
    const place = JSON.stringify([said.epoch, said.round, (said as { owner?: number }).owner])
    const words = forged.get(place) ?? table.forge(said as Word<Kind>, change(said as Word<Kind>, table))
    forged.set(place, words)
    return [words]
  }
}

/** A word that nobody needs, before each of the liar's own of that kind. */
function before<Kind extends SlotsMessage['kind']>(
  kind: Kind,
  extra: (said: Word<Kind>, table: Table) => SlotsMessage | undefined,
): Lie {
  return (said, table) => {
    const more = said.kind === kind ? extra(said as Word<Kind>, table) : undefined
    return more === undefined ? [said] : [more, said]
  }
}

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
