// Members as they ship: gossip, election, slots and events in one composed node, with the wires between them, one store, one fault
// plan. The nodes are those of `join`; the checkers of the protocols watch, and one that watches the wires.

import {
  type AnyProtocol,
  type ComposeRules,
  composeRules,
  type NodeId,
  type Random,
  seededRandom,
} from '../../core/index.ts'
import { CountChecker, ElectionWitness } from '../../election/proof/index.ts'
import {
  type Micros,
  ProgressChecker,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../simulator/index.ts'
import { performShuffleWork, verifyEvidence } from '../../slots/index.ts'
import { NamingChecker, SeatChecker } from '../../slots/proof/index.ts'
import { standsFor } from '../hints/standing.ts'
import type { LeveledEvent } from '../many-slots.ts'
import { type MemberCommand, type MemberEvent, type MemberNode, memberVocabulary } from '../member.ts'
import { MemberEventsChecker, subscribing } from './member-events.ts'
import { drawMemberPlan, type MemberAct, type MemberGroup, type MemberPlan, SECOND } from './member-plan.ts'
import { SimulatedMembers } from './simulated-members.ts'
import { WiresChecker } from './wires-checker.ts'

export function memberScenario(
  group: MemberGroup,
  rules: ComposeRules = composeRules,
): Scenario<MemberPlan, MemberAct> {
  return {
    name: 'member',
    plan: random => drawMemberPlan(random, group),
    stage: (world, plan) => new MemberStage(world, plan, rules).begin(),
  }
}

const DISK_MAX: Micros = 5_000
const DISK_GRACE = 4 * DISK_MAX
const WORK_MAX: Micros = 5_000

type MemberState = ReturnType<MemberNode['init']>

class MemberStage extends ScenarioStage<MemberPlan, MemberAct, MemberEvent> {
  readonly checkers
  private readonly rules: ComposeRules
  private readonly members: SimulatedMembers
  private readonly random: Random
  private readonly elections: ElectionWitness
  private readonly seats = new SeatChecker()
  private readonly naming: NamingChecker
  private readonly wires = new WiresChecker()
  private readonly events = new MemberEventsChecker()
  private readonly progress = new ProgressChecker()
  private readonly holds = new Map<number, Micros>()
  private readonly batteries: Map<NodeId, number>
  /** Members that wait for a seat since everything was healed. */
  private readonly waiting = new Set<NodeId>()
  /** When all else was served, everybody publishes once more. */
  private published = false
  private over = false

  constructor(world: World, plan: MemberPlan, rules: ComposeRules) {
    super(world, plan)
    this.rules = rules
    this.members = new SimulatedMembers(plan)
    this.random = seededRandom(plan.acts.length + plan.members.length, 0x3a7)
    this.batteries = new Map(plan.batteries)
    const counted = new CountChecker(plan.election, this.members.gossip.signatures)
    this.elections = new ElectionWitness(world, counted, DISK_GRACE)
    this.naming = new NamingChecker(new Set(plan.liars.keys()))
    const { exclusion, terms, electorates, count } = this.elections
    const { seats, naming, wires, events, progress } = this
    this.checkers = [exclusion, terms, electorates, count, seats, naming, wires, events, progress]
  }

  protected override populate(): void {
    for (const id of [...this.plan.members, ...this.plan.guests]) this.add(id)
  }

  protected override demand(): void {
    const { world, plan } = this
    for (const member of plan.members) {
      if (!this.isHonest(member)) continue
      this.waiting.add(member)
      this.act({ kind: 'seat', member, hold: 100_000, patience: plan.ends })
    }
    world.at(world.now + SECOND, () => this.look())
  }

  protected override finish(): void {
    if (this.over) return
    for (const what of this.missing()) this.progress.demand(what, this.plan.healsAt)
    this.progress.finish(this.world.now)
  }

  // Every second, until everything that was demanded has happened.
  private look(): void {
    if (this.missing().length > 0) return this.world.at(this.world.now + SECOND, () => this.look())
    if (!this.published) {
      this.published = true
      for (const id of this.voters) this.tell(id, { part: 'routing', body: this.events.publishing(id, true) })
      return this.world.at(this.world.now + SECOND, () => this.look())
    }
    this.over = true
    this.crashAll()
  }

  /** A seat for all who wait, one coordinator that all voters know, and everybody in everybody's sight. */
  private missing(): string[] {
    const missing = [...this.waiting].map(member => `${member}, that wants a seat,`)
    const { voters } = this
    for (const name of this.plan.names) {
      const leaders = new Set(voters.map(id => this.elections.leaderAt(id, name)))
      if (leaders.size !== 1 || leaders.has('')) missing.push(`one answer to who leads '${name}' (${[...leaders]})`)
    }
    return [...missing, ...this.unseen(), ...this.events.missing(voters)]
  }

  /** The honest ones of the newest list. */
  private get voters(): NodeId[] {
    return (this.elections.newest?.members ?? []).map(({ id }) => id).filter(id => this.isHonest(id))
  }

  private unseen(): string[] {
    const honest = [...this.plan.members, ...this.plan.guests].filter(id => this.isHonest(id))
    return honest.flatMap(observer => {
      const { hints } = this.stateOf<MemberState>(observer)!
      return honest.filter(id => hints.views.get(id)?.status !== 'alive').map(id => `${observer}, to see ${id},`)
    })
  }

  private isHonest(id: NodeId): boolean {
    return !this.plan.liars.has(id)
  }

  private add(id: NodeId): void {
    const { world, plan } = this
    const clockRate = plan.rates.get(id)!
    const node = world.add({
      id,
      protocol: this.watched(id, this.members.node(id, this.rules)),
      peers: plan.members,
      vocabulary: memberVocabulary,
      clockRate,
      clockOffset: 1_000 * clockRate,
      saved: this.members.firstStart,
      diskMax: DISK_MAX,
      lies: !this.isHonest(id),
    })
    world.at(0, () => world.start(node.spec.id))
  }

  /** The same node. Its user begins with each of its lives, and the wires are looked at after each step. */
  private watched(id: NodeId, node: AnyProtocol): AnyProtocol {
    const { world } = this
    return {
      ...node,
      step: (state, input, turn) => {
        node.step(state, input, turn)
        if (input.kind === 'start') world.at(world.now, () => this.enter(id))
      },
      check: state => {
        node.check?.(state)
        if (this.isHonest(id)) this.wires.check(world.node(id), state, world.now)
      },
    }
  }

  /** What a user's program does whenever it starts: it stands for every place, and takes part in the slots. */
  private enter(id: NodeId): void {
    const { plan } = this
    for (const name of plan.names) this.tell(id, { part: 'hints', body: { kind: 'open', name } })
    const values = plan.names.map(name => ({ name: standsFor(name), value: 1 }))
    values.push({ name: 'battery', value: this.batteries.get(id)! })
    this.tell(id, { part: 'membership', body: { kind: 'set', id: this.nextCommand(), values } })
    this.tell(id, { part: 'routing', body: subscribing })
    if (!plan.members.includes(id)) return
    this.tell(id, { part: 'slots', body: { kind: 'open', settings: plan.slots } })
    // A process that came back asks again for what it still waits for.
    if (this.waiting.has(id)) this.act({ kind: 'seat', member: id, hold: 100_000, patience: plan.ends })
  }

  private tell(id: NodeId, command: MemberCommand): void {
    this.world.command(id, command)
  }

  protected override act(act: MemberAct): void {
    const all = [...this.plan.members, ...this.plan.guests]
    switch (act.kind) {
      case 'seat':
        return this.ask(act)
      case 'resign':
        for (const id of all) this.tell(id, { part: 'election', body: { kind: 'resign', name: act.name } })
        return
      case 'battery': {
        this.batteries.set(act.member, act.value)
        const values = [{ name: 'battery', value: act.value }]
        return this.tell(act.member, { part: 'membership', body: { kind: 'set', id: this.nextCommand(), values } })
      }
      case 'publish':
        return this.tell(act.member, { part: 'routing', body: this.events.publishing(act.member, false) })
      case 'admit':
      case 'expel':
        for (const id of all) {
          this.tell(id, { part: 'hints', body: { kind: act.kind, id: this.nextCommand(), member: act.member } })
        }
    }
  }

  private ask({ member, hold, patience }: MemberAct & { kind: 'seat' }): void {
    const { world } = this
    const id = this.nextCommand()
    const { name } = this.plan.slots
    this.holds.set(id, hold)
    this.tell(member, { part: 'slots', body: { kind: 'tell', name, body: { kind: 'request', id } } })
    world.at(world.now + patience, () => {
      if (this.holds.delete(id))
        this.tell(member, { part: 'slots', body: { kind: 'tell', name, body: { kind: 'cancel', id } } })
    })
  }

  protected override observe(node: SimulatedNode, event: MemberEvent): void {
    this.wires.observe(event)
    if (event.part === 'slots' && event.body.kind === 'said') this.observeSlots(node, event.body.body)
    if (event.part === 'routing' && this.isHonest(node.spec.id)) this.events.observe(node, event.body, this.world.now)
    if (event.part === 'election' && this.isHonest(node.spec.id)) this.elections.saw(node, event.body)
  }

  private observeSlots(node: SimulatedNode, event: LeveledEvent): void {
    const { world } = this
    const honest = this.isHonest(node.spec.id)
    switch (event.kind) {
      case 'work':
        return this.work(node, event.id, event.request)
      case 'seat':
        return this.seated(node, event, honest)
      case 'released':
        this.seats.left(event.id, world.now)
        return
      case 'lost':
        // A process that was stopped could not be told in time; its clock tells it as soon as it runs.
        if (honest && world.now > node.resumedAt) this.seats.told(event.id, world.now)
        this.seats.left(event.id, world.now)
        return
      case 'cheat': {
        if (!honest) return
        const { signatures } = this.members.gossip
        const { ok } = verifyEvidence(event.evidence, { group: this.members.group, signatures })
        return this.naming.accused(event.member, event.what, ok, world.now)
      }
      default:
        return
    }
  }

  private seated(node: SimulatedNode, event: LeveledEvent & { kind: 'seat' }, honest: boolean): void {
    const { world } = this
    const { name } = this.plan.slots
    const { id: member } = node.spec
    if (honest) this.seats.seated(event.slot, event.id, member, world.now, world.whenClockShows(node, event.deadline))
    this.waiting.delete(member)
    const hold = this.holds.get(event.id) ?? 0
    this.holds.delete(event.id)
    const { life } = node
    world.at(world.now + hold, () => {
      if (node.life !== life) return
      this.tell(member, { part: 'slots', body: { kind: 'tell', name, body: { kind: 'release', id: event.id } } })
    })
  }

  private work(node: SimulatedNode, id: number, request: Uint8Array): void {
    const { world } = this
    const { life } = node
    const { name } = this.plan.slots
    world.at(world.now + this.random.below(WORK_MAX), () => {
      if (node.life !== life || node.host === undefined) return
      const answer = performShuffleWork(this.members.group, request, length => this.random.bytes(length))
      this.tell(node.spec.id, { part: 'slots', body: { kind: 'tell', name, body: { kind: 'worked', id, answer } } })
    })
  }
}
