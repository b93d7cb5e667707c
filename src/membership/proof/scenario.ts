// Membership under faults and liars: members that come, go, crash and return, a network that breaks, and who watches.

import type { NodeId, Random } from '../../core/index.ts'
import {
  calm,
  drawFaults,
  drawNetwork,
  type Micros,
  type NetworkFaults,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../simulator/index.ts'
import type { MembershipEvent } from '../events.ts'
import { type Membership, membership } from '../member/machine.ts'
import type { MembershipState } from '../member/state.ts'
import { type MembershipRules, membershipRules } from '../rules.ts'
import { membershipBeat } from '../settings.ts'
import { membershipVocabulary } from '../wire.ts'
import { CalmChecker, ConvergenceChecker, farewell, NamingChecker, type Truth, WordChecker } from './checkers.ts'
import { type MembershipLiar, membershipLiars } from './liars.ts'
import { type SimulatedGroup, simulatedGroup } from './simulated.ts'

export type MembershipAct =
  | { kind: 'leave'; member: NodeId; returnsAfter: Micros }
  | { kind: 'set'; member: NodeId; load: number }
  /** Gone for good, without a word. */
  | { kind: 'vanish'; member: NodeId }
  /** One link, both ways. */
  | { kind: 'cut'; member: NodeId; other: NodeId; lasts: Micros }

/** Everything that is drawn for one run. */
export interface MembershipPlan extends Plan<MembershipAct> {
  readonly members: readonly NodeId[]
  readonly startsAt: ReadonlyMap<NodeId, Micros>
  readonly contacts: ReadonlyMap<NodeId, readonly NodeId[]>
  readonly liars: ReadonlyMap<NodeId, number>
  readonly vanishing: ReadonlySet<NodeId>
  readonly rates: ReadonlyMap<NodeId, number>
  readonly mild: boolean
}

/** The size of the group, its liars and its rules. */
export interface MembershipScenarioOptions {
  /** How many of the members lie at most. */
  readonly liars?: number
  /** How many there are; drawn if not given. */
  readonly members?: number
  /** Only the first so many kinds of liars: those that there were when a seed was found. */
  readonly kinds?: number
  /** The lie that all liars tell, by its name; else it is drawn. */
  readonly lie?: string
  readonly rules?: MembershipRules
}

const SECOND: Micros = 1_000_000
const SAFETY = 20 * SECOND
/** After healing, until all views must be right; and after the last one vanished, until all must know. */
const SETTLES = 25 * SECOND
const NOTICED = 15 * SECOND
const DRIFT = 0.02
/** When the last member joins: one that has just come may be taken for gone with reason. */
const JOIN_MAX = 3 * SECOND

/** Membership under faults and liars, for the simulator. */
export function membershipScenario(options: MembershipScenarioOptions = {}): Scenario<MembershipPlan, MembershipAct> {
  return {
    name: 'membership',
    plan: random => drawPlan(random, options),
    stage: (world, plan) => new MembershipStage(world, plan, options.rules ?? membershipRules).begin(),
  }
}

function drawPlan(random: Random, options: MembershipScenarioOptions): MembershipPlan {
  const { liars: liarsMax = 1, members: size } = options
  const count = size ?? 4 + random.below(5)
  const members = Array.from({ length: count }, (_, place) => `member-${place + 1}`)
  const kinds = membershipLiars(simulatedGroup(members).second).slice(0, options.kinds)
  const liars = new Map<NodeId, number>()
  if (random.chance(0.75)) {
    // The first is everybody's contact: a group whose only door is shut cannot be entered, whatever one does.
    for (let i = 0; i < liarsMax; i++) liars.set(pick(random, members.slice(1)), kindOf(random, kinds, options.lie))
  }
  const honest = members.filter(member => !liars.has(member))
  const vanishing = new Set(honest.slice(1).filter(() => random.chance(0.15)))
  const mild = random.chance(0.4)
  const durable = honest.filter(member => !vanishing.has(member))
  const faults = mild ? [] : drawFaults(random, { durable, all: members }, SAFETY, 8 * SECOND)
  const acts = drawActs(random, honest, vanishing, mild)
  return {
    members,
    liars,
    vanishing,
    mild,
    startsAt: new Map(members.map((member, place) => [member, place === 0 ? 0 : random.below(JOIN_MAX)])),
    // Everybody knows the first, and somebody else.
    contacts: new Map(members.map(member => [member, [members[0]!, pick(random, members)]])),
    rates: new Map(members.map(member => [member, 1 + DRIFT * (random.unit() * 2 - 1)])),
    network: mild ? calm : drawLossyNetwork(random),
    faults,
    acts,
    healsAt: SAFETY,
    ends: SAFETY + SETTLES + NOTICED,
    drawn: {
      members: count,
      liars: [...liars].map(([member, kind]) => `${member} ${kinds[kind]!.name}`).join(', ') || 'none',
      mild: String(mild),
      faults: faults.length,
      acts: acts.length,
    },
  }
}

function kindOf(random: Random, kinds: readonly MembershipLiar[], lie: string | undefined): number {
  const drawn = random.below(kinds.length)
  return lie === undefined ? drawn : kinds.findIndex(({ name }) => name === lie)
}

/** As for everybody, and now and then with three messages in ten lost. */
function drawLossyNetwork(random: Random): NetworkFaults {
  const network = drawNetwork(random)
  return random.chance(0.25) ? { ...network, loss: 0.3 } : network
}

function drawActs(
  random: Random,
  honest: readonly NodeId[],
  vanishing: ReadonlySet<NodeId>,
  mild: boolean,
): MembershipPlan['acts'] {
  const acts: (MembershipAct & { at: Micros })[] = []
  const at = () => JOIN_MAX + SECOND + random.below(SAFETY - JOIN_MAX - SECOND)
  for (const member of honest) {
    for (let i = random.below(4); i > 0; i--) acts.push({ kind: 'set', member, load: random.below(100), at: at() })
    if (vanishing.has(member)) acts.push({ kind: 'vanish', member, at: at() })
    else if (random.chance(0.15)) acts.push({ kind: 'leave', member, returnsAfter: random.below(5 * SECOND), at: at() })
  }
  if (mild && honest.length >= 4) {
    const [member, other] = [honest[0]!, honest[1]!]
    acts.push({ kind: 'cut', member, other, lasts: random.below(10 * SECOND), at: at() })
  }
  return acts
}

class MembershipStage extends ScenarioStage<MembershipPlan, MembershipAct, MembershipEvent> {
  readonly checkers
  private readonly group: SimulatedGroup
  private readonly rules: MembershipRules
  private readonly truth: Truth
  private readonly words: WordChecker
  private readonly alarms: CalmChecker
  private readonly naming: NamingChecker
  private readonly convergence: ConvergenceChecker
  private readonly kinds: readonly MembershipLiar[]

  constructor(world: World, plan: MembershipPlan, rules: MembershipRules) {
    super(world, plan)
    this.rules = rules
    this.group = simulatedGroup(plan.members)
    this.kinds = membershipLiars(this.group.second)
    this.truth = {
      world,
      honest: new Set(plan.members.filter(member => !plan.liars.has(member))),
      mild: plan.mild,
      liars: new Map([...plan.liars].map(([member, kind]) => [member, this.kinds[kind]!.name])),
      farewells: new Set(),
      address: id => this.group.settings(id).address,
    }
    this.words = new WordChecker(this.truth)
    this.alarms = new CalmChecker(this.truth)
    this.naming = new NamingChecker(this.truth)
    this.convergence = new ConvergenceChecker(this.truth)
    this.checkers = [this.words, this.alarms, this.naming, this.convergence]
  }

  protected populate(): void {
    for (const member of this.plan.members) this.add(member)
  }

  protected override demand(): void {
    this.world.at(this.plan.healsAt + SETTLES, () => {
      this.convergence.check(SETTLES)
      this.vanishLast()
    })
  }

  protected override finish(): void {
    this.convergence.check(NOTICED)
    this.naming.finish()
  }

  // Safety comes first: even if everything was calm so far, one more is gone, and must be missed in time.
  private vanishLast(): void {
    const running = [...this.truth.honest].filter(id => this.world.node(id).host !== undefined)
    if (running.length > 2) this.world.crash(running[running.length - 1]!)
  }

  private add(id: NodeId): void {
    const { world, plan, group } = this
    const load = { name: 'load', value: plan.members.indexOf(id) }
    const settings = group.settings(id, { rules: this.rules, attributes: [load], beat: membershipBeat })
    const kind = plan.liars.get(id)
    const liar = kind === undefined ? undefined : this.kinds[kind]!
    const honest = membership(settings)
    const spec = {
      id,
      protocol: liar === undefined ? this.listened(honest) : honest,
      peers: plan.contacts.get(id)!,
      vocabulary: membershipVocabulary,
      clockRate: plan.rates.get(id)!,
      clockOffset: 500 * plan.members.indexOf(id),
      returns: !plan.vanishing.has(id),
      diskMax: 5_000,
    }
    this.addNode(spec, liar && (machine => liar.corrupt(machine, settings)))
    world.at(plan.startsAt.get(id)!, () => world.start(id))
  }

  /** The same machine, with its farewells written down: also those of a stop in order. */
  private listened(honest: Membership): Membership {
    const { farewells } = this.truth
    return {
      ...honest,
      step(state, input, turn) {
        const leaves = input.kind === 'stop' || (input.kind === 'command' && input.body.kind === 'leave')
        if (leaves) farewells.add(farewell(state.self, state.incarnation))
        honest.step(state, input, turn)
      },
    }
  }

  protected act(act: MembershipAct): void {
    const { world } = this
    switch (act.kind) {
      case 'leave':
        this.alarms.disturb(act.member)
        world.command(act.member, { kind: 'leave', id: 1 })
        return world.at(world.now + 2 * SECOND + act.returnsAfter, () => {
          if (this.stateOf<MembershipState>(act.member)?.leaving) world.stop(act.member)
          world.start(act.member)
        })
      case 'set':
        return world.command(act.member, { kind: 'set', id: 2, values: [{ name: 'load', value: act.load }] })
      case 'vanish':
        return world.crash(act.member)
      case 'cut':
        return this.cut(act)
    }
  }

  private cut({ member, other, lasts }: MembershipAct & { kind: 'cut' }): void {
    const { network } = this.world
    const [a, b] = [this.world.node(member).index, this.world.node(other).index]
    network.cut(a, b)
    network.cut(b, a)
    this.world.at(this.world.now + lasts, () => {
      network.mend(a, b)
      network.mend(b, a)
    })
  }

  protected observe(node: SimulatedNode, event: MembershipEvent): void {
    if (!this.truth.honest.has(node.spec.id)) return
    this.words.observe(node, event)
    this.alarms.observe(node, event)
    this.naming.observe(node, event)
  }
}
