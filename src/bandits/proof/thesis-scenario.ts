// The thesis's protocols as members play them: UCB-DS and UCB-DS2 on sources, SR-secured on values, while every member is killed,
// stopped and cut off. The answer is that of the open algorithm with the order of ties, and the noise, that the parties drew.

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
import { makers } from '../member/hosting.ts'
import { banditMember } from '../member/machine.ts'
import type { BanditMemberEvent, BanditMemberState, Wanted } from '../member/state.ts'
import { banditMemberVocabulary, type Role } from '../member/wire.ts'
import { playOpen, type Source } from '../open.ts'
import { rejectPhases } from '../phases.ts'
import { ucb1 } from '../policies/index.ts'
import { rewardGrid } from '../rewards.ts'
import { type BanditRules, banditRules } from '../rules.ts'
import { scheduleOf } from '../schedule.ts'
import type { BanditKeys, BanditSettings, Level } from '../settings.ts'
import { ringOf } from '../thesis/controller/machine.ts'
import { noiseOf, noiseSum } from '../thesis/drawer/noise.ts'
import { PullChecker, type Twin } from './checkers.ts'
import { idealParties } from './ideal.ts'
import { drawKill, type Kill, killing } from './kills.ts'
import { tapes } from './tapes.ts'
import { type ThesisLiar, thesisLiars } from './thesis-liars.ts'

/** The user's program asks for the run. */
export interface ThesisAct {
  readonly kind: 'ask'
}

/** Everything that is drawn for one run. */
export interface ThesisPlan extends Plan<ThesisAct> {
  readonly level: Level
  readonly arms: number
  readonly budget: number
  readonly tapes: number
  readonly values: readonly number[]
  readonly lie?: number
  readonly kill?: Kill
}

/** Steps of a member in the longest run, more or less. */
const STEPS_MAX = 60

const SECOND: Micros = 1_000_000
/** A run takes a second or two: faults fall into it. */
const SAFETY = 3 * SECOND
const LIVENESS = 60 * SECOND
const PATIENCE_MS = 50_000
const REPEAT_MS = 250
const AGAIN: Micros = SECOND / 2
const ANSWER_MAX: Micros = 4_000
const NAME = 'colour'
const SHUFFLER = 'north'
const COMPARATOR = 'south'
const USER = 'user'
const EPSILON = 50_000
const LEVELS: readonly Level[] = ['ucb-d', 'ucb-ds', 'ucb-ds2', 'sr-secured']

/** What may be chosen of a run; the rest is drawn. */
export interface ThesisScenarioShape {
  readonly rules?: BanditRules
  /** Which lie, by its place among all; the level is one that it is told in. */
  readonly lie?: number
  /** Whether somebody lies, in a way that is drawn. */
  readonly liars?: number
  /** In place of faults, one party is killed at one of its steps. */
  readonly kills?: boolean
}

/** A run of the thesis's protocols among members under faults, for the simulator. */
export function thesisScenario(options: ThesisScenarioShape = {}): Scenario<ThesisPlan, ThesisAct> {
  return {
    name: 'bandit-thesis',
    plan: random => drawPlan(random, options),
    stage: (world, plan) => new ThesisStage(world, plan, options.rules ?? banditRules).begin(),
  }
}

const seatNames = (level: Level, arms: number) =>
  Array.from({ length: level === 'sr-secured' ? arms - 1 : arms }, (_, place) => `member-${place + 1}`)

