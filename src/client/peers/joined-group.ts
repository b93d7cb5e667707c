// A group that this process is a member of: who is here, who leads, and slots. Promises and loops over a member node.

import {
  called,
  checkValue,
  kindOf,
  type Millis,
  optionsSchema,
  required,
  SettingsError,
  textOf,
  Unavailable,
} from '../../core/index.ts'
import type { ElectionEvent } from '../../election/index.ts'
import type { MembershipCommand, MembershipEvent } from '../../membership/index.ts'
import { standsFor } from '../../node/hints/standing.ts'
import type { ManySlotsEvent } from '../../node/many-slots.ts'
import type { MemberCommand, MemberEvent } from '../../node/member.ts'
import type { QuestionsEvent } from '../../node/questions/state.ts'
import type { PublicSlotsStatus } from '../../node/questions/wire.ts'
import { holderClock } from '../../runtime/clock.ts'
import { silence } from '../../runtime/log.ts'
import type { RunningMember } from '../../runtime/member.ts'
import type { Log } from '../../runtime/transport/index.ts'
import type { ArmSource } from '../bandits/options.ts'
import type { BanditHandle, BestArmResult, MaximiseResult } from '../bandits/run.ts'
import { Feed } from '../feed.ts'
import { MemberChannel } from '../member-events/channel.ts'
import { type CarryingCommand, type CarryingEvent, MemberEventsHubs } from '../member-events/hub.ts'
import type { EventsVia, MemberEventsOptions } from '../member-events/options.ts'
import { checkFollowing } from '../waiting.ts'
import { answerTo } from './answering.ts'
import { type Attributes, attributesRule, changedValues, numberOf } from './attributes.ts'
import { Caught, type CaughtIn, wordsFor } from './caught.ts'
import { type Candidacy, type CoordinatorInfo, Leadership } from './leadership.ts'
import { type MemberInfo, Roster } from './roster.ts'
import type { BestArmAmongOptions, MaximiseAmongOptions, ThesisSearchAmongOptions } from './run-options.ts'
import { MemberRuns } from './runs.ts'
import type { ArmOptions, ServedArm } from './served-arm.ts'
import { Slots } from './slots.ts'
import { type SlotsOptions, settingsOf } from './slots-settings.ts'
import type { Term } from './term.ts'
import { Voters } from './voters.ts'

/** Numbers over all members, as far as this one has heard. */
export interface Aggregate {
  readonly average: number
  readonly sum: number
  readonly minimum: number
  readonly maximum: number
  /** Members, as gossip counts them. */
  readonly size: number
}

/** What a member does while it leads. */
export interface CoordinatorOptions {
  /** Runs while this member is coordinator; `term.signal` fires when it must have stopped. What it throws ends the candidacy. */
  lead(term: Term): Promise<void> | void
}

interface Question {
  resolve(answer: MembershipEvent): void
  reject(error: Error): void
}

const checkCoordinator = optionsSchema<CoordinatorOptions>({
  lead: required(called('that leads until term.signal fires')),
})
const memberName = textOf("a member's name")

/** Letters of a coordinator's name: they are part of an attribute's name. */
const NAME_RULE = /^[a-z0-9][a-z0-9-]{0,39}$/

/** A group as one of its members sees it: who is here, who leads, and seats that nobody tells of. */
export class JoinedGroup {
  readonly name: string
  private readonly node: RunningMember
  private readonly log: Log
  private readonly roster = new Roster()
  private readonly voters: Voters
  private readonly feeds = new Set<Feed<readonly MemberInfo[]>>()
  private readonly leaderships = new Map<string, Leadership>()
  /** Places that this member sees to: that there is a coordinator. */
  private readonly opened = new Set<string>()
  private readonly caught = new Caught()
  private readonly openSlots = new Map<string, Slots>()
  private readonly questions = new Map<number, Question>()
  private readonly runs: MemberRuns
  private readonly carriers: MemberEventsHubs
  private readonly clock = holderClock()
  private readonly refresh: NodeJS.Timeout | undefined
  private ids = 0
  private stopped: Promise<void> | undefined
  /** The node takes no more commands. */
  private silent = false

