// A private run as members play it: found, agreed on, played and answered, while every one of them is killed, stopped and cut
// off, and its owner's program begins again with each life. One of the owners asks, or somebody without an arm; an owner may
// refuse.

import type { AnyProtocol, NodeId, Random } from '../../core/index.ts'
import {
  drawFaults,
  drawNetwork,
  type Micros,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../simulator/index.ts'
import type { ArmState } from '../arm/state.ts'
import { auditRun } from '../audit/audit.ts'
import type { NumberedEntry } from '../member/entries.ts'
import { banditMember } from '../member/machine.ts'
import type { BanditMemberEvent, BanditMemberState, Wanted } from '../member/state.ts'
import { banditMemberVocabulary } from '../member/wire.ts'
import type { Source } from '../open.ts'
import { rewardGrid } from '../rewards.ts'
import { type BanditRules, banditRules } from '../rules.ts'
import { scheduleOf } from '../schedule.ts'
import { ALGORITHMS, type Algorithm } from '../settings.ts'
import { PullChecker } from './checkers.ts'
import { idealParties } from './ideal.ts'
import { drawKill, type Kill, killing } from './kills.ts'
import { tapes } from './tapes.ts'
import { openTwin } from './twin.ts'

/** The user's program asks for the run. */
export interface MemberRunAct {
  readonly kind: 'ask'
}

/** Everything that is drawn for one run. */
export interface MemberRunPlan extends Plan<MemberRunAct> {
  readonly algorithm: Algorithm
  readonly arms: number
  readonly budget: number
  readonly tapes: number
  /** The run is to be audited. */
  readonly audit: boolean
  /** The user has an arm. */
  readonly ownsArm: boolean
  /** The place of an owner that refuses; beyond the last: nobody does. */
  readonly refuses: number
  readonly kill?: Kill
}

/** Steps of a member in the longest run, more or less. */
const STEPS_MAX = 80
const SECOND: Micros = 1_000_000
const SAFETY = 15 * SECOND
const LIVENESS = 60 * SECOND
const PATIENCE_MS = 50_000
const REPEAT_MS = 250
const AGAIN: Micros = SECOND / 2
const PULL_MAX: Micros = 4_000
const NAME = 'colour'
const SHUFFLER = 'north'
const COMPARATOR = 'south'

/** A run among members under faults, for the simulator. */
export function memberRunScenario(
  rules: BanditRules = banditRules,
  kills = false,
): Scenario<MemberRunPlan, MemberRunAct> {
  return {
    name: 'bandit-members',
    plan: random => drawPlan(random, kills),
    stage: (world, plan) => new MemberRunStage(world, plan, rules).begin(),
  }
}

function drawPlan(random: Random, kills: boolean): MemberRunPlan {
  const arms = 2 + random.below(3)
  const algorithm = pick(random, ALGORITHMS)
  const ownsArm = random.below(2) === 0
  const names = [...owners(arms), SHUFFLER, COMPARATOR, ...(ownsArm ? [] : ['user'])]
  const faults = drawFaults(random, { durable: names, all: names }, SAFETY, 3 * SECOND)
  const refuses = random.below(4 * arms)
  const plan: MemberRunPlan = {
    algorithm,
    arms,
    budget: 3 * arms + random.below(20),
    tapes: random.below(2 ** 20),
    ownsArm,
    audit: random.below(2) === 0,
    refuses,
    network: drawNetwork(random),
    faults,
    acts: [{ kind: 'ask', at: random.below(SECOND) }],
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      algorithm,
      arms,
      user: ownsArm ? 'owns an arm' : 'owns none',
      refused: Number(refuses < arms),
      faults: faults.length,
    },
  }
  if (!kills) return plan
  const kill = drawKill(random, names, STEPS_MAX)
  return { ...plan, faults: [], kill, drawn: { ...plan.drawn, faults: 0, kill: `${kill.party} ${kill.step}` } }
}

const owners = (arms: number) => Array.from({ length: arms }, (_, place) => `owner-${place + 1}`)
const armName = (place: number) => `arm-${place + 1}`

class MemberRunStage extends ScenarioStage<MemberRunPlan, MemberRunAct, BanditMemberEvent> {
  readonly checkers
  private readonly parties = idealParties()
  private readonly pulls: PullChecker
  private readonly sources: readonly Source[]
  private readonly rules: BanditRules
  private readonly owners: readonly NodeId[]
  private readonly user: NodeId
  private readonly wanted: Wanted
  private isAsked = false
  private refused = false

  constructor(world: World, plan: MemberRunPlan, rules: BanditRules) {
    super(world, plan)
    const { algorithm, arms, budget, ownsArm } = plan
    this.rules = rules
    this.owners = owners(arms)
    this.user = ownsArm ? this.owners[0]! : 'user'
    this.sources = tapes(plan.tapes, arms, 3)
    this.pulls = new PullChecker(scheduleOf({ algorithm, arms: this.owners, budget, batch: 0 }), arms)
    this.checkers = [this.pulls]
    const roles = { shuffler: SHUFFLER, comparator: COMPARATOR, patience: PATIENCE_MS, audit: plan.audit }
    const named = this.owners.map((_, place) => armName(place))
    this.wanted = { name: NAME, algorithm, arms: named, budget, batch: 0, rewards: [0, 1], ...roles }
  }

  private get everybody(): readonly NodeId[] {
    return [...new Set([...this.owners, SHUFFLER, COMPARATOR, this.user])]
  }

