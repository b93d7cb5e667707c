// Slots at levels `curious` and `strong` under faults: words lost, repeated, late, members that crash and come back,
// stop for a while, leave, and partitions. Nobody lies. Distinct slots and one successor, always; and when all is healed,
// everybody who waits is served. Members run the shipped machine over a group in which arithmetic costs little.

import { type AnyProtocol, type NodeId, type Random, SettingsError, seededRandom } from '../../../core/index.ts'
import { type Group, idealSignatures, insecureBareGroup } from '../../../crypto/index.ts'
import {
  type AnyScenario,
  calm,
  drawFaults,
  drawNetwork,
  type Fault,
  type Micros,
  type NetworkFaults,
  overheard,
  type Plan,
  ProgressChecker,
  pick,
  type Scenario,
  type SimulatedNode,
  type Timed,
  type World,
} from '../../../simulator/index.ts'
import { type RingLevel, ringRules } from '../../ring/index.ts'
import { type SlotsSettings, slotsDefaults } from '../../settings.ts'
import { trustingMember } from '../../trusting/machine.ts'
import { trustingRules } from '../../trusting/rules.ts'
import type { HostedRing, TrustingState } from '../../trusting/state.ts'
import { type TrustingMessage, trustingVocabulary } from '../../trusting/wire.ts'
import { slotsRules } from '../../verified/rules.ts'
import type { SlotsEvent } from '../../verified/state.ts'
import { SeekersStage, type SlotsAct } from '../seekers.ts'
import { SeatChecker, SuccessorChecker } from '../verified/checkers.ts'
import { type PlantedTrustingBug, plantedTrustingBugs, type TrustingWeather } from './planted.ts'

export interface TrustingPlan extends Plan<SlotsAct> {
  readonly settings: SlotsSettings
  readonly members: readonly NodeId[]
  readonly rates: ReadonlyMap<NodeId, number>
  /** Members are stopped at bad moments. */
  readonly stops: boolean
  /** Two that do not hear each other, for good. */
  readonly cut: readonly NodeId[]
  readonly demands: boolean
}

export interface TrustingScenarioOptions {
  readonly level?: RingLevel
  readonly members?: number
  readonly planted?: PlantedTrustingBug
  readonly settings?: Partial<SlotsSettings>
  readonly weather?: TrustingWeather
  /** False: nothing goes wrong but the weather. */
  readonly faults?: boolean
}

/** What happened in a run, for tests that look whether anything did. */
export interface TrustingTally {
  /** Rounds that some member entered. */
  readonly rounds: number
  readonly seats: number
  readonly epochs: number
  readonly served: number
}

const SECOND: Micros = 1_000_000
const SAFETY = 15 * SECOND
/** Runs end when everybody is served: epochs, their leases, and as many rounds as a lottery may take. */
const LIVENESS = 600 * SECOND
/** How long a run goes on when everybody is served: old leases may still overlap. */
const AFTERWARDS = 4 * SECOND
/** Longer than the patience and the ballots of a restless group. */
const STOPPED = 4 * SECOND
const DRIFTS = [0.05, 0.2]
const MEMBERS_MAX_DRAWN = 6
/** Partitions, where the weather is made of them. */
const FAULTS_OF_WEATHER = 6

const drawnSettings: Omit<SlotsSettings, 'slots'> = {
  ...slotsDefaults,
  name: 'channels',
  lease: 3_000,
  beat: 100,
  checkMax: 800,
  patience: 2_000,
  settle: 8_000,
}

/** The scenario by the words of a command line: with a planted bug, where it shows soonest. */
export function trustingScenarioFor(asked: { level: RingLevel; members?: number; bug?: string }): AnyScenario {
  const { bug, ...where } = asked
  const planted = bug === undefined ? undefined : plantedTrustingBugs[bug]
  if (bug !== undefined && planted === undefined) {
    const known = Object.keys(plantedTrustingBugs).join(', ')
    throw new SettingsError(`there is no planted bug '${bug}' at this level; there are: ${known}.`)
  }
  return trustingScenario({ ...where, ...(planted && { planted }) })
}

export function trustingScenario(
  options: TrustingScenarioOptions = {},
): Scenario<TrustingPlan, SlotsAct> & { tally(): TrustingTally } {
  const { planted } = options
  const all = { ...planted, ...options, settings: { ...planted?.settings, ...options.settings } }
  let stage: TrustingStage | undefined
  return {
    name: `slots, ${options.level ?? 'curious or strong'}`,
    plan: random => drawPlan(random, all),
    stage(world, plan) {
      stage = new TrustingStage(world, plan, planted ?? {}).begin()
      return stage
    },
    tally: () => stage!.tally(),
  }
}