  /** @internal Made by `join`. */
  constructor(name: string, node: RunningMember, values: Attributes, log: Log = silence) {
    this.name = name
    this.log = log
    this.node = node
    this.runs = new MemberRuns(body => this.tell({ part: 'bandits', body }), node.folder)
    this.carriers = new MemberEventsHubs((via, body) => this.tellCarrier(via, body))
    this.voters = new Voters(body => this.tell({ part: 'hints', body }))
    if (Object.values(values).some(value => typeof value === 'function')) {
      this.refresh = setInterval(() => this.set(changedValues(values)), REFRESH_MS).unref()
    }
  }

  /** Everybody known, at this moment. */
  list(): readonly MemberInfo[] {
    return this.roster.list(member => ({ voter: this.voters.mayVote(member), caught: this.caught.of(member) }))
  }

  /** The members now, and again after every change; a loop that is slower than they change gets the newest. */
  members(options: { readonly signal?: AbortSignal } = {}): AsyncGenerator<readonly MemberInfo[], void, undefined> {
    this.checkOpen()
    checkFollowing('group.members', options)
    return this.following(options.signal)
  }

  private async *following(signal: AbortSignal | undefined): AsyncGenerator<readonly MemberInfo[], void, undefined> {
    const feed = new Feed<readonly MemberInfo[]>(signal, 'newest')
    this.feeds.add(feed)
    feed.push(this.list())
    try {
      yield* feed.items()
    } finally {
      this.feeds.delete(feed)
    }
  }

  /** Says something about this member: what coordinators are chosen by, or what is aggregated. */
  set(values: Attributes): void {
    checkValue('values', attributesRule, values)
    const named = Object.entries(values).map(([name, value]) => ({ name, value: numberOf(name, value) }))
    this.tellMembership({ kind: 'set', id: ++this.ids, values: named })
  }

  /** Average, sum, least and largest of an attribute over the group, by gossip: close, and closer the longer it runs. */
  async aggregate(attribute: string): Promise<Aggregate> {
    checkValue('attribute', textOf('the name of an attribute'), attribute)
    const found = await this.ask(id => ({ kind: 'aggregate', id, name: attribute }))
    if (found.kind !== 'aggregated') throw new Unavailable(`'${attribute}' could not be aggregated`)
    const { average, sum, minimum, maximum, size } = found
    return { average, sum, minimum, maximum, size }
  }

  /** Stands for a place. Resolves at once; `lead` is called each time this member is elected. */
  async coordinator(name: string, options: CoordinatorOptions): Promise<Candidacy> {
    checkCoordinator('group.coordinator', options)
    const leadership = this.leadership(name)
    this.set({ [standsFor(name)]: 1 })
    return leadership.stand(options.lead, () => this.set({ [standsFor(name)]: 0 }))
  }

