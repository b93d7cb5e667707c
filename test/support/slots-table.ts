// Four members of slots without a network, one of whom says what it must not: for tests of the machine alone.

import { type Effect, type Input, NOTHING_SAVED, seededRandom } from '../../src/core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../src/crypto/index.ts'
import { type SlotsSettings, slotsDefaults } from '../../src/slots/settings.ts'
import { slotsMember } from '../../src/slots/verified/machine.ts'
import { type SlotsRules, slotsRules } from '../../src/slots/verified/rules.ts'
import { performShuffleWork } from '../../src/slots/verified/shuffle-work.ts'
import type { MemberState, SlotsCommand, SlotsEvent } from '../../src/slots/verified/state.ts'
import { type SlotsMessage, signedBytes } from '../../src/slots/verified/wire.ts'

export const names = ['a', 'b', 'c', 'd']
export const LIAR = 'b'
export const honest = names.filter(name => name !== LIAR)
export const group = insecureBareGroup()
export const TICK = 10
export const BEAT = 50
export const settings = {
  ...slotsDefaults,
  ...{ name: 'desks', slots: ['north', 'south'], liars: 1, lease: 1_000, beat: BEAT, checkMax: 200, patience: 400 },
}

export type Word<Kind extends SlotsMessage['kind']> = Extract<SlotsMessage, { kind: Kind }>
/** What is sent in place of a word of the liar: several words, or none. */
export type Lie = (said: SlotsMessage, table: Table) => readonly SlotsMessage[]

interface Seats {
  /** Who gets a seat keeps it, and does not let go at once. */
  readonly holds?: boolean
  readonly names?: readonly string[]
  readonly settings?: Partial<SlotsSettings>
  /** Those of one member that goes by others. */
  readonly rules?: Readonly<Record<string, Partial<SlotsRules>>>
}

export class Table {
  readonly events: (SlotsEvent & { who: string })[] = []
  /** Everything that anybody sent, as it was sent. */
  readonly sent: SlotsMessage[] = []
  /** The same, with the time and the member that sent it. */
  readonly said: { readonly at: number; readonly by: string; readonly body: SlotsMessage }[] = []
  readonly signatures = idealSignatures()
  private readonly machines = new Map<string, ReturnType<typeof slotsMember>>()
  readonly states = new Map<string, MemberState>()
  private readonly queue: (readonly [to: string, from: string, body: SlotsMessage])[] = []
  private readonly todo: (readonly [who: string, command: SlotsCommand])[] = []
  private readonly random = seededRandom(7)
  private readonly lie: Lie
  private readonly names: readonly string[]
  private readonly holds: boolean
  now = 0

  constructor(lie: Lie, seats: Seats = {}) {
    this.lie = lie
    const all = seats.names ?? names
    this.names = all
    this.holds = seats.holds ?? false
    const members = all.map(name => ({ name, identity: this.signatures.signer(name).publicKey }))
    for (const name of all) {
      const { signatures } = this
      const rules = { ...slotsRules, ...seats.rules?.[name] }
      const own = { ...settings, ...seats.settings }
      const machine = slotsMember({ settings: own, members, group, signer: signatures.signer(name), signatures, rules })
      this.machines.set(name, machine)
      this.states.set(name, machine.init(name, all, NOTHING_SAVED))
    }
    for (const name of all) this.step(name, { kind: 'start' })
    for (const [id, name] of all.entries()) this.command(name, { kind: 'request', id })
  }

  command(who: string, body: SlotsCommand): void {
    this.step(who, { kind: 'command', body })
  }

  /** The liar's signature under anything, or another's name with the liar's signature. */
  forge<Said extends SlotsMessage>(said: Said, change: Partial<Said>): Said {
    const words = { ...said, ...change }
    return { ...words, signature: this.signatures.signer(LIAR).sign(signedBytes(words)) }
  }

  heard<Kind extends SlotsMessage['kind']>(kind: Kind, author: string): Word<Kind> | undefined {
    return this.sent.find((said): said is Word<Kind> => said.kind === kind && said.author === author)
  }

  /** The liar says this to everybody, or to those, beside what it says anyway. */
  says(body: SlotsMessage, hearers = this.names): void {
    for (const to of hearers) if (to !== LIAR) this.queue.push([to, LIAR, body])
  }

  // A word takes a tick, so that an answer to an answer takes time as well.
  run(ticks: number, done: () => boolean): void {
    for (let i = 0; i < ticks && !done(); i++) {
      this.now += TICK
      for (const [to, from, body] of this.queue.splice(0)) this.step(to, { kind: 'message', from, body })
      if (this.now % BEAT === 0) for (const name of this.names) this.step(name, { kind: 'timer', name: 'beat' })
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
        this.said.push({ at: this.now, by: who, body })
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
    } else if (event.kind === 'seat' && !this.holds) {
      this.todo.push([who, { kind: 'release', id: event.id }])
      this.todo.push([who, { kind: 'request', id: event.id + this.names.length }])
    }
  }
}

/** Another word instead of the liar's, the same to everybody. */
export function instead<Kind extends SlotsMessage['kind']>(
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
export function before<Kind extends SlotsMessage['kind']>(
  kind: Kind,
  extra: (said: Word<Kind>, table: Table) => SlotsMessage | undefined,
): Lie {
  return (said, table) => {
    const more = said.kind === kind ? extra(said as Word<Kind>, table) : undefined
    return more === undefined ? [said] : [more, said]
  }
}