function drawPlan(random: Random, options: ThesisScenarioShape): ThesisPlan {
  const drawnLevel = pick(random, LEVELS)
  const lie = options.lie ?? (options.liars ? random.below(thesisLiars().length) : undefined)
  const told = lie === undefined ? LEVELS : thesisLiars()[lie]!.levels
  const level = told.includes(drawnLevel) ? drawnLevel : pick(random, told)
  const arms = 2 + random.below(3)
  const names = [...seatNames(level, arms), SHUFFLER, COMPARATOR, USER]
  const faults = drawFaults(random, { durable: names, all: names }, SAFETY, SECOND)
  const plan: ThesisPlan = {
    level,
    arms,
    budget: 3 * arms + random.below(20),
    tapes: random.below(2 ** 20),
    values: Array.from({ length: arms }, () => random.below(200_000) - 100_000),
    network: drawNetwork(random),
    faults,
    acts: [{ kind: 'ask', at: random.below(SECOND) }],
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: { level, arms, faults: faults.length, liar: lie === undefined ? 'none' : thesisLiars()[lie]!.name },
    ...(lie !== undefined && { lie }),
  }
  if (!options.kills) return plan
  const kill = drawKill(random, names, STEPS_MAX)
  return { ...plan, faults: [], kill, drawn: { ...plan.drawn, faults: 0, kill: `${kill.party} ${kill.step}` } }
}

class ThesisStage extends ScenarioStage<ThesisPlan, ThesisAct, BanditMemberEvent> {
  readonly checkers
  private readonly parties = idealParties()
  private readonly pulls: PullChecker
  private readonly sources: readonly Source[]
  private readonly rules: BanditRules
  private readonly seats: readonly NodeId[]
  private readonly wanted: Wanted
  /** The secrets that the answer follows from, by role and member. */
  private readonly secrets = new Map<string, Uint8Array>()
  private isAsked = false
  private isCompared = false

  constructor(world: World, plan: ThesisPlan, rules: BanditRules) {
    super(world, plan)
    const { level, arms, budget, values } = plan
    this.rules = rules
    this.liar = plan.lie === undefined ? undefined : thesisLiars()[plan.lie]!
    this.seats = seatNames(level, arms)
    this.sources = tapes(plan.tapes, arms, 3)
    const isSearch = level === 'sr-secured'
    const algorithm = isSearch ? 'successive-rejects' : 'ucb1'
    this.pulls = new PullChecker(scheduleOf({ algorithm, arms: { length: arms }, budget, batch: 0 }), arms)
    this.checkers = [this.pulls]
    this.wanted = {
      name: NAME,
      algorithm,
      level,
      arms: values.map((_, place) => `arm-${place + 1}`),
      budget,
      batch: 0,
      rewards: [0, 1],
      shuffler: SHUFFLER,
      comparator: isSearch ? COMPARATOR : SHUFFLER,
      patience: PATIENCE_MS,
      audit: false,
      ...(isSearch && { search: { drawers: this.seats, values, epsilon: EPSILON } }),
    }
  }

  private readonly liar: ThesisLiar | undefined

  private get liarId(): NodeId {
    const { part } = this.liar!
    return part === 'arm' ? this.seats[0]! : part === 'shuffler' ? SHUFFLER : COMPARATOR
  }

  private disguised(role: Role, settings: BanditSettings, keys: BanditKeys): AnyProtocol | undefined {
    const { part, corrupt } = this.liar!
    return role === part ? corrupt(makers[this.plan.level][role]!(settings, keys)) : undefined
  }

  /** Whether the answer must be right where there is one. */
  private get isRefused(): boolean {
    return this.liar?.refused ?? true
  }

  private get everybody(): readonly NodeId[] {
    return [...this.seats, SHUFFLER, COMPARATOR, USER]
  }

