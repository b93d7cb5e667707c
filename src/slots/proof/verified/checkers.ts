// Who watches the members in a simulation, from outside and in true time.

import type { NodeId } from '../../../core/index.ts'
import type { Checker, Micros, Violation } from '../../../simulator/index.ts'
import { lapHash } from '../../verified/proofs.ts'
import type { SlotsMessage } from '../../verified/wire.ts'

interface Holding {
  readonly slot: string
  readonly holder: NodeId
  /** When its holder can no longer believe; earlier if it let go. */
  until: Micros
}

/** Never two honest holders of one slot at one time, and a holder is told before its lease ends. */
export class SeatChecker implements Checker {
  readonly name = 'distinct slots'
  /** By request: a member that takes back another request still has its seat (seed 40013). */
  private readonly holdings = new Map<number, Holding>()
  private readonly broken: Violation[] = []

  get seats(): number {
    return this.holdings.size
  }

  seated(slot: string, request: number, holder: NodeId, at: Micros, until: Micros): void {
    for (const other of this.holdings.values()) {
      if (other.slot !== slot || other.until <= at) continue
      this.broken.push({ what: `slot '${slot}' is held by ${holder} and by ${other.holder}`, at })
    }
    this.holdings.set(request, { slot, holder, until })
  }

  /** It let go. False if it had nothing. */
  left(request: number, at: Micros): boolean {
    const holding = this.holdings.get(request)
    if (holding !== undefined) holding.until = Math.min(holding.until, at)
    return holding !== undefined
  }

