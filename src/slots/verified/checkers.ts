// Who watches the members in a simulation, from outside and in true time.

import type { NodeId } from '../../core/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import type { SlotsMessage } from './messages.ts'
import { lapHash } from './proofs.ts'

interface Holding {
  readonly holder: NodeId
  until: Micros
}

/** Never two honest holders of one slot at one time. */
export class SeatChecker implements Checker {
  readonly name = 'distinct slots'
  seats = 0
  private readonly holdings = new Map<string, Holding[]>()
  private readonly broken: Violation[] = []

  seated(slot: string, holder: NodeId, at: Micros, until: Micros): void {
    this.seats++
    const now = (this.holdings.get(slot) ?? []).filter(holding => holding.until > at)
    for (const other of now) {
      this.broken.push({ what: `slot '${slot}' is held by ${holder} and by ${other.holder}`, at })
    }
    now.push({ holder, until })
    this.holdings.set(slot, now)
  }

  /** It let go, was told in time that the lease is over, or its process is gone. */
  left(holder: NodeId, at: Micros): void {
    for (const holdings of this.holdings.values()) {
      for (const holding of holdings) if (holding.holder === holder) holding.until = Math.min(holding.until, at)
    }
  }

  /** The loss must be told before the belief ends. */
  told(holder: NodeId, at: Micros): void {
    for (const [slot, holdings] of this.holdings) {
      for (const { holder: who, until } of holdings) {
        // A seat that ended long ago was let go; only the one that ends now is being told.
        if (who === holder && at > until && at < until + TOLD_WITHIN) {
          this.broken.push({ what: `${holder} was told too late that its seat on '${slot}' is over`, at })
        }
      }
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

const TOLD_WITHIN: Micros = 1_000

/** One successor per epoch: whoever reaches a number reaches the same record. */
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

  accused(member: NodeId, what: string, holds: boolean, at: Micros): void {
    this.named.add(member)
    if (!this.liars.has(member)) this.broken.push({ what: `${member} is honest, and named: it ${what}`, at })
    if (!holds) this.broken.push({ what: `evidence against ${member} does not hold`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** PROTOCOLS A 4: no honest member gives a share before every member whose ticket it helps to open has sealed that lap. */
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
