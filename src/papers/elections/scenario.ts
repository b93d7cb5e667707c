// Elections at work: members crash, before and in the middle of an election, and others miss the coordinator at any
// time, one or several. In the end somebody misses it once more, and then all that are up must agree, on one that is
// up, and on the right one where the algorithm promises which.
//
// `hostile` is for the algorithm that promises more: messages are lost and late, members are cut off, paused and
// restarted, and still no term may have two leaders.

import type { NodeId, Random } from '../../core/index.ts'
import {
  type Checker,
  drawFaults,
  drawNetwork,
  type Micros,
  type NetworkFaults,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type Violation,
  type World,
} from '../../simulator/index.ts'
import type { AnyElectionAlgorithm, ElectionEvent, ElectionState } from './election.ts'

export interface FieldAct {
  readonly kind: 'elect' | 'crash'
  readonly member: NodeId
}

export interface FieldPlan extends Plan<FieldAct> {
  readonly members: readonly NodeId[]
}

export interface FieldOptions {
  /** Members that crash for good, at most. By default as many as leave a majority. */
  readonly crashesMax?: number
  /** Who must lead when these are up; without it, any of them may. */
  readonly right?: (up: readonly NodeId[]) => NodeId
  readonly hostile?: boolean
}

const SECOND: Micros = 1_000_000
const BUSY: Micros = SECOND
/** Long enough for a ring to wait for one dead member after the other, twice. */
const FINISH: Micros = 20 * SECOND
/** Below a quarter of the time-out, so that a message and its answer are never taken for silence. */
const DELAY_MAX: Micros = 20_000
const FAULT_MAX: Micros = SECOND / 2

/** An election algorithm among members that crash, for the simulator. */
export function fieldScenario(
  algorithm: AnyElectionAlgorithm,
  size: number,
  options: FieldOptions = {},
): Scenario<FieldPlan, FieldAct> {
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  return {
    name: algorithm.name,
    plan: random => drawPlan(random, members, options),
    stage: (world, plan) => new FieldStage(world, algorithm, plan, options).begin(),
  }
}

function drawPlan(random: Random, members: readonly NodeId[], options: FieldOptions): FieldPlan {
  const crashesMax = options.crashesMax ?? Math.floor((members.length - 1) / 2)
  const doomed = drawSome(random, members, options.hostile ? 0 : random.below(crashesMax + 1))
  const acts = [
    ...doomed.map(member => ({ kind: 'crash' as const, member, at: random.below(BUSY) })),
    ...Array.from({ length: 1 + random.below(2 * members.length) }, () => ({
      kind: 'elect' as const,
      member: pick(random, members),
      at: random.below(BUSY),
    })),
  ]
  const network = options.hostile ? drawNetwork(random) : gentle(random)
  const faults = options.hostile ? drawFaults(random, { durable: members, all: members }, BUSY, FAULT_MAX) : []
  const drawn = { members: members.length, crashes: doomed.length, acts: acts.length }
  return { members, network, faults, acts, healsAt: BUSY, ends: BUSY + FINISH, drawn }
}

function gentle(random: Random): NetworkFaults {
  return {
    delayMin: 100,
    delaySpread: 1 + random.below(DELAY_MAX),
    tailChance: 0,
    tailMax: 0,
    loss: 0,
    duplication: pick(random, [0, 0.1]),
    inOrder: random.chance(0.5),
  }
}

// The top members are the interesting ones: half the time they come first.
function drawSome(random: Random, members: readonly NodeId[], count: number): NodeId[] {
  if (random.chance(0.5)) return members.slice(members.length - count)
  const left = [...members]
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0]!)
}

class FieldStage extends ScenarioStage<FieldPlan, FieldAct, ElectionEvent> {
  readonly checkers: readonly Checker[]
  private readonly algorithm: AnyElectionAlgorithm
  private readonly options: FieldOptions
  private readonly found: Violation[] = []
  /** Who led in which term, as members said. */
  private readonly leaders = new Map<number, NodeId>()

  constructor(world: World, algorithm: AnyElectionAlgorithm, plan: FieldPlan, options: FieldOptions) {
    super(world, plan)
    this.algorithm = algorithm
    this.options = options
    this.checkers = [{ name: 'one leader', violations: () => this.found }]
  }

  protected override populate(): void {
    const { protocol, vocabulary } = this.algorithm
    const { members } = this.plan
    const returns = this.options.hostile === true
    for (const id of members) this.addNode({ id, protocol, peers: members, vocabulary, returns })
    for (const id of members) this.world.start(id)
  }

  protected override demand(): void {
    const [first] = this.up()
    // After whatever election is still under way, so that the one that is judged begins with all crashes behind it.
    this.world.at(this.plan.healsAt + FINISH / 2, () => this.act({ kind: 'elect', member: first! }))
  }

  private up(): NodeId[] {
    return this.plan.members.filter(member => this.world.node(member).host !== undefined)
  }

  protected override act(act: FieldAct): void {
    if (this.world.node(act.member).host === undefined) return
    if (act.kind === 'crash') this.world.crash(act.member)
    else this.world.command(act.member, { kind: 'elect' })
  }

  protected override observe(node: SimulatedNode, event: ElectionEvent): void {
    if (!this.options.hostile) return
    const leader = this.leaders.get(event.round) ?? event.leader
    this.leaders.set(event.round, leader)
    if (leader === event.leader) return
    const what = `term ${event.round} has two leaders: ${leader}, and ${event.leader} for ${node.spec.id}`
    this.found.push({ what, at: this.world.now })
  }

  protected override finish(): void {
    const up = this.up()
    const believed = up.map(member => this.stateOf<ElectionState>(member)?.leader)
    const wanted = this.options.right?.(up) ?? believed[0]
    if (wanted !== undefined && up.includes(wanted) && believed.every(leader => leader === wanted)) return
    const told = up.map((member, place) => `${member} → ${believed[place] ?? 'nobody'}`).join(', ')
    this.found.push({ what: `${wanted ?? 'somebody'} should lead for all: ${told}`, at: this.world.now })
  }
}