  /** Who leads, now and after every change. Without a coordinator, or in a minority: `coordinator` is undefined. */
  coordinatorOf(
    name: string,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<CoordinatorInfo, void, undefined> {
    checkFollowing('group.coordinatorOf', options)
    return this.leadership(name).follow(options.signal)
  }

  /**
   * Agrees that a guest may vote and lead. q members must agree and somebody must lead: resolves when the list has it,
   * with the list's number. `coterie member admit` says it to all.
   */
  async admit(member: string): Promise<number> {
    this.checkOpen()
    checkValue('member', memberName, member)
    return this.voters.change('admit', member)
  }

  /** Agrees that a member may vote and lead no longer. */
  async expel(member: string): Promise<number> {
    this.checkOpen()
    checkValue('member', memberName, member)
    return this.voters.change('expel', member)
  }

  /**
   * Slots that the members share without telling each other who has which. All members must name the same slots and
   * lease. From the first call of a name on, this process takes part in its rounds, whether it wants a seat or not.
   */
  slots(name: string, options: SlotsOptions): Slots {
    this.checkOpen()
    checkValue('the name of slots', textOf('a name'), name)
    const settings = settingsOf(name, options, this.node.terms)
    const known = this.openSlots.get(name)
    if (known?.accepts(settings)) return known
    if (known !== undefined) throw new SettingsError(`slots '${name}' are open with other settings already.`)
    const now = () => this.node.now()
    const slots = new Slots(settings, options, this.clock, now, body => this.tell({ part: 'slots', body }))
    this.openSlots.set(name, slots)
    this.tell({ part: 'slots', body: { kind: 'open', settings } })
    return slots
  }

  /**
   * Serves an arm to runs of that name: `source` pulls it once and gives its reward. No other member learns a reward, and none
   * but this one that the arm was pulled.
   */
  async arm(name: string, arm: string, source: ArmSource, options: ArmOptions = {}): Promise<ServedArm> {
    this.checkOpen()
    return this.runs.serve(name, arm, source, options)
  }

  /** Finds the best of several arms that members serve, with a budget of pulls; nobody learns more than the answer. */
  bestArm(options: BestArmAmongOptions | ThesisSearchAmongOptions): BanditHandle<BestArmResult> {
    this.checkOpen()
    return this.runs.bestArm(options)
  }

  /** Earns as much as it can from arms that members serve, with a budget of pulls; nobody learns more than the sum. */
  maximise(options: MaximiseAmongOptions): BanditHandle<MaximiseResult> {
    this.checkOpen()
    return this.runs.maximise(options)
  }

  /** A channel among the members, without servers: what is published goes to every member with a subscription that wants it. */
  events<Payload = unknown>(name: string, options: MemberEventsOptions<Payload> = {}): MemberChannel<Payload> {
    this.checkOpen()
    return new MemberChannel<Payload>(this.carriers, name, options)
  }

  /** Says goodbye and stops. */
  close(): Promise<void> {
    this.stopped ??= this.shutDown()
    return this.stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal Everything that the member node says. */
  event({ part, body }: MemberEvent): void {
    switch (part) {
      case 'membership':
        return this.membershipEvent(body)
      case 'election':
        return this.electionEvent(body)
      case 'slots':
        return this.slotsEvent(body)
      case 'questions':
        return this.questionsEvent(body)
      case 'hints':
        return this.voters.take(body)
      case 'bandits':
        return this.runs.take(body)
      case 'routing':
        return this.carriedEvent('trees', body)
      case 'interest':
        return this.carriedEvent('gossip', body)
    }
  }

  /** @internal The node below has ended. */
  ended(error: Error): void {
    clearInterval(this.refresh)
    this.silent = true
    const why = new Unavailable(`this member ended: ${error.message}`)
    for (const feed of this.feeds) feed.fail(why)
    for (const leadership of this.leaderships.values()) leadership.ended(why)
    this.voters.end(why)
    for (const slots of this.openSlots.values()) slots.ended(why)
    this.runs.ended(why)
    this.carriers.ended(why)
    for (const question of this.questions.values()) question.reject(why)
    this.questions.clear()
    // What is left open below (a port, a store, a thread) would keep the process from its end.
    this.stopped ??= this.node.stop().catch(failure => {
      this.log('warn', 'a member that has ended could not let go of everything', { why: String(failure) })
    })
  }

  /** @internal For answers: where slots stand, without what only this process may know. */
  async slotsNow(name: string): Promise<PublicSlotsStatus | undefined> {
    const slots = this.openSlots.get(name)
    if (slots === undefined) return undefined
    const { waiting: _waiting, ...status } = await slots.status()
    return status
  }

  /**
   * @internal For answers: what this member has heard of a place. It opens none: a client that asks for names that it made up would have the
   * members elect for each of them, until there is no room for their own.
   */
  coordinatorNow(name: string): CoordinatorInfo {
    this.checkPlace(name)
    return this.leaderships.get(name)?.now() ?? { name, term: 0, coordinator: undefined }
  }

  /** @internal For answers: whether that client may change who votes. */
  isOperator(client: string): boolean {
    return this.node.isOperator(client)
  }

  private checkPlace(name: string): void {
    this.checkOpen()
    if (typeof name !== 'string' || !NAME_RULE.test(name)) {
      throw new SettingsError(
        `the coordinator's name is ${typeof name === 'string' ? JSON.stringify(name) : kindOf(name)}; it must be 1 to 40 lower-case letters, digits and hyphens.`,
      )
    }
  }

  private leadership(name: string): Leadership {
    this.checkPlace(name)
    const leadership = this.leadershipOf(name)
    if (this.opened.has(name)) return leadership
    this.opened.add(name)
    this.tell({ part: 'hints', body: { kind: 'open', name } })
    return leadership
  }

  /** Also for a place that nobody here has asked about: a later question needs what was heard before. */
  private leadershipOf(name: string): Leadership {
    const known = this.leaderships.get(name)
    if (known !== undefined) return known
    const leadership = new Leadership(
      name,
      this.clock,
      () => this.node.now(),
      body => this.tell({ part: 'election', body }),
      (error, isHeard) => this.leadFailed(name, error, isHeard),
    )
    this.leaderships.set(name, leadership)
    return leadership
  }

  /** What a user's `lead` threw is not to vanish: it is logged, and a warning where nobody looks at `ended`. */
  private leadFailed(place: string, error: unknown, isHeard: boolean): void {
    const why = error instanceof Error ? error.message : String(error)
    this.log('error', 'lead has failed: this member stepped down, and stands no more', { place, why })
    if (!isHeard) process.emitWarning(`lead of '${place}' has failed, and this member stands no more: ${why}`)
  }

  private membershipEvent(event: MembershipEvent): void {
    if (event.kind === 'misbehaved') return this.tellCaught(event.member, 'gossip', event.how)
    if ('id' in event && this.questions.has(event.id)) return this.answer(event.id, event)
    if (this.roster.take(event)) this.showMembers()
  }

  private tellCaught(member: string, where: CaughtIn, how: string, more: Readonly<Record<string, unknown>> = {}): void {
    if (!this.caught.take(member, where, how, performance.now())) return
    this.log('warn', wordsFor(where, how), { member, how, ...more })
    this.showMembers()
  }

  private showMembers(): void {
    for (const feed of this.feeds) feed.push(this.list())
  }

  private electionEvent(event: ElectionEvent): void {
    if (event.kind === 'electorate') {
      this.voters.adopt(event.electorate)
      return this.showMembers()
    }
    if (event.kind === 'misbehaved') this.tellCaught(event.member, 'election', event.how)
    if (event.kind === 'evidence') {
      const { member, name: place, term } = event
      this.tellCaught(member, 'election', 'voted-twice', { place, term })
    }
    if ('name' in event) this.leadershipOf(event.name).take(event)
  }

  private ask(command: (id: number) => MembershipCommand): Promise<MembershipEvent> {
    return new Promise((resolve, reject) => {
      this.checkOpen()
      const id = ++this.ids
      this.questions.set(id, { resolve, reject })
      this.tellMembership(command(id))
    })
  }

  private answer(id: number, event: MembershipEvent): void {
    // "Done" says that it has begun; what it comes to is told later.
    if (event.kind === 'done') return
    const question = this.questions.get(id)!
    this.questions.delete(id)
    if (event.kind === 'refused') question.reject(new Unavailable(event.why))
    else question.resolve(event)
  }

  private tellMembership(body: MembershipCommand): void {
    this.tell({ part: 'membership', body })
  }

  private slotsEvent(event: ManySlotsEvent): void {
    this.openSlots.get(event.name)?.take(event)
    // A caller that asks again, with what works, gets another.
    if (event.kind === 'shut') this.openSlots.delete(event.name)
  }

  private tellCarrier(via: EventsVia, body: CarryingCommand): void {
    if (via === 'trees') return this.tell({ part: 'routing', body })
    // What is published by gossip is out at once: there is nothing to take back.
    if (body.kind !== 'settle') this.tell({ part: 'interest', body })
  }

  private carriedEvent(via: EventsVia, event: CarryingEvent): void {
    // An honest member passes on only what it has verified.
    if (event.kind === 'dropped' && event.why === 'forged') return this.tellCaught(event.from, 'events', 'forged-event')
    this.carriers.of(via).event(event)
  }

  private questionsEvent(event: QuestionsEvent): void {
    if (event.kind !== 'asked') return
    const { query, from: to, question } = event
    void answerTo(question, to, this).then(answer =>
      this.tell({ part: 'questions', body: { kind: 'answer', query, to, answer } }),
    )
  }

  private tell(command: MemberCommand): void {
    if (!this.silent) this.node.command(command)
  }

  private checkOpen(): void {
    if (this.stopped !== undefined) throw new Unavailable('this member has left the group')
  }

  private async shutDown(): Promise<void> {
    clearInterval(this.refresh)
    await Promise.all([...this.leaderships.values()].map(leadership => leadership.close()))
    this.silent = true
    await this.node.stop()
    for (const feed of this.feeds) feed.finish()
    for (const leadership of this.leaderships.values()) leadership.finishAll()
    this.ended(new Error('the group was closed'))
  }
}

/** How often attributes that are functions are looked at again. */
const REFRESH_MS: Millis = 2_000
