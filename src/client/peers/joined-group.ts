// A group that this process is a member of: who is here, who leads, and slots. Promises and loops over a member node.

import { type Millis, type Parted, SettingsError, Unavailable } from '../../core/index.ts'
import type { Attribute, ElectionCommand, ElectionEvent } from '../../election/index.ts'
import type { MembershipCommand, MembershipEvent } from '../../membership/index.ts'
import type { ManySlotsCommand, ManySlotsEvent } from '../../node/many-slots.ts'
import { holderClock } from '../../runtime/clock.ts'
import type { RunningMember } from '../../runtime/member.ts'
import type { SlotsStatus } from '../../slots/index.ts'
import { Feed } from '../feed.ts'
import { type Attributes, changedValues, numberOf } from './attributes.ts'
import { type CoordinatorInfo, Office } from './office.ts'
import { Roll } from './roll.ts'
import { type MemberInfo, Roster, standsFor } from './roster.ts'
import { Slots } from './slots.ts'
import { type SlotsOptions, settingsOf } from './slots-settings.ts'
import type { Term } from './term.ts'
import { answerLook } from './window.ts'

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

/** A member that stands for a place, until it is disposed of. */
export interface Candidacy extends AsyncDisposable {
  /** Rejects with what `lead` threw; resolves when the candidacy has ended. */
  readonly ended: Promise<void>
  /** Steps down where it leads, and stands no more. */
  close(): Promise<void>
}

/** Whether this very member waits for a seat is its own business. */
export type PublicSlotsStatus = Omit<SlotsStatus, 'waiting'>

interface Question {
  resolve(answer: MembershipEvent): void
  reject(error: Error): void
}

/** Letters of a coordinator's name: they are part of an attribute's name. */
const NAME_RULE = /^[a-z0-9][a-z0-9-]{0,39}$/

/** A group as one of its members sees it: who is here, who leads, and seats that nobody tells of. */
export class JoinedGroup {
  readonly name: string
  private readonly node: RunningMember
  private readonly attributes: readonly Attribute[]
  private readonly roster = new Roster()
  private readonly roll: Roll
  private readonly feeds = new Set<Feed<readonly MemberInfo[]>>()
  private readonly offices = new Map<string, Office>()
  /** Places that this member sees to: that there is a coordinator. */
  private readonly opened = new Set<string>()
  /** The views that elections were told last. */
  private readonly told = new Map<string, string>()
  private readonly openSlots = new Map<string, Slots>()
  private readonly questions = new Map<number, Question>()
  private readonly clock = holderClock()
  private readonly refresh: NodeJS.Timeout | undefined
  private ids = 0
  private stopped: Promise<void> | undefined
  /** The node takes no more commands. */
  private silent = false
  private failures = new Map<string, number>()

  /** @internal Made by `join`. */
  constructor(name: string, node: RunningMember, values: Attributes, attributes: readonly Attribute[]) {
    this.name = name
    this.node = node
    this.attributes = attributes
    this.roll = new Roll({
      leads: () => this.leads(),
      tell: command => this.tellElection(command),
      view: member => this.roster.get(member),
      keysOf: view => node.keysOf(view),
    })
    if (Object.values(values).some(value => typeof value === 'function')) {
      this.refresh = setInterval(() => this.set(changedValues(values)), REFRESH_MS).unref()
    }
  }

  /** Everybody known, at this moment. */
  list(): readonly MemberInfo[] {
    return this.roster.list(member => this.roll.mayVote(member))
  }

