// Slots under faults and liars: what the users do, and who watches them. Members run the shipped machine over a group in
// which a multiplication takes a microsecond and with ideal signatures, so that ten thousand rounds take minutes.

import { type AnyProtocol, type NodeId, type Random, SettingsError, seededRandom } from '../../../core/index.ts'
import { type Group, idealSignatures, insecureBareGroup, type Scalar } from '../../../crypto/index.ts'
import {
  type AnyScenario,
  type Micros,
  overheard,
  type Scenario,
  type SimulatedNode,
  type World,
} from '../../../simulator/index.ts'
import { verifyEvidence } from '../../verified/evidence.ts'
import { slotsMember } from '../../verified/machine.ts'
import { driftOf } from '../../verified/record.ts'
import { type SlotsRules, slotsRules } from '../../verified/rules.ts'
import { isInTime } from '../../verified/seats.ts'
import { performShuffleWork } from '../../verified/shuffle-work.ts'
import type { MemberState, SlotsEvent } from '../../verified/state.ts'
import { type SlotsMessage, slotsVocabulary } from '../../verified/wire.ts'
import { SeekersStage, type SlotsAct } from '../seekers.ts'
import { NamingChecker, OrderChecker, SeatChecker, ServedChecker, SuccessorChecker } from './checkers.ts'
import { slotsLiars } from './liars.ts'
import { drawPlan, SECOND, type SlotsPlan, type SlotsScenarioOptions } from './plan.ts'
import { plantedSlotsBugs } from './planted.ts'
import { SecrecyChecker } from './secrecy.ts'

/** The scenario by the words of a command line: with a planted bug, where it shows soonest. */
export function slotsScenarioFor(asked: { members?: number; liars?: number; bug?: string }): AnyScenario {
  const { members, liars, bug } = asked
  const planted = bug === undefined ? undefined : plantedSlotsBugs[bug]
  if (bug !== undefined && planted === undefined) {
    const known = Object.keys(plantedSlotsBugs).join(', ')
    throw new SettingsError(`there is no planted bug '${bug}'; there are: ${known}.`)
  }
  if (planted === undefined)
    return slotsScenario({ ...(members && { members }), ...(liars !== undefined && { liars }) })
  const { rules, ...where } = planted
  const lying = planted.liar === undefined ? 0 : 1
  return slotsScenario({ liars: lying, ...where, ...(members && { members }), rules: { ...slotsRules, ...rules } })
}

/** Where that bug is planted, without it: its members, its liar, its weather. */
export function soundSlotsScenario(bug: string): AnyScenario {
  const { rules: _broken, ...where } = plantedSlotsBugs[bug]!
  return slotsScenario({ liars: where.liar === undefined ? 0 : 1, ...where })
}

/** What happened in a run, for tests that look whether anything did. */
export interface SlotsTally {
  /** Rounds in which some honest member opened its ticket. */
  readonly rounds: number
  readonly seats: number
  /** Epochs that some honest member reached, the first one included. */
  readonly epochs: number
  /** Tickets of honest members that the secrecy checker tried to open. */
  readonly tickets: number
  /** Members that asked after healing and were served, and the most rounds that one of them waited. */
  readonly served: number
  readonly longest: number
  readonly named: readonly NodeId[]
  /** What honest members showed against them. */
  readonly evidence: readonly Uint8Array[]
}

/** Verified slots under faults and liars, for the simulator. */
export function slotsScenario(
  options: SlotsScenarioOptions = {},
): Scenario<SlotsPlan, SlotsAct> & { tally(): SlotsTally } {
  let stage: SlotsStage | undefined
  return {
    name: 'slots',
    plan: random => drawPlan(random, options),
    stage(world, plan) {
      stage = new SlotsStage(world, plan, options.rules ?? slotsRules).begin()
      return stage
    },
    tally: () => stage!.tally(),
  }
}

/** How long a run goes on when everybody is served: old leases may still overlap. */
const AFTERWARDS = 4 * SECOND
const WORK_MAX: Micros = 5_000