  protected populate(): void {
    for (const id of this.everybody) {
      const keysOf = ({ member }: { readonly member: NodeId }) => this.parties.party(member)
      const protocol = banditMember({ keys: this.parties.keysOf(id), repeat: REPEAT_MS, rules: this.rules, keysOf })
      const spec = { id, protocol: this.begun(id, protocol), peers: [], vocabulary: banditMemberVocabulary }
      this.addNode({ ...spec, diskMax: 3_000 })
      this.world.start(id)
    }
  }

  /** The owner's program begins with each life. */
  private begun(id: NodeId, node: AnyProtocol): AnyProtocol {
    const { world } = this
    const { kill } = this.plan
    const begun: AnyProtocol = {
      ...node,
      step: (state, input, turn) => {
        node.step(state, input, turn)
        if (input.kind === 'start') world.at(world.now, () => this.enter(id))
      },
    }
    return kill === undefined ? begun : killing(world, kill, id, begun)
  }

  private enter(id: NodeId): void {
    for (const member of this.everybody) {
      this.world.command(id, { kind: 'changed', view: { member, identity: new Uint8Array(0), keys: [] } })
    }
    const place = this.owners.indexOf(id)
    if (place >= 0) this.world.command(id, { kind: 'serve', name: NAME, arm: armName(place), runs: 1 })
    if (id === this.user && this.isAsked) this.ask()
  }

  protected act(_act: MemberRunAct): void {
    this.isAsked = true
    this.ask()
  }

  private ask(): void {
    if (this.pulls.ended === undefined && !this.refused)
      this.world.command(this.user, { kind: 'ask', wanted: this.wanted })
  }

  protected override finish(): void {
    if (this.answered && this.plan.audit) this.audit()
    if (this.isAsked && !this.refused) this.pulls.finish(this.world.now, this.plan.refuses >= this.plan.arms)
  }

  protected observe(node: SimulatedNode, event: BanditMemberEvent): void {
    const { world } = this
    const { id } = node.spec
    this.compare()
    switch (event.kind) {
      case 'asked': {
        const why = this.plan.refuses === this.owners.indexOf(id) ? 'no' : undefined
        return world.at(world.now + PULL_MAX, () => world.command(id, { kind: 'consent', id: event.terms.id, why }))
      }
      case 'pull':
        return this.pull(id, event)
      case 'log':
        return this.write(id, event)
      case 'answered':
        this.answered = true
        return this.pulls.answered(event.best, event.steps, world.now)
      case 'stopped':
        this.pulls.ended = 'stopped'
        return
      case 'unstarted':
        this.refused = event.why.endsWith('declined: no')
        // Somebody was still in a run that its user has forgotten: it asks anew.
        if (!this.refused) world.at(world.now + AGAIN, () => this.ask())
        return
      default:
        return
    }
  }

  private pull(id: NodeId, { id: run, number }: BanditMemberEvent & { kind: 'pull' }): void {
    const { world } = this
    const arm = this.owners.indexOf(id)
    if (this.plan.refuses < this.plan.arms) this.pulls.broken(`arm ${arm} pulled, and an owner has refused`, world.now)
    // A user that was killed before it began asks for another run: what counts is the one that is pulled for.
    this.pulledRun ??= run
    this.compare()
    this.pulls.pull(arm, number, -1, world.now)
    const steps = rewardGrid().steps(this.sources[arm]!(number))
    world.at(world.now + ((number * 977) % PULL_MAX), () =>
      world.command(id, { kind: 'reward', id: run, number, steps }),
    )
  }

  /** What the owners' programs wrote, by member and run. */
  private readonly files = new Map<string, NumberedEntry[]>()
  private answered = false

  private write(id: NodeId, { id: run, number, entry }: BanditMemberEvent & { kind: 'log' }): void {
    const key = `${run} ${id}`
    this.files.set(key, [...(this.files.get(key) ?? []), { number, entry }])
  }

  /** Whatever crashed in between: an honest run is found right. */
  private audit(): void {
    const logs = [...this.files].filter(([key]) => key.startsWith(this.answeredRun())).map(([, file]) => file)
    const result = auditRun(this.parties.tools, logs)
    if (result.verdict !== 'right') this.pulls.broken(`the audit says: ${JSON.stringify(result)}`, this.world.now)
  }

  private answeredRun(): string {
    const closed = [...this.files].find(
      ([key, file]) => key.endsWith(` ${this.user}`) && file.at(-1)?.entry.kind === 'closed',
    )
    return closed?.[0].split(' ')[0] ?? ''
  }

  private isCompared = false
  private pulledRun: string | undefined
  /** What the arms of each run drew; a member that is down now was seen before. */
  private readonly drawn = new Map<string, Map<NodeId, ArmState>>()

  /** The open run, once every arm has its keys; they are the same in every life. */
  private compare(): void {
    if (this.isCompared) return
    for (const id of this.owners) {
      for (const { terms, run, roles } of this.stateOf<BanditMemberState>(id)?.runs.values() ?? []) {
        const state = roles.get('arm')?.state as ArmState | undefined
        if (state?.keys === undefined) continue
        const drawn = this.drawn.get(terms.id) ?? new Map<NodeId, ArmState>()
        this.drawn.set(terms.id, drawn.set(id, state))
        if (drawn.size < this.owners.length || terms.id !== this.pulledRun) continue
        this.isCompared = true
        const states = this.owners.map(owner => drawn.get(owner)!)
        return this.pulls.compare(openTwin(run, this.parties.tools, states, this.sources))
      }
    }
  }
}
