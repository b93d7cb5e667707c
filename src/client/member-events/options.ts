// What can be asked of a channel among members, with the checks.

import { abortSignal, called, flag, oneWord, optionsSchema } from '../../core/index.ts'
import { checkedRule, type Duration, durationRule } from '../events/options.ts'
import type { Checked } from '../events/payload.ts'
import { type WaitOptions, waitRules } from '../waiting.ts'

/** The ways of events among members: in trees over the electorate, or by gossip among those who want the same. */
export type EventsVia = 'trees' | 'gossip'

/** What a channel among members is, as this process uses it. */
export interface MemberEventsOptions<Payload = unknown> {
  /** How events travel. Default 'trees': every voter whose filter fits gets it, although some lie. 'gossip': for many members, guests too, as well as it goes. */
  readonly via?: EventsVia
  /** Refuses payloads that do not fit, when they are published and when they come: any Standard Schema. */
  readonly check?: Checked<Payload>
}

/** How an event is published among members. */
export interface MemberPublishOptions extends WaitOptions {
  /** After this time nobody is to have it. By the clocks of author and subscriber. */
  readonly expires?: Duration
  /** Asks every member whether it has the event, and sends it again to those that lack it. Resolves when all have said, or after `timeout` (10 s at most). */
  readonly receipts?: boolean
}

/** How a subscription among members is. */
export interface MemberSubscribeOptions {
  /** Ends it when it fires. */
  readonly signal?: AbortSignal
  /** Told how many events this process was too slow for: they are gone. */
  readonly onMissed?: (count: number) => void
}

const checkEventsOptions = optionsSchema<MemberEventsOptions>({ via: oneWord(['trees', 'gossip']), check: checkedRule })

/** Refuses options that no channel among members has. */
export function checkMemberEvents<Payload>(options: MemberEventsOptions<Payload>): void {
  checkEventsOptions('member.events', options as MemberEventsOptions)
}

/** Refuses options that no publication among members has. */
export const checkMemberPublish = optionsSchema<MemberPublishOptions>({
  ...waitRules,
  expires: durationRule,
  receipts: flag,
})

/** Refuses options that no subscription among members has. */
export const checkMemberSubscribe = optionsSchema<MemberSubscribeOptions>({
  signal: abortSignal,
  onMissed: called('that is told how many were missed'),
})
