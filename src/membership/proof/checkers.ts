// Who watches the members, from outside: they know who truly runs, left or lies, and compare the views with that.

import type { NodeId } from '../../core/index.ts'
import type { Checker, Micros, SimulatedNode, Violation, World } from '../../simulator/index.ts'
import type { MembershipEvent } from '../events.ts'
import { bootOf, type Incarnation } from '../incarnation.ts'
import { checkMember, type MembershipState } from '../member/state.ts'

/** What truly happened. */
export interface Truth {
  readonly world: World
  /** Members that do as they should. */
  readonly honest: ReadonlySet<NodeId>
  /** No faults but single broken links: nobody has a reason to take a running member for dead. */
  readonly mild: boolean
  readonly liars: ReadonlyMap<NodeId, string>
  /** Farewells that were said, as `farewell` writes them. */
  readonly farewells: Set<string>
  /** The address that each member has. */
  address(id: NodeId): string
}

export const farewell = (id: NodeId, incarnation: Incarnation) => `${id} in ${incarnation}`

export function stateOf(node: SimulatedNode): MembershipState | undefined {
  return node.host?.state as MembershipState | undefined
}

abstract class Watching implements Checker {
  abstract readonly name: string
  protected readonly truth: Truth
  private readonly broken: Violation[] = []

  constructor(truth: Truth) {
    this.truth = truth
  }

  violations(): readonly Violation[] {
    return this.broken
  }

  protected violation(what: string): void {
    // One run has one story; the rest follows from it.
    if (this.broken.length < 10) this.broken.push({ what, at: this.truth.world.now })
  }
}

/** Nobody speaks for another: no forged address, no farewell that was not said, no step back. */
export class WordChecker extends Watching {
  readonly name = 'own words only'
  private readonly seen = new Map<string, Incarnation>()

  observe(observer: SimulatedNode, event: MembershipEvent): void {
    if (event.kind !== 'changed' || !this.truth.honest.has(event.member.member)) return
    const { member, incarnation, address } = event.member
    const who = observer.spec.id
    if (address !== this.truth.address(member)) this.violation(`${who} sees ${member} at ${address}`)
    if (event.change === 'left' && !this.truth.farewells.has(farewell(member, incarnation))) {
      this.violation(`${who} sees ${member} as having left, but it never said so`)
    }
    const key = `${who} ${observer.life} ${member}`
    const before = this.seen.get(key) ?? 0
    if (incarnation < before) this.violation(`${who} goes back from ${before} to ${incarnation} of ${member}`)
    this.seen.set(key, incarnation)
  }
}

/** Where nothing is wrong with a member, nobody takes it for dead, nor calls it a liar. */
export class CalmChecker extends Watching {
  readonly name = 'no false alarm'

  observe(observer: SimulatedNode, event: MembershipEvent): void {
    const { truth } = this
    if (event.kind === 'misbehaved') return this.named(observer, event.member, event.how)
    if (event.kind !== 'changed' || !truth.mild) return
    const { member } = event.member
    if (!truth.honest.has(member) || truth.world.node(member).host === undefined) return
    // A member that has just left, or just come back, may be taken for gone for a moment, and rightly so.
    if (this.disturbed.has(member)) return
    const wrong = event.change === 'failed' || (event.change === 'suspected' && truth.liars.size === 0)
    if (wrong) this.violation(`${observer.spec.id} takes ${member} for ${event.change}, and nothing is wrong with it`)
  }

  private readonly disturbed = new Set<NodeId>()

  /** A member that was stopped, and may have missed something. */
  disturb(member: NodeId): void {
    this.disturbed.add(member)
  }

  private named(observer: SimulatedNode, member: NodeId, how: string): void {
    if (!this.truth.honest.has(member)) return
    if (how === 'accusing' && !this.truth.mild) return
    this.violation(`${observer.spec.id} names ${member} for ${how}, and it is honest`)
  }
}

/** Liars that must be found out, and as what. */
const NAMED: Readonly<Record<string, string>> = {
  'forges leaves': 'forging',
  'forges lives': 'forging',
  floods: 'flooding',
  'accuses all': 'accusing',
  'two-faced': 'two-faced',
  'has two keys': 'two-faced',
  'asks in others’ names': 'forging',
}

/** A member that forges or floods is named by somebody before the end. */
export class NamingChecker extends Watching {
  readonly name = 'liars are named'
  private readonly named = new Set<string>()

  observe(_observer: SimulatedNode, event: MembershipEvent): void {
    if (event.kind === 'misbehaved') this.named.add(`${event.member} ${event.how}`)
  }

  finish(): void {
    for (const [liar, name] of this.truth.liars) {
      const how = NAMED[name]
      if (how === undefined || this.named.has(`${liar} ${how}`)) continue
      this.violation(`${liar} ${name}, and nobody noticed`)
    }
  }
}

/** From a first meeting to giving up, with suspicion at its longest. */
const FINDS_OUT_MS = 8_000

/** After healing, all see all that run, with the attributes they have; and nobody sees those that are gone. */
export class ConvergenceChecker extends Watching {
  readonly name = 'views come together'

  /** Whatever a liar showed to whom: in one of its lives, all hold one key of it. */
  private checkKeys(liar: NodeId): void {
    const held = new Map<string, { readonly by: NodeId; readonly identity: string }>()
    for (const observer of this.truth.honest) {
      const known = stateOf(this.truth.world.node(observer))?.members.get(liar)?.alive
      if (known === undefined) continue
      const life = String(bootOf(known.incarnation))
      const identity = known.identity.join()
      const other = held.get(life)
      if (other !== undefined && other.identity !== identity) {
        this.violation(`${other.by} and ${observer} hold different keys of ${liar}`)
      }
      held.set(life, { by: observer, identity })
    }
  }

  check(after: Micros): void {
    const { world, honest } = this.truth
    const seconds = Math.round(after / 1_000_000)
    for (const liar of this.truth.liars.keys()) this.checkKeys(liar)
    for (const observer of honest) {
      const node = world.node(observer)
      const state = stateOf(node)
      if (state === undefined || state.leaving) continue
      for (const member of state.members.values()) checkMember(member)
      for (const subject of honest) if (subject !== observer) this.compare(observer, state, subject, seconds)
    }
  }

  private compare(observer: NodeId, state: MembershipState, subject: NodeId, seconds: number): void {
    const { world } = this.truth
    const truly = stateOf(world.node(subject))
    const seen = state.members.get(subject)
    const here = seen?.status === 'alive' || seen?.status === 'suspect'
    if (truly === undefined || truly.leaving) {
      // A liar can show an old claim to a newcomer, who then asks, and finds out.
      const justMet = world.clock(world.node(observer)) - (seen?.since ?? 0) < FINDS_OUT_MS
      if (here && !justMet) this.violation(`${observer} still sees ${subject} ${seconds} s after it was gone`)
      return
    }
    if (!here) {
      return this.violation(`${observer} sees ${subject} as ${seen?.status ?? 'unknown'} ${seconds} s after healing`)
    }
    const load = seen.attributes?.values.find(({ name }) => name === 'load')?.value
    if (load !== truly.values.get('load')) {
      this.violation(`${observer} sees ${subject} with load ${load}, which is ${truly.values.get('load')}`)
    }
  }
}