  protected populate(): void {
    for (const id of this.everybody) {
      const keysOf = ({ member }: { readonly member: NodeId }) => this.parties.party(member)
      const lies = this.liar !== undefined && this.liarId === id
      const protocol = banditMember({
        keys: this.parties.keysOf(id),
        repeat: REPEAT_MS,
        rules: this.rules,
        keysOf,
        ...(lies && { disguise: (role, settings, keys) => this.disguised(role, settings, keys) }),
      })
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
        this.look(id, state as BanditMemberState)
        if (input.kind === 'start') world.at(world.now, () => this.enter(id))
      },
    }
    return kill === undefined ? begun : killing(world, kill, id, begun)
  }

  private enter(id: NodeId): void {
    for (const member of this.everybody) {
      this.world.command(id, { kind: 'changed', view: { member, identity: new Uint8Array(0), keys: [] } })
    }
    const place = this.seats.indexOf(id)
    if (place >= 0 && this.plan.level !== 'sr-secured') {
      this.world.command(id, { kind: 'serve', name: NAME, arm: `arm-${place + 1}`, runs: 1 })
    }
    if (id === USER && this.isAsked) this.ask()
  }

  protected act(_act: ThesisAct): void {
    this.isAsked = true
    this.ask()
  }

  private ask(): void {
    if (this.pulls.ended === undefined) this.world.command(USER, { kind: 'ask', wanted: this.wanted })
  }

  protected override finish(): void {
    if (this.isAsked) this.pulls.finish(this.world.now, this.liar === undefined)
  }

  protected observe(node: SimulatedNode, event: BanditMemberEvent): void {
    const { world } = this
    const { id } = node.spec
    const later = (body: unknown) => world.at(world.now + ANSWER_MAX, () => world.command(id, body))
    switch (event.kind) {
      case 'asked':
        return later({ kind: 'consent', id: event.terms.id, why: undefined })
      case 'primes':
        return later({ kind: 'primes', id: event.id, p: Uint8Array.of(11), q: Uint8Array.of(13) })
      case 'pull':
        return this.pull(id, event)
      case 'answered':
        if (!this.isRefused) {
          this.pulls.ended = 'answered'
          return
        }
        this.compare()
        return this.pulls.answered(event.best, event.steps, world.now)
      case 'stopped':
        this.pulls.ended = 'stopped'
        return
      case 'unstarted':
        // Somebody was still in a run that its user has forgotten: it asks anew.
        return world.at(world.now + AGAIN, () => this.ask())
      default:
        return
    }
  }

  private pull(id: NodeId, { id: run, number }: BanditMemberEvent & { kind: 'pull' }): void {
    const { world } = this
    const arm = this.seats.indexOf(id)
    const most = this.plan.budget - this.plan.arms + 1
    if (number > most) this.pulls.broken(`arm ${arm} pulled more than ${most} times`, world.now)
    if (this.isRefused) this.pulls.pull(arm, number, -1, world.now)
    const steps = rewardGrid().steps(this.sources[arm]!(number))
    world.at(world.now + ((number * 977) % ANSWER_MAX), () =>
      world.command(id, { kind: 'reward', id: run, number, steps }),
    )
  }

  private look(id: NodeId, { runs }: BanditMemberState): void {
    for (const { roles } of runs.values()) {
      const role: Role = id === SHUFFLER ? 'shuffler' : 'arm'
      const { secret } = (roles.get(role)?.state ?? {}) as { readonly secret?: Uint8Array }
      if (secret !== undefined && secret.length > 0) this.secrets.set(id, secret)
    }
  }

  private compare(): void {
    if (this.isCompared) return
    this.isCompared = true
    this.pulls.compare(this.plan.level === 'sr-secured' ? this.searched() : this.earned())
  }

  /** Of equals the first in the ring leads. */
  private earned(): Twin {
    const { arms, budget } = this.plan
    const secret = this.secrets.get(SHUFFLER)!
    const ties = (arm: number, all: number) => -ringOf(this.parties.tools, secret, all - arms, arms)[arm]!
    return playOpen(ucb1, this.sources, budget, { ties })
  }

  /** No two sums are equal but once in many thousand runs: values and noise are drawn from a wide range. */
  private searched(): Twin {
    const { arms, budget, values } = this.plan
    const totals = values.map(() => 0)
    let left = [...values.keys()]
    for (const [phase, { pulls }] of rejectPhases(arms, budget).entries()) {
      const secret = this.secrets.get(this.seats[phase]!)!
      for (const arm of left) {
        const noise = noiseSum(noiseOf(this.parties.tools, secret, phase, arm), EPSILON, 0, pulls)
        totals[arm]! += pulls * values[arm]! + noise
      }
      const least = Math.min(...left.map(arm => totals[arm]!))
      left = left.filter(arm => totals[arm] !== least)
    }
    return { arms: values.map(() => ({ pulls: 0, sum: 0 })), sum: 0, spent: 0, order: [], best: left[0]! }
  }
}
