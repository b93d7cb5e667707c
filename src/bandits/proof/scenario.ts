// A private run under faults and one liar: every party is killed, stopped and cut off at any step.

import type { AnyProtocol, NodeId, Random } from '../../core/index.ts'
import {
  calm,
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
import { banditArm } from '../arm/machine.ts'
import type { ArmState } from '../arm/state.ts'
import { banditComparator } from '../comparator/machine.ts'
import type { ComparatorState } from '../comparator/state.ts'
import type { Source } from '../open.ts'
import { rewardGrid } from '../rewards.ts'
import { type BanditRules, banditRules } from '../rules.ts'
import { scheduleOf } from '../schedule.ts'
import { ALGORITHMS, type Algorithm, type BanditKeys, type BanditRun, type BanditSettings } from '../settings.ts'
import { banditShuffler } from '../shuffler/machine.ts'
import type { BanditEvent } from '../table.ts'
import { banditUser } from '../user/machine.ts'
import { type BanditMessage, banditVocabulary } from '../wire.ts'
import { PullChecker, ViewChecker } from './checkers.ts'
import { idealParties } from './ideal.ts'
import { drawKill, type Kill, killing } from './kills.ts'
import { type BanditLiar, banditLiars, listening } from './liars.ts'
import { tapes } from './tapes.ts'
import { idealRun } from './together.ts'
import { openTwin } from './twin.ts'

/** The user asks for a run. */
export interface BanditAct {
  readonly kind: 'begin'
}

/** Everything that is drawn for one run. */
export interface BanditPlan extends Plan<BanditAct> {
  readonly algorithm: Algorithm
  readonly arms: number
  readonly budget: number
  readonly batch: number
  readonly tapes: number
  /** Which lie, and which arm tells it if an arm does. */
  readonly lie: number | undefined
  readonly lyingArm: number
  readonly kill?: Kill
}

/** What may be chosen of a run; the rest is drawn. */
export interface BanditScenarioShape {
  readonly rules?: BanditRules
  /** Whether somebody lies. */
  readonly liars?: number
  /** Which lie, by its place among all. */
  readonly lie?: number
  readonly algorithm?: Algorithm
  /** In place of faults, one party is killed: the one that is drawn, or this one in the smallest run. */
  readonly kill?: 'drawn' | Kill
}

/** Steps of a party in the longest run, more or less: turns, boxes, answers, and what is said again. */
const STEPS_MAX = 60
const SECOND: Micros = 1_000_000
const SAFETY = 15 * SECOND
const LIVENESS = 60 * SECOND
const REPEAT_MS = 250
/** Told before the end, whatever was slept through. */
const TIMEOUT_MS = 40_000
const PULL_MAX: Micros = 4_000

/** A private run under faults, for the simulator. */
export function banditScenario(options: BanditScenarioShape = {}): Scenario<BanditPlan, BanditAct> {
  return {
    name: 'bandits',
    plan: random => drawPlan(random, options),
    stage: (world, plan) => new BanditStage(world, plan, options.rules ?? banditRules).begin(),
  }
}

function drawPlan(random: Random, options: BanditScenarioShape): BanditPlan {
  const arms = 2 + random.below(4)
  const algorithm = options.algorithm ?? pick(random, ALGORITHMS)
  const names = [...Array.from({ length: arms }, (_, place) => `arm-${place + 1}`), 'shuffler', 'comparator', 'user']
  const faults = drawFaults(random, { durable: names, all: names }, SAFETY, 3 * SECOND)
  const kinds = banditLiars()
  const drawnLie = random.below(kinds.length)
  const lie = options.lie ?? (options.liars ? drawnLie : undefined)
  const plan: BanditPlan = {
    algorithm,
    arms,
    budget: 3 * arms + random.below(30),
    batch: pick(random, [0, 0, 0.2]),
    tapes: random.below(2 ** 20),
    lie,
    lyingArm: random.below(arms),
    network: drawNetwork(random),
    faults,
    acts: [{ kind: 'begin', at: random.below(SECOND) }],
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: { algorithm, arms, liar: lie === undefined ? 'none' : kinds[lie]!.name, faults: faults.length },
  }
  if (options.kill === undefined) return plan
  const kill = options.kill === 'drawn' ? drawKill(random, names, STEPS_MAX) : options.kill
  const killed = { ...plan, faults: [], kill, drawn: { ...plan.drawn, faults: 0, kill: `${kill.party} ${kill.step}` } }
  return options.kill === 'drawn' ? killed : { ...killed, arms: 2, budget: 6, batch: 0, network: calm }
}

class BanditStage extends ScenarioStage<BanditPlan, BanditAct, BanditEvent> {
  readonly checkers
  private readonly parties = idealParties()
  private readonly run: BanditRun
  private readonly settings: BanditSettings
  private readonly course
  private readonly sources: readonly Source[]
  private readonly pulls: PullChecker
  private readonly views = new ViewChecker()
  private readonly liar: BanditLiar | undefined
  private readonly ids: readonly NodeId[]

  constructor(world: World, plan: BanditPlan, rules: BanditRules) {
    super(world, plan)
    const { algorithm, budget, batch, arms } = plan
    this.run = idealRun({ algorithm, budget, batch }, arms, this.parties)
    this.settings = { run: this.run, repeat: REPEAT_MS, timeout: TIMEOUT_MS, rules }
    this.course = scheduleOf(this.run)
    this.sources = tapes(plan.tapes, arms, 3)
    this.pulls = new PullChecker(this.course, arms)
    this.checkers = [this.pulls, this.views]
    this.liar = plan.lie === undefined ? undefined : banditLiars()[plan.lie]!
    this.ids = this.run.arms.map(({ id }) => id)
  }

  protected populate(): void {
    const { settings } = this
    for (const [place, id] of this.ids.entries()) {
      const lies = this.liar?.part === 'arm' && this.plan.lyingArm === place
      this.addParty(id, keys => this.armHeard(place, banditArm(settings, keys)), lies)
    }
    this.addParty(
      'shuffler',
      keys => this.shufflerHeard(banditShuffler(settings, keys)),
      this.liar?.part === 'shuffler',
    )
    this.addParty(
      'comparator',
      keys => this.comparatorHeard(banditComparator(settings, keys)),
      this.liar?.part === 'comparator',
    )
    this.addParty('user', keys => banditUser(settings, keys), false)
  }

  private addParty(id: NodeId, make: (keys: BanditKeys) => AnyProtocol, lies: boolean): void {
    const honest = this.parties.keysOf(id)
    const keys = lies ? (this.liar!.keys?.(honest) ?? honest) : honest
    const made = make(keys)
    const protocol = this.plan.kill === undefined ? made : killing(this.world, this.plan.kill, id, made)
    const spec = { id, protocol, peers: [], vocabulary: banditVocabulary, diskMax: 3_000 }
    this.addNode(spec, lies ? one => this.liar!.corrupt(one) : undefined)
    this.world.start(id)
  }

  private armHeard(place: number, protocol: AnyProtocol): AnyProtocol {
    return listening(protocol, (from, body) => {
      if (body.kind === 'turn' && from === 'shuffler' && this.liar?.part !== 'shuffler') this.views.seat(place, body)
    })
  }

  private shufflerHeard(protocol: AnyProtocol): AnyProtocol {
    return listening(protocol, (from, body: BanditMessage) => {
      const { now } = this.world
      if (body.kind === 'box' && this.liar?.part !== 'arm') this.views.box(from, body, now)
      if (body.kind === 'tokens' && this.liar?.part !== 'comparator') this.views.tokens(body, now)
    })
  }

  private comparatorHeard(protocol: AnyProtocol): AnyProtocol {
    return listening(protocol, (_from, _body, state) => this.views.remembers(state as ComparatorState, this.world.now))
  }

  protected act(_act: BanditAct): void {
    this.world.command('user', { kind: 'begin' })
  }

  /** The user's process may have been down when it was to ask. */
  protected override demand(): void {
    this.world.command('user', { kind: 'begin' })
  }

  protected override finish(): void {
    this.pulls.finish(this.world.now, this.liar === undefined)
    this.views.finish(this.world.now, this.plan.arms, this.course.rounds)
  }

  protected observe(node: SimulatedNode, event: BanditEvent): void {
    const { world } = this
    const { id } = node.spec
    switch (event.kind) {
      case 'pull':
        return this.pull(id, event.number, event.round)
      case 'answered':
        this.compare()
        return this.pulls.answered(event.best, event.steps, world.now)
      case 'stopped':
        if (id === 'user') this.pulls.ended = 'stopped'
        return
      default:
        return
    }
  }

  private pull(id: NodeId, number: number, round: number): void {
    const { world } = this
    const arm = this.ids.indexOf(id)
    this.pulls.pull(arm, number, round, world.now)
    this.compare()
    const steps = rewardGrid().steps(this.sources[arm]!(number))
    world.at(world.now + ((number * 977) % PULL_MAX), () => world.command(id, { kind: 'reward', number, steps }))
  }

  private twin: ReturnType<typeof openTwin> | undefined

  /** The open run, once every arm has its keys; they are the same in every life. */
  private compare(): void {
    if (this.twin === undefined) {
      const states = this.ids.map(id => this.stateOf<ArmState>(id))
      if (states.some(state => state?.keys === undefined)) return
      this.twin = openTwin(this.run, this.parties.tools, states as ArmState[], this.sources)
    }
    this.pulls.compare(this.twin)
  }
}
