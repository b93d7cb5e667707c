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
  ScenarioStage,
  type SimulatedNode,
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

/** An algorithm among members that enter again and again, for the simulator. */
export function mutexScenario(algorithm: AnyMutexAlgorithm, size: number): Scenario<MutexPlan, MutexAct> {
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  return {
    name: algorithm.name,
    plan: random => drawPlan(random, members),
    stage: (world, plan) => new MutexStage(world, algorithm, plan).begin(),
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

class MutexStage extends ScenarioStage<MutexPlan, MutexAct, MutexEvent> {
  readonly checkers
  private readonly algorithm: AnyMutexAlgorithm
  private readonly exclusion = new ExclusionChecker()
  private readonly progress = new ProgressChecker()
  /** What each member still has to do; the first is under way. */
  private readonly lines = new Map<NodeId, { readonly id: number; readonly hold: Micros }[]>()
  private entries = 0

  constructor(world: World, algorithm: AnyMutexAlgorithm, plan: MutexPlan) {
    super(world, plan)
    this.algorithm = algorithm
    this.checkers = [this.exclusion, this.progress]
  }

  protected override populate(): void {
    const { protocol, vocabulary } = this.algorithm
    const { members } = this.plan
    for (const id of members) this.addNode({ id, protocol, peers: members, vocabulary, returns: false })
    for (const id of members) this.world.start(id)
  }

  /** Nothing was broken, so nothing is demanded when it is healed: those that asked before are still to be served. */
  protected override finish(): void {
    this.progress.finish(this.world.now)
  }

  protected override act(act: MutexAct): void {
    const id = this.nextCommand()
    const line = this.lines.get(act.member) ?? []
    this.lines.set(act.member, line)
    line.push({ id, hold: act.hold })
    this.progress.demand(`${act.member} (${id})`, this.world.now)
    if (line.length === 1) this.enter(act.member)
  }

  private enter(member: NodeId): void {
    const next = this.lines.get(member)?.[0]
    if (next !== undefined) this.world.command(member, { kind: 'enter', id: next.id })
  }

  protected override observe(node: SimulatedNode, event: MutexEvent): void {
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
      world.at(world.now, () => this.enter(member))
    }
  }
}