class SlotsStage extends SeekersStage<SlotsPlan> {
  readonly checkers
  private readonly rules: SlotsRules
  private readonly group: Group = insecureBareGroup()
  private readonly signatures = idealSignatures()
  private readonly seats = new SeatChecker()
  private readonly successors = new SuccessorChecker()
  private readonly naming: NamingChecker
  private readonly secrecy: SecrecyChecker
  private readonly order: OrderChecker
  private readonly progress = new ServedChecker()
  private readonly known: Scalar[] = []
  /** Who waits since everything was healed. */
  private readonly demanding = new Set<NodeId>()
  private readonly rounds = new Set<string>()
  private readonly evidence: Uint8Array[] = []
  private readonly random: Random
  private over = false

  constructor(world: World, plan: SlotsPlan, rules: SlotsRules) {
    super(world, plan)
    this.rules = rules
    this.random = seededRandom(plan.acts.length + plan.members.length, 0x3a7)
    this.naming = new NamingChecker(new Set(plan.liars.keys()))
    this.secrecy = new SecrecyChecker(this.group, plan.coalition, this.known)
    this.order = new OrderChecker(new Set(plan.liars.keys()))
    this.checkers = [this.seats, this.successors, this.naming, this.order, this.secrecy, this.progress]
  }

  override begin(): this {
    super.begin()
    this.world.at(SECOND, () => this.look())
    return this
  }

  protected populate(): void {
    for (const id of [...this.plan.members, ...this.plan.late]) this.add(id)
  }

  // Every second, until all is told.
  private look(): void {
    const { world } = this
    if (this.over) return
    this.secrecy.attack(world.now, false)
    if (this.progress.look(world.now)) this.finish()
    world.at(world.now + SECOND, () => this.look())
  }

  protected override finish(): void {
    if (this.over) return
    this.over = true
    this.secrecy.attack(this.world.now, true)
    this.crashAll()
  }

  tally(): SlotsTally {
    const { seats, successors, secrecy, naming, progress } = this
    const named = [...naming.named]
    const { evidence } = this
    return {
      rounds: this.rounds.size,
      seats: seats.seats,
      epochs: successors.epochs,
      tickets: secrecy.tried,
      served: progress.served,
      longest: progress.longest,
      named,
      evidence,
    }
  }

  override healed(): void {
    if (this.plan.demands) super.healed()
  }

  protected override demand(): void {
    for (const member of [...this.plan.members, ...this.plan.late]) {
      if (this.plan.liars.has(member) || this.leavers.has(member)) continue
      this.progress.demand(member, this.plan.settings.fairness === 'rotating', this.world.now)
      this.demanding.add(member)
      this.use({ kind: 'use', member, hold: 100_000, patience: this.plan.ends })
    }
  }

  private add(id: NodeId): void {
    const { settings, members, late, liars, rates } = this.plan
    const identity = (name: NodeId) => ({ name, identity: this.signatures.signer(name).publicKey })
    const signer = this.signatures.signer(id)
    const { group, signatures, rules } = this
    const first = members.map(identity)
    const honest = slotsMember({
      settings,
      members: first,
      candidates: late.map(identity),
      group,
      signer,
      signatures,
      rules,
    })
    const kind = liars.get(id)
    const means = { group, signer, known: this.known }
    const liar = kind === undefined ? undefined : slotsLiars(means).find(({ name }) => name === kind)!
    const protocol = this.heard(id, liar === undefined ? honest : liar.corrupt(honest))
    const clockRate = rates.get(id)!
    const spec = { id, protocol, peers: members, vocabulary: slotsVocabulary, clockRate, clockOffset: 777 }
    this.addNode({ ...spec, diskMax: this.plan.diskMax, lies: liar !== undefined })
    this.world.start(id)
  }

  /** The same machine; everything that it sends is seen. */
  private heard(id: NodeId, protocol: AnyProtocol): AnyProtocol {
    const saw = (body: SlotsMessage, state: MemberState) => {
      // A liar may put anything into another's mouth: nobody takes it for said (seed 10068).
      if (this.plan.liars.has(id) && body.author !== id) return
      this.secrecy.saw(body)
      this.order.saw(body, this.world.now)
      this.progress.saw(body, this.world.now, body.kind === 'vote' && this.openedLate(state, body.round))
    }
    return overheard<MemberState, SlotsMessage, SlotsEvent>(protocol, (effect, state) => {
      if (effect.kind === 'send') saw(effect.body, state)
      return true
    })
  }

