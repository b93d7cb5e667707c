// What those who want seats do, in the scenarios of all levels: they ask, hold for a while, give up, leave.

import type { NodeId } from '../../core/index.ts'
import { type Micros, type Plan, ScenarioStage } from '../../simulator/index.ts'
import type { SlotsEvent } from '../verified/state.ts'

export type SlotsAct =
  /** Wants a seat, holds it for a while, lets go; gives up waiting after `patience`. */
  | { kind: 'use'; member: NodeId; hold: Micros; patience: Micros }
  /** Leaves the group, at once or as soon as it has a seat. */
  | { kind: 'leave'; member: NodeId; seated: boolean }

/** A stage whose users want seats. */
export abstract class SeekersStage<P extends Plan<SlotsAct>> extends ScenarioStage<P, SlotsAct, SlotsEvent> {
  /** How long each request wants its seat. */
  protected readonly holds = new Map<number, Micros>()
  protected readonly leavers = new Set<NodeId>()
  /** Those of them that wait for a seat to leave with. */
  protected readonly leaving = new Set<NodeId>()

  protected act(act: SlotsAct): void {
    if (act.kind === 'use') return this.use(act)
    this.leavers.add(act.member)
    if (act.seated) this.leaving.add(act.member)
    else this.world.command(act.member, { kind: 'leave' })
  }

  protected use({ member, hold, patience }: SlotsAct & { kind: 'use' }): void {
    const { world } = this
    const id = this.nextCommand()
    this.holds.set(id, hold)
    world.command(member, { kind: 'request', id })
    world.at(world.now + patience, () => {
      if (this.holds.delete(id)) world.command(member, { kind: 'cancel', id })
    })
  }
}
