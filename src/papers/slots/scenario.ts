// The ring by itself, without epochs and leases, among members that follow it; corrected, or with an erratum planted: messages are lost, repeated, late and out of order, and in some runs
// members crash and come back. Slots stay distinct in all of them. Progress is demanded where nobody crashed: a member
// without its key holds up the ring, which is why `verified` has epochs.

import { type AnyProtocol, type Effect, type NodeId, type Random, SettingsError } from '../../core/index.ts'
import { insecureBareGroup, insecureSmallGroup } from '../../crypto/index.ts'
import {
  drawFaults,
  drawNetwork,
  ExclusionChecker,
  type Micros,
  type Plan,
  ProgressChecker,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type Timed,
  type World,
} from '../../simulator/index.ts'
import {
  RING_MAX,
  type RingEvent,
  type RingMessage,
  type RingSettings,
  ringDefaults,
  ringMember,
  ringVocabulary,
  tableTickets,
} from '../../slots/ring/index.ts'
import { AnnouncementChecker, ReadableChecker, RoundsChecker } from './checkers.ts'
import { type PlantedErratum, plantedErrata } from './errata.ts'
import { flawedRules } from './flaws.ts'
import { restartingMember } from './restarting.ts'
import { SMALL_MODULUS, squareTickets } from './tickets.ts'

export interface RingAct {
  readonly kind: 'use'
  readonly member: NodeId
  readonly hold: Micros
}

export interface RingPlan extends Plan<RingAct> {
  readonly settings: RingSettings
  readonly members: readonly NodeId[]
  readonly rates: ReadonlyMap<NodeId, number>
  /** Somebody may lose its key: then nothing is promised but distinct slots. */
  readonly crashes: boolean
}

export interface RingScenarioOptions {
  readonly members?: number
  /** A planted erratum, by its name in planted.ts. */
  readonly bug?: string
}

const SECOND: Micros = 1_000_000
const SAFETY = 3 * SECOND
const LIVENESS = 20 * SECOND
const MEMBERS_MAX_DRAWN = 6

/** The ring of slots by itself, for the simulator. */
export function ringScenario(options: RingScenarioOptions = {}): Scenario<RingPlan, RingAct> {
  const { bug } = options
  const planted = bug === undefined ? undefined : plantedErrata[bug]
  if (bug !== undefined && planted === undefined) {
    throw new SettingsError(`there is no planted bug '${bug}'; there are: ${Object.keys(plantedErrata).join(', ')}.`)
  }
  if (options.members !== undefined && !(options.members >= 3 && options.members <= RING_MAX)) {
    throw new SettingsError(`a ring of ${options.members} members: 3 to ${RING_MAX} work.`)
  }
  return {
    name: 'ring of slots',
    plan: random => drawPlan(random, options.members, planted),
    stage: (world, plan) => new RingStage(world, plan, planted).begin(),
  }
}

function drawPlan(random: Random, asked: number | undefined, planted: PlantedErratum | undefined): RingPlan {
  const count = asked ?? planted?.members ?? 3 + random.below(MEMBERS_MAX_DRAWN - 2)
  const members = Array.from({ length: count }, (_, place) => `member-${place + 1}`)
  const settings: RingSettings = {
    ...ringDefaults,
    beat: 50,
    slots: planted?.slots ?? 1 + random.below(count),
    level: planted?.level ?? pick(random, ['curious', 'strong'] as const),
    fairness: planted?.fairness ?? pick(random, ['rotating', 'lottery'] as const),
    pace: random.chance(0.2) ? 5 : 0,
  }
  const crashes = planted?.crashes ?? random.chance(0.3)
  const rates = new Map(members.map(member => [member, 0.95 + random.unit() / 10]))
  const drawn = drawFaults(random, { durable: members, all: members }, SAFETY, SECOND / 2)
  const faults = drawn.filter(fault => crashes || fault.kind !== 'crash')
  return {
    settings,
    members,
    rates,
    crashes: faults.some(fault => fault.kind === 'crash'),
    network: drawNetwork(random),
    faults,
    acts: drawActs(random, members),
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      members: count,
      slots: settings.slots,
      level: settings.level,
      fairness: settings.fairness,
      faults: faults.length,
    },
  }
}

function drawActs(random: Random, members: readonly NodeId[]): Timed<RingAct>[] {
  const acts: Timed<RingAct>[] = []
  for (const member of members) {
    for (let count = random.below(5); count > 0; count--) {
      const hold = random.below(random.chance(0.3) ? SECOND : SECOND / 20)
      acts.push({ kind: 'use', member, at: random.below(SAFETY), hold })
    }
  }
  return acts
}

