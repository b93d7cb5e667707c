// Who watches the elections of a run: what members say of their terms goes to the checkers, and who knows which
// coordinator is remembered. The election's own scenario and that of whole members have one.

import type { NodeId } from '../../core/index.ts'
import { ExclusionChecker, type Micros, type SimulatedNode, type World } from '../../simulator/index.ts'
import type { ElectionEvent } from '../member/commands.ts'
import type { Electorate } from '../wire.ts'
import { type CountChecker, ElectorateChecker, TermChecker } from './checkers.ts'

/** Watches what honest members say of their elections. */
export class ElectionWitness {
  readonly exclusion = new ExclusionChecker()
  readonly terms = new TermChecker()
  readonly electorates = new ElectorateChecker()
  readonly count: CountChecker
  private readonly world: World
  /** How long a process that was stopped may take to save once it runs again. */
  private readonly diskGrace: Micros
  private readonly known = new Map<string, { life: number; coordinator: NodeId; term: number }>()

  constructor(world: World, count: CountChecker, diskGrace: Micros) {
    this.world = world
    this.count = count
    this.diskGrace = diskGrace
  }

  get newest(): Electorate | undefined {
    return [...this.electorates.lists.values()].sort((one, other) => other.number - one.number)[0]
  }

  /** Who leads, and in which term, as this member knows in this life; '' where it knows of nobody. */
  leaderAt(id: NodeId, name: string): string {
    const known = this.known.get(`${id} ${name}`)
    const current = known !== undefined && known.life === this.world.node(id).life && known.coordinator !== ''
    return current ? `${known.coordinator} in ${known.term}` : ''
  }

  saw(node: SimulatedNode, event: ElectionEvent): void {
    const { world, exclusion } = this
    const { id } = node.spec
    switch (event.kind) {
      case 'electorate':
        return this.electorates.seen(event.electorate, world.now)
      case 'elected': {
        this.count.elected(id, event.claim, this.electorates.lists.get(event.claim.electorate), world.now)
        this.terms.seen(event.name, event.term, id, world.now)
        const until = world.whenClockShows(node, event.deadline)
        // A process that was stopped while it saved hears of a term that is over: by its own clock it leads nothing.
        if (world.now < until) exclusion.acquired(event.name, id, event.term, world.now, until)
        return
      }
      case 'extended':
        return exclusion.extended(event.name, id, world.now, world.whenClockShows(node, event.deadline))
      case 'resigned':
        return exclusion.released(event.name, id, world.now)
      case 'lost':
        // A process that was stopped could not be told in time; its clock tells it as soon as it runs and has saved.
        if (world.now > node.resumedAt + this.diskGrace) exclusion.told(event.name, id, world.now)
        return
      case 'coordinator':
        this.terms.seen(event.name, event.term, event.coordinator, world.now)
        this.known.set(`${id} ${event.name}`, { life: node.life, coordinator: event.coordinator, term: event.term })
        return
      case 'vacant':
        this.known.set(`${id} ${event.name}`, { life: node.life, coordinator: '', term: event.term })
        return
      default:
        return
    }
  }
}
