// The secrecy checker: a coalition with the whole transcript, the keys of its members and every number its liars know
// tries to open each ticket of the others. What it can derive is the closure of a few steps: subtract a share that it can
// compute or has seen, subtract anything that the owner multiplied with its key, one or the sum or difference of two,
// shift that by known numbers, find two tickets hidden with one number, decrypt with a known number, and follow tickets
// through passes that do not hide them. README.md has the whole list.

import { type NodeId, sameBytes } from '../../../core/index.ts'
import type { Ciphertext, Element, Group, Scalar } from '../../../crypto/index.ts'
import type { Checker, Micros, Violation } from '../../../simulator/index.ts'
import { dealtTicket, passedOn, passerAt, startList, ticketElement } from '../../verified/proofs.ts'
import type { EpochRecord } from '../../verified/record.ts'
import type { Pass, SlotsMessage } from '../../verified/wire.ts'

interface SeenRound {
  readonly record: EpochRecord
  readonly passes: Map<number, Pass>
  /** share values by author and owner */
  readonly shares: Map<string, Element>
  /** Whatever each member multiplied with its key, in this round. */
  readonly spoken: Map<NodeId, Element[]>
}

interface SeenEpoch {
  readonly record: EpochRecord
  readonly keys: Map<NodeId, Element>
  /** The keys of the coalition's members. */
  readonly secrets: Map<NodeId, Scalar>
  readonly rounds: Map<number, SeenRound>
}

/** Values of one member and round that are tried in pairs: the latest. */
const PAIRED_MAX = 12

/** Watches what a coalition could learn of others' tickets. */
export class SecrecyChecker implements Checker {
  readonly name = 'secrecy'
  /** Tickets that were tried. */
  tried = 0
  private readonly group: Group
  private readonly coalition: ReadonlySet<NodeId>
  private readonly known: readonly Scalar[]
  private readonly epochs = new Map<string, SeenEpoch>()
  private readonly broken: Violation[] = []

  constructor(group: Group, coalition: ReadonlySet<NodeId>, known: readonly Scalar[]) {
    this.group = group
    this.coalition = coalition
    this.known = known
  }

  /** An epoch begins for a member: those of the coalition show their keys. */
  joined(name: NodeId, record: EpochRecord, hash: Uint8Array, secret: Scalar): void {
    const id = hash.join()
    const epoch = this.epochs.get(id) ?? { record, keys: new Map(), secrets: new Map(), rounds: new Map() }
    this.epochs.set(id, epoch)
    if (this.coalition.has(name)) epoch.secrets.set(name, secret.slice())
  }

  /** Everything that is sent is seen. */
  saw(said: SlotsMessage): void {
    const epoch = this.epochs.get(said.epoch.join())
    if (epoch === undefined) return
    if (said.kind === 'key') epoch.keys.set(said.author, said.publicKey)
    if (said.kind !== 'pass' && said.kind !== 'share' && said.kind !== 'opening') return
    const round = this.roundOf(epoch, said.round)
    if (said.kind === 'pass') round.passes.set(said.place, said)
    const spoken = round.spoken.get(said.author) ?? []
    round.spoken.set(said.author, spoken)
    const add = (value: Element) => {
      if (this.group.decode(value) !== undefined && !spoken.some(one => sameBytes(one, value))) spoken.push(value)
    }
    if (said.kind === 'share') {
      const name = `${said.author}/${said.owner}`
      if (!round.shares.has(name)) round.shares.set(name, said.value)
      add(said.value)
    } else if (said.kind === 'opening') for (const part of said.parts) add(part.value)
  }

  private roundOf(epoch: SeenEpoch, number: number): SeenRound {
    const { record } = epoch
    const round = epoch.rounds.get(number) ?? { record, passes: new Map(), shares: new Map(), spoken: new Map() }
    epoch.rounds.set(number, round)
    return round
  }

  /** Tries everything seen so far; to be called now and then, and at the end. Rounds that are two behind are forgotten. */
  attack(at: Micros, final: boolean): void {
    for (const epoch of this.epochs.values()) {
      const latest = Math.max(0, ...epoch.rounds.keys())
      for (const [number, round] of epoch.rounds) {
        if (!final && number > latest - epoch.record.members.length) continue
        this.attackRound(epoch, number, round, at)
        epoch.rounds.delete(number)
      }
    }
  }

