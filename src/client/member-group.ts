// One process, one folder, one name: a member of a group that is also a client of its servers. What it does as a client and
// what it does as a member go over connections of their own; each part says for itself when it cannot go on.

import type { ArmSource } from './bandits/options.ts'
import type { BanditHandle, BestArmResult, MaximiseResult } from './bandits/run.ts'
import type { EventChannel } from './events/channel.ts'
import type { ChannelOptions } from './events/options.ts'
import { Group } from './group.ts'
import type { MemberChannel } from './member-events/channel.ts'
import type { EventsVia, MemberEventsOptions } from './member-events/options.ts'
import type { Attributes } from './peers/attributes.ts'
import type { Aggregate, CoordinatorOptions, JoinedGroup } from './peers/joined-group.ts'
import type { Candidacy, CoordinatorInfo } from './peers/leadership.ts'
import type { MemberInfo } from './peers/roster.ts'
import type { BestArmAmongOptions, MaximiseAmongOptions, ThesisSearchAmongOptions } from './peers/run-options.ts'
import type { ArmOptions, ServedArm } from './peers/served-arm.ts'
import type { Slots } from './peers/slots.ts'
import type { SlotsOptions } from './peers/slots-settings.ts'
import type { WaitOptions } from './waiting.ts'

/** What ends a listing that goes on. */
export type Following = Pick<WaitOptions, 'signal'>

/** A group that this process is a client and a member of: locks, objects and jobs, and who is here and who leads. */
export class MemberGroup extends Group {
  private joined: JoinedGroup | undefined

  /** @internal Said once, before anybody has the group. */
  become(joined: JoinedGroup): void {
    this.joined = joined
  }

  /** The name of this member, and of this client. */
  get name(): string {
    return this.member.name
  }

  /** Everybody known, at this moment. */
  list(): readonly MemberInfo[] {
    return this.member.list()
  }

  /** The members now, and again after every change; a loop that is slower than they change gets the newest. */
  members(options: Following = {}): AsyncGenerator<readonly MemberInfo[], void, undefined> {
    return this.member.members(options)
  }

  /** Says something about this member: what coordinators are chosen by, or what is aggregated. */
  set(values: Attributes): void {
    this.member.set(values)
  }

  /** Average, sum, least and largest of an attribute over the group, by gossip. */
  aggregate(attribute: string): Promise<Aggregate> {
    return this.member.aggregate(attribute)
  }

  /** Stands for a place. Resolves at once; `lead` is called each time this member is elected. */
  coordinator(name: string, options: CoordinatorOptions): Promise<Candidacy> {
    return this.member.coordinator(name, options)
  }

  /** Who leads, now and after every change. */
  coordinatorOf(name: string, options: Following = {}): AsyncGenerator<CoordinatorInfo, void, undefined> {
    return this.member.coordinatorOf(name, options)
  }

  /** Agrees that a guest may vote and lead. */
  admit(member: string): Promise<number> {
    return this.member.admit(member)
  }

  /** Agrees that a member may vote and lead no longer. */
  expel(member: string): Promise<number> {
    return this.member.expel(member)
  }

  /** Slots that the members share without telling each other who has which. */
  slots(name: string, options: SlotsOptions): Slots {
    return this.member.slots(name, options)
  }

  /** A channel of the servers; with `via` one among the members, without servers. */
  override events<Payload = unknown>(
    name: string,
    options: MemberEventsOptions<Payload> & { readonly via: EventsVia },
  ): MemberChannel<Payload>
  override events<Payload = unknown>(name: string, options?: ChannelOptions<Payload>): EventChannel<Payload>
  override events<Payload = unknown>(
    name: string,
    options: ChannelOptions<Payload> | (MemberEventsOptions<Payload> & { readonly via: EventsVia }) = {},
  ): EventChannel<Payload> | MemberChannel<Payload> {
    const isAmongMembers = typeof options === 'object' && options !== null && 'via' in options
    return isAmongMembers ? this.member.events(name, options) : super.events(name, options)
  }

  /** Serves an arm to runs of that name: `source` pulls it once and gives its reward. */
  arm(name: string, arm: string, source: ArmSource, options: ArmOptions = {}): Promise<ServedArm> {
    return this.member.arm(name, arm, source, options)
  }

  /** Finds the best of several arms that members serve, with a budget of pulls. */
  bestArm(options: BestArmAmongOptions | ThesisSearchAmongOptions): BanditHandle<BestArmResult> {
    return this.member.bestArm(options)
  }

  /** Earns as much as it can from arms that members serve, with a budget of pulls. */
  maximise(options: MaximiseAmongOptions): BanditHandle<MaximiseResult> {
    return this.member.maximise(options)
  }

  /** Steps down where it leads, says goodbye to the members, releases what is held, and lets go of connections. */
  override async close(): Promise<void> {
    // First: what a leader holds is released after it has stopped to lead.
    await this.joined?.close()
    await super.close()
  }

  private get member(): JoinedGroup {
    return this.joined!
  }
}