function drawPlan(random: Random, options: TrustingScenarioOptions): TrustingPlan {
  const { weather } = options
  const size = options.members ?? 4 + random.below(MEMBERS_MAX_DRAWN - 3)
  const members = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const settings = {
    ...drawSettings(random, size),
    ...(options.level && { level: options.level }),
    ...options.settings,
  }
  const acts = drawActs(random, members, weather)
  const faults = options.faults === false ? [] : faultsOf(random, members, weather)
  const first = random.below(size)
  const cut = weather === 'a broken link' ? [members[first]!, members[(first + 1) % size]!] : []
  const demands = weather !== 'successions'
  return {
    settings,
    members,
    cut,
    stops: weather === 'stops',
    rates: drawRates(random, members, settings.drift, acts, weather),
    network: networkOf(random, options),
    faults,
    acts,
    demands,
    healsAt: SAFETY,
    ends: demands ? SAFETY + LIVENESS : SAFETY + 1,
    drawn: {
      level: settings.level,
      members: size,
      slots: settings.slots.length,
      fairness: `${settings.fairness}${settings.paced ? ' paced' : ''}`,
      faults: faults.length,
    },
  }
}

function faultsOf(random: Random, members: readonly NodeId[], weather: TrustingWeather | undefined): Timed<Fault>[] {
  const drawn = drawFaults(random, { durable: members, all: members }, SAFETY, 5 * SECOND)
  const often = Array.from({ length: FAULTS_OF_WEATHER }, () => ({ at: random.below(SAFETY), by: random.below(1_000) }))
  switch (weather) {
    case undefined:
      return drawn
    case 'successions': {
      const half = (by: number) => members.filter((_member, place) => ((by >> place) & 1) === 1)
      return [
        ...drawn,
        ...often.map(({ at, by }) => ({
          kind: 'partition' as const,
          side: half(by),
          lasts: 3 * SECOND,
          oneWay: false,
          at,
        })),
      ]
    }
    default:
      return []
  }
}

function drawSettings(random: Random, members: number): SlotsSettings {
  return {
    ...drawnSettings,
    level: pick(random, ['curious', 'strong'] as const),
    slots: Array.from({ length: 1 + random.below(members - 1) }, (_, place) => `slot-${place + 1}`),
    drift: pick(random, DRIFTS),
    fairness: random.chance(0.3) ? 'rotating' : 'lottery',
    paced: random.chance(0.2),
  }
}

// The adversary's clocks sit at the ends of what is allowed as often as between.
function drawRates(
  random: Random,
  members: readonly NodeId[],
  drift: number,
  acts: TrustingPlan['acts'],
  weather: TrustingWeather | undefined,
): ReadonlyMap<NodeId, number> {
  const leaves = (member: NodeId) => acts.some(act => act.kind === 'leave' && act.member === member)
  const ends = weather === 'leavers' ? (member: NodeId) => (leaves(member) ? -1 : 1) : undefined
  const drawn = () => pick(random, [-1, -1, 0, 1, 1, random.unit() * 2 - 1])
  return new Map(members.map(member => [member, 1 + drift * (ends?.(member) ?? drawn())]))
}

const QUICK: NetworkFaults = { ...calm, inOrder: false }

function networkOf(random: Random, { weather, faults }: TrustingScenarioOptions): NetworkFaults {
  const drawn = drawNetwork(random)
  if (weather === 'stops') return { ...QUICK, delayMin: SECOND / 10, delaySpread: SECOND / 10 }
  if (weather === 'successions') return { ...drawn, loss: 0.3, tailChance: 0.1, tailMax: 3 * SECOND }
  return weather === undefined && faults !== false ? drawn : QUICK
}

function drawActs(random: Random, members: readonly NodeId[], weather: TrustingWeather | undefined) {
  const acts: Timed<SlotsAct>[] = []
  if (weather === 'successions') return acts
  const busy = weather === 'stops' ? 10 : 1 + random.below(10)
  const long = pick(random, [0.1, 0.3, 0.9])
  const longest = weather === undefined ? 0 : 6 * SECOND
  for (const member of members) {
    for (let i = 0; i < busy; i++) {
      const hold = longest + random.below(random.chance(long) ? 6 * SECOND : SECOND / 2)
      const patience = random.below(8 * SECOND) + longest
      acts.push({ kind: 'use', member, at: random.below(SAFETY), hold, patience })
    }
  }
  const seated = weather === 'leavers'
  if (seated || (weather === undefined && random.chance(0.2))) {
    acts.push({ kind: 'leave', member: pick(random, members), seated, at: random.below(SAFETY / 2) })
  }
  return acts
}

/** Bad moments: rotating, for the next coordinator; else for a member that asked for shares that are not there yet. */
function chanceToStop({ state: { round, position, ring } }: HostedRing, { fairness }: SlotsSettings): number {
  if (fairness === 'rotating') {
    return round.number > 0 && !round.passed && ringRules.coordinator(round.number, ring.length) === position ? 1 : 0
  }
  return round.ticket !== undefined && round.opened === undefined ? 0.2 : 0
}

class TrustingStage extends SeekersStage<TrustingPlan> {
  readonly checkers
  private readonly planted: Partial<PlantedTrustingBug>
  private readonly group: Group = insecureBareGroup()
  private readonly signatures = idealSignatures()
  private readonly seats = new SeatChecker()
  private readonly successors = new SuccessorChecker()
  private readonly progress = new ProgressChecker()
  /** Who waits since everything was healed. */
  private readonly demanding = new Set<NodeId>()
  private readonly rounds = new Set<string>()
  private readonly random: Random
  private stopsFrom: Micros = 0
  private served = 0