  /** The loss must be told before the belief ends. */
  told(request: number, at: Micros): void {
    const holding = this.holdings.get(request)
    if (holding === undefined || at <= holding.until) return
    this.broken.push({ what: `${holding.holder} was told too late that its seat is over`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** One successor per epoch: all that reach a number reach the same record. */
export class SuccessorChecker implements Checker {
  readonly name = 'one successor'
  epochs = 0
  private readonly records = new Map<number, { readonly hash: string; readonly by: NodeId }>()
  private readonly broken: Violation[] = []

  reached(number: number, hash: Uint8Array, by: NodeId, at: Micros): void {
    const known = this.records.get(number)
    if (known === undefined) {
      this.epochs++
      this.records.set(number, { hash: hash.join(), by })
    } else if (known.hash !== hash.join()) {
      this.broken.push({ what: `epoch ${number} of ${by} is not that of ${known.by}`, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** Only liars are named, and only with evidence that a third party accepts. */
export class NamingChecker implements Checker {
  readonly name = 'only cheats are named'
  readonly named = new Set<NodeId>()
  private readonly liars: ReadonlySet<NodeId>
  private readonly broken: Violation[] = []

  constructor(liars: ReadonlySet<NodeId>) {
    this.liars = liars
  }

  /** Named by one who saw it and cannot show it. */
  seen(member: NodeId, what: string, at: Micros): void {
    if (!this.liars.has(member)) this.broken.push({ what: `${member} is honest, and named: it ${what}`, at })
  }

  accused(member: NodeId, what: string, holds: boolean, at: Micros): void {
    this.named.add(member)
    this.seen(member, what, at)
    if (!holds) this.broken.push({ what: `evidence against ${member} does not hold`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** Who waits, and how unlucky it was so far. */
interface Waiting {
  readonly rotating: boolean
  /** Only rounds that began later count. */
  from: Micros
  since: Micros
  rounds: number
  chance: number
}

/** Less likely than this is not bad luck. */
const LUCK = 1e-9
/** Silences are noticed, ballots held and old leases waited for several times over; longer without a round is a standstill. */
const STANDSTILL: Micros = 60_000_000

/**
 * Served as fairness promises, counted in rounds: by lottery, k rounds such that (1 - m/n)^k is below a billionth;
 * rotating, n rounds of one epoch. Only rounds count that began while it waited. And rounds must be dealt at all.
 *
 * A ticket that opened after its lease was not dealt: it needs the shares of all, and a member that holds back its own spoils the
 * round for everybody. Nobody can prevent the first such round; it costs the late one its place (seed 300107, with as many
 * slots as members, where one round should have served all). If round after round is spoiled, none is dealt for a minute.
 */
export class ServedChecker implements Checker {
  readonly name = 'served'
  /** Members that were served, and the most rounds that one of them waited. */
  served = 0
  longest = 0
  private readonly waiting = new Map<NodeId, Waiting>()
  /** A member with a seat gets no second one: its rounds do not count. */
  private readonly heldUntil = new Map<NodeId, Micros>()
  private readonly begun = new Map<string, { readonly slots: number; readonly at: Micros }>()
  private readonly members = new Map<string, Set<NodeId>>()
  /** Who opened its ticket, by round. */
  private readonly dealt = new Map<string, Set<NodeId>>()
  private readonly broken: Violation[] = []

  demand(who: NodeId, rotating: boolean, at: Micros): void {
    this.waiting.set(who, { rotating, from: at, since: at, rounds: 0, chance: 1 })
  }

  got(who: NodeId, until: Micros): void {
    this.heldUntil.set(who, until)
    this.longest = Math.max(this.longest, this.waiting.get(who)?.rounds ?? 0)
    if (this.waiting.delete(who)) this.served++
  }

  left(who: NodeId, at: Micros): void {
    this.heldUntil.delete(who)
    const waits = this.waiting.get(who)
    if (waits !== undefined) waits.from = at
  }

  /** A member's first vote in a round tells that its ticket was opened; a seat would have been told before. */
  saw(said: SlotsMessage, at: Micros, openedLate = false): void {
    const epoch = said.epoch.join()
    const name = `${epoch}/${said.round}`
    if (said.kind === 'key') {
      const waits = this.waiting.get(said.author)
      // The turns of a new epoch are counted from its first round.
      if (waits?.rotating && !this.members.get(epoch)?.has(said.author)) waits.rounds = 0
      add(this.members, epoch, said.author)
    }
    if (said.kind === 'header' && !this.begun.has(name)) this.begun.set(name, { slots: said.slots.length, at })
    if (said.kind !== 'vote' || said.check > 0) return
    const before = this.dealt.get(name) ?? new Set<NodeId>()
    this.dealt.set(name, before)
    if (before.has(said.author)) return
    before.add(said.author)
    if (!openedLate) this.count(said.author, name, this.members.get(epoch)?.size ?? 1, at)
  }

  private count(who: NodeId, round: string, members: number, at: Micros): void {
    const waits = this.waiting.get(who)
    const begun = this.begun.get(round)
    if (waits === undefined || begun === undefined) return
    waits.since = at
    if (begun.at <= waits.from || at < (this.heldUntil.get(who) ?? 0)) return
    waits.rounds++
    waits.chance *= 1 - Math.min(1, begun.slots / members)
    const late = waits.rotating ? waits.rounds > members : waits.chance < LUCK
    if (late) this.broken.push({ what: `${who} was not served in ${waits.rounds} rounds`, at })
  }

  /** Whether there is nothing more to wait for. */
  look(at: Micros): boolean {
    for (const [who, { since }] of this.waiting) {
      if (at < since + STANDSTILL) continue
      const seconds = STANDSTILL / 1_000_000
      this.broken.push({ what: `${who} was not served: no round was dealt to it for ${seconds} s`, at })
    }
    return this.broken.length > 0
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** protocols/slots 4: no honest member gives a share before every member whose ticket it helps to open has sealed that lap. */
export class OrderChecker implements Checker {
  readonly name = 'seals before shares'
  private readonly liars: ReadonlySet<NodeId>
  private readonly seals = new Map<string, Set<NodeId>>()
  private readonly authors = new Map<string, Set<NodeId>>()
  private readonly broken: Violation[] = []

  constructor(liars: ReadonlySet<NodeId>) {
    this.liars = liars
  }

  saw(said: SlotsMessage, at: Micros): void {
    const epoch = said.epoch.join()
    if (said.kind === 'key') add(this.authors, epoch, said.author)
    if (said.kind === 'seal') add(this.seals, `${epoch}/${said.round}/${lapHash(said.passes).join()}`, said.author)
    if (said.kind !== 'share' || this.liars.has(said.author)) return
    const sealed = this.seals.get(`${epoch}/${said.round}/${said.lap.join()}`)?.size ?? 0
    if (sealed < (this.authors.get(epoch)?.size ?? 0)) {
      this.broken.push({ what: `${said.author} gave a share of round ${said.round} after ${sealed} seals`, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

function add(sets: Map<string, Set<NodeId>>, name: string, member: NodeId): void {
  const known = sets.get(name) ?? new Set<NodeId>()
  sets.set(name, known)
  known.add(member)
}
