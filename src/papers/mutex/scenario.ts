// The algorithms at work: members that enter again and again over a network that delays, reorders and repeats, but
// loses nothing, as all four assume. The checkers see true time: never two inside, and everybody served.

import type { NodeId, Random } from '../../core/index.ts'
import {
  ExclusionChecker,
  type Micros,
  type NetworkFaults,
  type Plan,
  ProgressChecker,
  pick,
  type Scenario,
  type SimulatedNode,
  type Stage,
  type World,
} from '../../simulator/index.ts'
import type { AnyMutexAlgorithm, MutexEvent } from './mutex.ts'

/** One member wants in, and stays for a while. Acts of one member follow each other, whatever their times say. */
export interface MutexAct {
  readonly kind: 'use'
  readonly member: NodeId
  readonly hold: Micros
}

export interface MutexPlan extends Plan<MutexAct> {
  readonly members: readonly NodeId[]
}

const SECOND: Micros = 1_000_000
/** All acts are asked for within this; then the members are left to finish. */
const BUSY = SECOND
/** Long enough for the decentralised algorithm's last, longest backoffs. */
const FINISH = 30 * SECOND
const USES_MAX = 4
const HOLD_MAX: Micros = 20_000
const THING = 'the critical section'

export function mutexScenario(algorithm: AnyMutexAlgorithm, size: number): Scenario<MutexPlan, MutexAct> {
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  return {
    name: algorithm.name,
    plan: random => drawPlan(random, members),
    stage: (world, plan) => new MutexStage(world, algorithm, plan),
  }
}

function drawPlan(random: Random, members: readonly NodeId[]): MutexPlan {
  const network: NetworkFaults = {
    delayMin: 100,
    delaySpread: 1 + random.below(20_000),
    tailChance: pick(random, [0, 0.05]),
    tailMax: 50_000,
    loss: 0,
    duplication: pick(random, [0, 0.1]),
    inOrder: random.chance(0.5),
  }
  const acts = members.flatMap(member =>
    Array.from({ length: 1 + random.below(USES_MAX) }, () => ({
      kind: 'use' as const,
      member,
      hold: random.below(HOLD_MAX),
      at: random.below(BUSY),
    })),
  )
  const drawn = { members: members.length, acts: acts.length }
  return { members, network, faults: [], acts, healsAt: BUSY, ends: BUSY + FINISH, drawn }
}

class MutexStage implements Stage {
  readonly checkers
  private readonly world: World
  private readonly exclusion = new ExclusionChecker()
  private readonly progress = new ProgressChecker()
  /** What each member still has to do; the first is under way. */
  private readonly lines = new Map<NodeId, { readonly id: number; readonly hold: Micros }[]>()
  private commands = 0
  private entries = 0

  constructor(world: World, algorithm: AnyMutexAlgorithm, plan: MutexPlan) {
    this.world = world
    this.checkers = [this.exclusion, this.progress]
    const { protocol, vocabulary } = algorithm
    for (const id of plan.members) world.add({ id, protocol, peers: plan.members, vocabulary, returns: false })
    for (const id of plan.members) world.start(id)
    for (const act of plan.acts) world.at(act.at, () => this.use(act))
    world.listen((node, event) => this.observe(node, event as MutexEvent))
    world.at(plan.ends - 1, () => this.progress.finish(world.now))
  }

  healed(): void {
    // Nothing was broken: those that asked are still to be served.
  }

  private use(act: MutexAct): void {
    const line = this.lines.get(act.member) ?? []
    this.lines.set(act.member, line)
    line.push({ id: ++this.commands, hold: act.hold })
    this.progress.demand(`${act.member} (${this.commands})`, this.world.now)
    if (line.length === 1) this.begin(act.member)
  }

  private begin(member: NodeId): void {
    const next = this.lines.get(member)?.[0]
    if (next !== undefined) this.world.command(member, { kind: 'enter', id: next.id })
  }

  private observe(node: SimulatedNode, event: MutexEvent): void {
    const { world } = this
    const { id: member } = node.spec
    if (event.kind === 'entered') {
      const { hold } = this.lines.get(member)![0]!
      this.exclusion.acquired(THING, member, ++this.entries, world.now, Number.POSITIVE_INFINITY)
      this.progress.served(`${member} (${event.id})`)
      world.at(world.now + hold, () => world.command(member, { kind: 'leave', id: event.id }))
    } else if (event.kind === 'left') {
      this.exclusion.released(THING, member, world.now)
      this.lines.get(member)!.shift()
      world.at(world.now, () => this.begin(member))
    }
  }
}