  constructor(world: World, plan: TrustingPlan, planted: Partial<PlantedTrustingBug>) {
    super(world, plan)
    this.planted = planted
    this.random = seededRandom(plan.acts.length + plan.members.length, plan.acts[0]?.at ?? 0)
    this.checkers = [this.seats, this.successors, this.progress]
  }

  protected populate(): void {
    for (const id of this.plan.members) this.add(id)
  }

  tally(): TrustingTally {
    return { rounds: this.rounds.size, seats: this.seats.seats, epochs: this.successors.epochs, served: this.served }
  }

  override healed(): void {
    if (this.plan.demands) super.healed()
  }

  protected override demand(): void {
    for (const member of this.plan.members) {
      // Who is cut off from its neighbour is left out while it is.
      if (this.leavers.has(member) || this.plan.cut.includes(member)) continue
      this.progress.demand(member, this.world.now)
      this.demanding.add(member)
      this.use({ kind: 'use', member, hold: SECOND / 10, patience: this.plan.ends })
    }
  }

  protected override finish(): void {
    this.progress.finish(this.world.now)
  }

  private add(id: NodeId): void {
    const { settings, members, rates } = this.plan
    const { rules, trusting } = this.planted
    const { group, signatures } = this
    const machine = trustingMember({
      settings,
      members: members.map(name => ({ name, identity: signatures.signer(name).publicKey })),
      group,
      signer: signatures.signer(id),
      signatures,
      rules: { ...slotsRules, ...rules },
      trusting: { ...trustingRules, ...trusting },
    })
    const spec = { id, protocol: this.heard(id, machine), peers: members, vocabulary: trustingVocabulary }
    this.addNode({ ...spec, clockRate: rates.get(id)!, clockOffset: 777, diskMax: 5_000 })
    this.world.start(id)
  }

  /** The same machine; rounds are counted, and where a link is broken nothing passes. */
  private heard(id: NodeId, protocol: AnyProtocol): AnyProtocol {
    const { rounds, plan } = this
    const stop = (member: NodeId, chance: number) => this.stop(member, chance)
    const isCut = (to: NodeId) => plan.cut.includes(id) && plan.cut.includes(to)
    const linked = overheard<TrustingState, TrustingMessage, SlotsEvent>(
      protocol,
      effect => effect.kind !== 'send' || !isCut(effect.to),
    )
    return {
      ...linked,
      step(state: TrustingState, input, turn) {
        linked.step(state, input, turn)
        if (state.ring === undefined) return
        rounds.add(`${state.ring.number}/${state.ring.state.round.number}`)
        if (plan.stops && state.waiting.length > 0) stop(id, chanceToStop(state.ring, plan.settings))
      },
    }
  }

  /** Stops a member at a bad moment, for long enough that the others go on without it. */
  private stop(member: NodeId, chance: number): void {
    const { world } = this
    if (world.now < this.stopsFrom || world.now > SAFETY - STOPPED || !this.random.chance(chance)) return
    this.stopsFrom = world.now + 2 * STOPPED
    world.at(world.now, () => world.pause(member))
    world.at(world.now + STOPPED, () => world.resume(member))
  }

  protected observe(node: SimulatedNode, event: SlotsEvent): void {
    const { world } = this
    switch (event.kind) {
      case 'epoch':
        return this.reached(node)
      case 'seat':
        return this.sits(node, event)
      case 'released':
        this.seats.left(event.id, world.now)
        return
      case 'lost':
        // A process that was stopped could not be told in time; its clock tells it as soon as it runs.
        if (world.now > node.resumedAt) this.seats.told(event.id, world.now)
        this.seats.left(event.id, world.now)
        return
      default:
        return
    }
  }

  private sits(node: SimulatedNode, event: SlotsEvent & { kind: 'seat' }): void {
    const { world } = this
    const { id: member } = node.spec
    this.seats.seated(event.slot, event.id, member, world.now, world.whenClockShows(node, event.deadline))
    this.progress.served(member)
    if (this.demanding.delete(member)) this.served++
    // When all who asked after healing are served, the rest would be idle rounds.
    if (this.demanding.size === 0 && world.now > SAFETY) world.at(world.now + AFTERWARDS, () => this.crashAll())
    if (this.leaving.delete(member)) world.command(member, { kind: 'leave' })
    const hold = this.holds.get(event.id) ?? 0
    this.holds.delete(event.id)
    const { life } = node
    world.at(world.now + hold, () => {
      if (node.life === life) world.command(member, { kind: 'release', id: event.id })
    })
  }

  private reached(node: SimulatedNode): void {
    const state = node.host?.state as TrustingState | undefined
    if (state === undefined) return this.world.at(this.world.now, () => this.reached(node))
    const { record, hash } = state.epoch
    this.successors.reached(record.number, hash, node.spec.id, this.world.now)
  }
}