  // Seen at the first vote, which is cast a beat after the ticket was opened.
  private openedLate({ epoch }: MemberState, number: number): boolean {
    const round = epoch.rounds.get(number)
    if (round === undefined) return false
    const openedAt = round.checkAt - this.plan.settings.beat
    return !isInTime(
      this.rules.deadline(round.sealedAt, openedAt, epoch.record.lease, driftOf(epoch.record)),
      openedAt,
      epoch.record.lease,
    )
  }

  protected observe(node: SimulatedNode, event: SlotsEvent): void {
    const { world, group, signatures } = this
    const { id: member } = node.spec
    const honest = !this.plan.liars.has(member)
    switch (event.kind) {
      case 'work':
        return this.work(node, event.id, event.request)
      case 'epoch':
        return this.reached(node)
      case 'cheat':
        if (!honest) return
        this.evidence.push(event.evidence)
        return this.naming.accused(
          event.member,
          event.what,
          verifyEvidence(event.evidence, { group, signatures }).ok,
          world.now,
        )
      case 'forged':
        // Seen by its hearer alone: only whom it names is checked.
        if (honest) this.naming.seen(event.member, event.what, world.now)
        return
      case 'seat':
        return this.seated(node, event, honest)
      case 'released':
        return this.left(member, event.id)
      case 'lost':
        // A process that was stopped could not be told in time; its clock tells it as soon as it runs.
        if (honest && world.now > node.resumedAt) this.seats.told(event.id, world.now)
        return this.left(member, event.id)
      case 'refused':
      case 'status':
      case 'silent':
        return
    }
  }

  private left(member: NodeId, request: number): void {
    if (this.seats.left(request, this.world.now)) this.progress.left(member, this.world.now)
  }

  // When all who asked after healing are served, the run has told what it can: the rest would be idle rounds.
  private served(member: NodeId, until: Micros): void {
    this.progress.got(member, until)
    if (!this.demanding.delete(member) || this.demanding.size > 0) return
    this.world.at(this.world.now + AFTERWARDS, () => this.finish())
  }

  private seated(node: SimulatedNode, event: SlotsEvent & { kind: 'seat' }, honest: boolean): void {
    const { world } = this
    const { id: member } = node.spec
    const until = world.whenClockShows(node, event.deadline)
    if (honest) this.seats.seated(event.slot, event.id, member, world.now, until)
    this.served(member, until)
    if (this.leaving.delete(member)) world.command(member, { kind: 'leave' })
    const hold = this.holds.get(event.id) ?? 0
    this.holds.delete(event.id)
    const { life } = node
    world.at(world.now + hold, () => {
      if (node.life === life) world.command(member, { kind: 'release', id: event.id })
    })
  }

  // After a crash the process and its belief are gone; this is noticed when the next life begins.
  private reached(node: SimulatedNode): void {
    const state = node.host?.state as MemberState | undefined
    if (state === undefined) return this.world.at(this.world.now, () => this.reached(node))
    const { record, hash, secret } = state.epoch
    if (!this.plan.liars.has(node.spec.id)) {
      this.successors.reached(record.number, hash, node.spec.id, this.world.now)
    }
    if (secret !== undefined) this.secrecy.joined(node.spec.id, record, hash, secret)
  }

  private work(node: SimulatedNode, id: number, request: Uint8Array): void {
    const { world } = this
    const { life } = node
    world.at(world.now + this.random.below(WORK_MAX), () => {
      const state = node.host?.state as MemberState | undefined
      if (node.life !== life || state === undefined) return
      for (const { number, phase } of state.epoch.rounds.values()) {
        if (phase === 'open' || phase === 'over') this.rounds.add(`${state.epoch.record.number}/${number}`)
      }
      const answer = performShuffleWork(this.group, request, length => this.random.bytes(length))
      world.command(node.spec.id, { kind: 'worked', id, answer })
    })
  }
}