class RingStage extends ScenarioStage<RingPlan, RingAct, RingEvent> {
  readonly checkers
  private readonly planted: PlantedErratum | undefined
  private readonly exclusion = new ExclusionChecker()
  private readonly progress = new ProgressChecker()
  private readonly rounds: RoundsChecker
  private readonly readable = new ReadableChecker()
  private readonly announcements = new AnnouncementChecker()
  private readonly holds = new Map<number, RingAct>()
  private readonly demanding = new Set<NodeId>()

  constructor(world: World, plan: RingPlan, planted: PlantedErratum | undefined) {
    super(world, plan)
    this.planted = planted
    this.rounds = new RoundsChecker(plan.members.length)
    // A member that restarts begins to count anew: what is counted by round is for runs without.
    const counted = plan.crashes
      ? []
      : [this.announcements, ...(plan.settings.fairness === 'rotating' ? [this.rounds] : [])]
    this.checkers = [this.exclusion, this.progress, this.readable, ...counted]
  }

  protected populate(): void {
    for (const id of this.plan.members) this.add(id, this.planted)
  }

  override healed(): void {
    if (!this.plan.crashes) super.healed()
  }

  protected override demand(): void {
    for (const member of this.plan.members) {
      this.progress.demand(member, this.world.now)
      this.demanding.add(member)
      this.act({ kind: 'use', member, hold: 10_000 })
    }
  }

  protected override finish(): void {
    this.progress.finish(this.world.now)
  }

  private add(id: NodeId, planted: PlantedErratum | undefined): void {
    const { settings, members, rates } = this.plan
    const flaws = planted?.flaws ?? {}
    const group = planted?.squares ? insecureSmallGroup() : insecureBareGroup()
    const tickets = planted?.squares
      ? squareTickets(group, SMALL_MODULUS, flaws.rootOffByTwo ?? false)
      : tableTickets(group, members.length)
    const make = planted?.restarts ? restartingMember : ringMember
    const machine = make({ settings, members: members.length, group, tickets, rules: flawedRules(flaws) })
    const vocabulary = ringVocabulary(group)
    const clockRate = rates.get(id)!
    this.world.add({ id, protocol: this.overheard(id, machine), peers: members, vocabulary, clockRate, diskMax: 2_000 })
    this.world.start(id)
  }

  /** The same machine; the news that it forwards are counted, and its beginning again is seen. */
  private overheard(id: NodeId, protocol: AnyProtocol): AnyProtocol {
    const { world, announcements } = this
    return {
      ...protocol,
      init: (self, peers, saved) => {
        this.gone(id)
        return protocol.init(self, peers, saved)
      },
      step(state, input, turn) {
        protocol.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: length => turn.bytes(length),
          do(effect: Effect<RingMessage, never>) {
            const news = effect.kind === 'send' && effect.body.kind === 'newRound' ? effect.body.round : undefined
            if (news !== undefined && input.kind === 'message') {
              announcements.announced(id, news, world.now)
            }
            turn.do(effect)
          },
        })
      },
    }
  }

  /** A process that restarts believes nothing any more. */
  private gone(member: NodeId): void {
    this.exclusion.gone(member, this.world.now)
    this.rounds.again(member, false)
  }

  protected act(act: RingAct): void {
    const node = this.world.node(act.member)
    if (node.host === undefined) return
    const id = this.nextCommand()
    this.holds.set(id, act)
    this.world.command(act.member, { kind: 'request', id })
    this.rounds.waits(act.member)
  }

  protected observe(node: SimulatedNode, event: RingEvent): void {
    const { world } = this
    const { id: member } = node.spec
    switch (event.kind) {
      case 'round':
        return this.rounds.began(event.round)
      case 'unreadable':
        return this.readable.unreadable(member, event.round, world.now)
      case 'granted':
        return this.granted(node, event)
      case 'released':
      case 'refused':
        return
    }
  }

  private granted(node: SimulatedNode, event: RingEvent & { kind: 'granted' }): void {
    const { world } = this
    const { id: member } = node.spec
    // The commands count up: a later holder of a slot has a later one or is another; what is checked is the overlap.
    this.exclusion.acquired(`slot ${event.slot}`, member, this.exclusion.holdings, world.now, Number.POSITIVE_INFINITY)
    this.rounds.served(member, event.round, world.now)
    this.served(member)
    const { life } = node
    const hold = this.holds.get(event.id)?.hold ?? 0
    world.at(world.now + hold, () => {
      if (node.life !== life) return
      this.exclusion.released(`slot ${event.slot}`, member, world.now)
      world.command(member, { kind: 'release', id: event.id })
      this.rounds.again(member, (node.host?.state.waiting.length ?? 0) > 0)
    })
  }

  /** When all who asked after healing are served, the rest would be idle rounds. */
  private served(member: NodeId): void {
    this.progress.served(member)
    if (!this.demanding.delete(member) || this.demanding.size > 0) return
    this.world.at(this.world.now + SECOND, () => this.crashAll())
  }
}