  private attackRound(epoch: SeenEpoch, number: number, round: SeenRound, at: Micros): void {
    const { members } = epoch.record
    const first = round.passes.get(0)
    const last = round.passes.get(members.length - 1)
    const honest = members.filter(({ name }) => !this.coalition.has(name))
    // Alone among the coalition there is nobody to hide among.
    if (first === undefined || last === undefined || honest.length < 2) return
    const table = members.map((_member, ticket) => ticketElement(this.group, last.epoch, number, ticket))
    if (this.followed(epoch, number, round)) {
      this.broken.push({ what: `every ticket of round ${number} can be followed through the lap`, at })
    }
    const author = passerAt(epoch.record, number, members.length - 1)
    if (!this.coalition.has(members[author]!.name) && this.twins(last, table)) {
      this.broken.push({ what: `two tickets of round ${number} are hidden with one number`, at })
    }
    for (const [owner, { name }] of members.entries()) {
      const ticket = dealtTicket(epoch.record, number, first, last, owner)
      if (this.coalition.has(name) || ticket === undefined) continue
      this.tried++
      const how = this.opened(epoch, round, owner, ticket, table)
      if (how !== undefined) this.broken.push({ what: `the ticket of ${name} in round ${number} is opened ${how}`, at })
    }
  }

  private opened(
    epoch: SeenEpoch,
    round: SeenRound,
    owner: number,
    { c1, c2 }: Ciphertext,
    table: readonly Element[],
  ): string | undefined {
    const { group } = this
    const isTicket = (content: Element) => table.some(ticket => group.equal(ticket, content))
    if (this.known.some(scalar => isTicket(group.subtract(c2, group.multiply(c1, scalar)))))
      return 'with a known number'
    const { members } = epoch.record
    let rest = c2
    for (const { name } of members) {
      if (name === members[owner]!.name) continue
      const secret = epoch.secrets.get(name)
      const share = secret === undefined ? round.shares.get(`${name}/${owner}`) : group.multiply(c1, secret)
      if (share === undefined) return undefined
      rest = group.subtract(rest, share)
    }
    const { name } = members[owner]!
    const key = epoch.keys.get(name)
    const values = round.spoken.get(name) ?? []
    if (this.pairs(values).some(pair => isTicket(group.subtract(rest, pair))))
      return 'by two shares that its owner gave'
    for (const spoken of values) {
      if (isTicket(group.subtract(rest, spoken))) return 'by a share that its owner gave away'
      const shifted = (scalar: Scalar) => group.subtract(spoken, group.multiply(key!, scalar))
      if (key !== undefined && this.known.some(scalar => isTicket(group.subtract(rest, shifted(scalar))))) {
        return 'by a share that its owner gave away for a marked point'
      }
    }
    return undefined
  }

  /** Sums and differences of what somebody multiplied with its key: its share of the sum or difference of the points. */
  private pairs(values: readonly Element[]): Element[] {
    const { group } = this
    const few = values.slice(-PAIRED_MAX)
    return few.flatMap(left => few.flatMap(right => [group.add(left, right), group.subtract(left, right)]))
  }

  /** Two tickets of one list that were hidden with one number: the difference of their contents is in the open. */
  private twins({ list }: Pass, table: readonly Element[]): boolean {
    const { group } = this
    const differences = table.flatMap(left => table.map(right => group.subtract(left, right)))
    const shifts = [group.identity, ...this.known.map(scalar => group.multiply(group.generator, scalar))]
    return list.some((left, place) =>
      list.slice(place + 1).some(right => {
        const first = group.subtract(left.c1, right.c1)
        if (!shifts.some(shift => group.equal(shift, first))) return false
        const second = group.subtract(left.c2, right.c2)
        return differences.some(difference => group.equal(difference, second))
      }),
    )
  }

  /** Whether no pass of an honest member hides which ticket went where. */
  private followed(epoch: SeenEpoch, number: number, round: SeenRound): boolean {
    const { record } = epoch
    return record.members.every((_member, place) => {
      const pass = round.passes.get(place)
      const before = round.passes.get(place - 1)
      const { name } = record.members[passerAt(record, number, place)]!
      if (this.coalition.has(name)) return true
      if (pass === undefined || (place > 0 && before === undefined)) return false
      const count = record.members.length
      const input = before === undefined ? startList(this.group, pass.epoch, number, count) : passedOn(before)
      return input.length === pass.list.length && this.sameShift(input, pass.list)
    })
  }

  // All tickets were moved by one amount: then each output less that amount is an input.
  private sameShift(input: readonly Ciphertext[], output: readonly Ciphertext[]): boolean {
    const { group } = this
    return output.some(moved => {
      const shift = { c1: group.subtract(moved.c1, input[0]!.c1), c2: group.subtract(moved.c2, input[0]!.c2) }
      return output.every(({ c1, c2 }) => {
        const back = { c1: group.subtract(c1, shift.c1), c2: group.subtract(c2, shift.c2) }
        return input.some(ticket => group.equal(ticket.c1, back.c1) && group.equal(ticket.c2, back.c2))
      })
    })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