  /** The members now, and again whenever something about them changes. */
  async *members(
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<readonly MemberInfo[], void, undefined> {
    this.checkOpen()
    const feed = new Feed<readonly MemberInfo[]>(options.signal)
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
    const named = Object.entries(values).map(([name, value]) => ({ name, value: numberOf(name, value) }))
    this.tellMembership({ kind: 'set', id: ++this.ids, values: named })
  }

  /** Average, sum, least and largest of an attribute over the group, by gossip: close, and closer the longer it runs. */
  async aggregate(attribute: string): Promise<Aggregate> {
    const found = await this.ask(id => ({ kind: 'aggregate', id, name: attribute }))
    if (found.kind !== 'aggregated') throw new Unavailable(`'${attribute}' could not be aggregated`)
    const { average, sum, minimum, maximum, size } = found
    return { average, sum, minimum, maximum, size }
  }

  /** Stands for a place. Resolves at once; `lead` is called whenever this member is elected. */
  async coordinator(name: string, options: CoordinatorOptions): Promise<Candidacy> {
    const office = this.office(name)
    this.set({ [standsFor(name)]: 1 })
    return office.stand(options.lead, () => this.set({ [standsFor(name)]: 0 }))
  }

  /** Who leads, now and whenever it changes. Without a coordinator, or in a minority: `coordinator` is undefined. */
  async *coordinatorOf(
    name: string,
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<CoordinatorInfo, void, undefined> {
    yield* this.office(name).follow(options.signal)
  }

  /**
   * Agrees that a guest may vote and lead. q members must agree and somebody must lead: resolves when the list has it,
   * with the list's number. `coterie member admit` says it to all.
   */
  async admit(member: string): Promise<number> {
    this.checkOpen()
    return this.roll.admit(member)
  }

  /** Agrees that a member may vote and lead no longer. */
  async expel(member: string): Promise<number> {
    this.checkOpen()
    return this.roll.expel(member)
  }

  /**
   * Slots that the members share without telling each other who has which. All members must name the same slots and
   * lease. From the first call of a name on, this process takes part in its rounds, whether it wants a seat or not.
   */
  slots(name: string, options: SlotsOptions): Slots {
    this.checkOpen()
    const settings = settingsOf(name, options, this.node.terms)
    const known = this.openSlots.get(name)
    if (known?.accepts(settings)) return known
    if (known !== undefined) throw new SettingsError(`slots '${name}' are open with other settings already.`)
    const now = () => this.node.now()
    const slots = new Slots(settings, options, this.clock, now, body => this.tellSlots(body))
    this.openSlots.set(name, slots)
    this.tellSlots({ kind: 'open', settings })
    return slots
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
  event({ part, body }: Parted): void {
    if (part === 'membership') return this.membershipEvent(body as MembershipEvent)
    if (part === 'election') return this.electionEvent(body as ElectionEvent)
    if (part === 'slots') return this.slotsEvent(body as ManySlotsEvent)
    if (part === 'window')
      void answerLook(body as never, this, found => this.node.command({ part: 'window', body: found }))
  }

  /** @internal The node below has ended. */
  ended(error: Error): void {
    clearInterval(this.refresh)
    this.silent = true
    const why = new Unavailable(`this member ended: ${error.message}`)
    for (const feed of this.feeds) feed.fail(why)
    for (const office of this.offices.values()) office.ended(why)
    this.roll.end(why)
    for (const slots of this.openSlots.values()) slots.ended(why)
    for (const question of this.questions.values()) question.reject(why)
    this.questions.clear()
    this.stopped ??= Promise.resolve()
  }

  /** @internal For the window: where slots stand, without what only this process may know. */
  async slotsNow(name: string): Promise<PublicSlotsStatus | undefined> {
    const slots = this.openSlots.get(name)
    if (slots === undefined) return undefined
    const { waiting: _waiting, ...status } = await slots.status()
    return status
  }

  /** @internal For the window: what this member knows of a place. */
  coordinatorNow(name: string): CoordinatorInfo {
    return this.office(name).now()
  }

  /** @internal For the window: whether that client may change who votes. */
  isOperator(client: string): boolean {
    return this.node.isOperator(client)
  }

  private office(name: string): Office {
    this.checkOpen()
    if (!NAME_RULE.test(name)) {
      throw new SettingsError(
        `the coordinator's name is ${JSON.stringify(name)}; it must be 1 to 40 lower-case letters, digits and hyphens.`,
      )
    }
    const office = this.officeOf(name)
    if (this.opened.has(name)) return office
    this.opened.add(name)
    this.tellElection({ kind: 'open', name })
    this.tellView(name)
    return office
  }

  /** Also for a place that nobody here has asked about: who asks later is to know what was heard before. */
  private officeOf(name: string): Office {
    const known = this.offices.get(name)
    if (known !== undefined) return known
    const office = new Office(
      name,
      this.clock,
      () => this.node.now(),
      body => this.tellElection(body),
    )
    this.offices.set(name, office)
    return office
  }

  private membershipEvent(event: MembershipEvent): void {
    if (event.kind === 'certified') return this.certified(event.member)
    if ('id' in event && this.questions.has(event.id)) return this.answer(event.id, event)
    if (!this.roster.take(event)) return
    this.showMembers()
    this.tellElection({ kind: 'failed', members: this.roster.gone() })
    this.tellElection({ kind: 'seen', members: this.roster.here() })
    for (const name of this.opened) this.tellView(name)
  }

  private showMembers(): void {
    for (const feed of this.feeds) feed.push(this.list())
  }

  private electionEvent(event: ElectionEvent): void {
    if (event.kind === 'electorate') {
      this.roll.take(event)
      return this.showMembers()
    }
    if ('name' in event) this.officeOf(event.name).take(event)
  }

  /** q members signed that somebody failed: it may stand in the next list, and who leads proposes that. */
  private certified(member: string): void {
    const count = (this.failures.get(member) ?? 0) + 1
    this.failures.set(member, count)
    this.tellElection({ kind: 'vouch', member, failures: count })
    if (this.leads()) this.tellElection({ kind: 'change', id: ++this.ids, change: { failures: [{ member, count }] } })
  }

  private leads(): boolean {
    return [...this.offices.values()].some(office => office.leads())
  }

  /** Most of what becomes known of members (a distance, an address) changes nothing about who stands. */
  private tellView(name: string): void {
    const rows = this.roster.standing(name, this.attributes)
    const view = JSON.stringify(rows)
    if (this.told.get(name) === view) return
    this.told.set(name, view)
    this.tellElection({ kind: 'view', name, rows })
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
    if (!this.silent) this.node.command({ part: 'membership', body })
  }

  private slotsEvent(event: ManySlotsEvent): void {
    this.openSlots.get(event.name)?.take(event)
    // Whoever asks again, with what works, gets another.
    if (event.kind === 'shut') this.openSlots.delete(event.name)
  }

  private tellSlots(body: ManySlotsCommand): void {
    if (!this.silent) this.node.command({ part: 'slots', body })
  }

  private tellElection(body: ElectionCommand): void {
    if (!this.silent) this.node.command({ part: 'election', body })
  }

  private checkOpen(): void {
    if (this.stopped !== undefined) throw new Unavailable('this member has left the group')
  }

  private async shutDown(): Promise<void> {
    clearInterval(this.refresh)
    await Promise.all([...this.offices.values()].map(office => office.close()))
    this.silent = true
    await this.node.stop()
    for (const feed of this.feeds) feed.finish()
    for (const office of this.offices.values()) office.finishAll()
    this.ended(new Error('the group was closed'))
  }
}

/** How often attributes that are functions are looked at again. */
const REFRESH_MS: Millis = 2_000
