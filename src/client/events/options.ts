// What can be asked of a channel, a publication and a subscription, with the checks.

import {
  abortSignal,
  called,
  flag,
  type Millis,
  oneWord,
  optionsSchema,
  type Rule,
  SettingsError,
  textOf,
  waitTime,
  whole,
} from '../../core/index.ts'
import type { Filter } from '../../events/filter.ts'
import { CHANNEL_BYTES_MAX, isName } from '../../events/wire.ts'
import type { WaitOptions } from '../waiting.ts'
import type { Checked } from './payload.ts'

/** A time: milliseconds, or text with its unit: '500ms', '30s', '5m', '2h', '7d'. */
export type Duration = Millis | string

/** A filter in our own language, or as one of the other languages gives it. */
export type FilterLike = Filter | Readonly<Record<string, unknown>>

/** What a channel is, as this process uses it. */
export interface ChannelOptions<Payload = unknown> {
  /** Whether servers save events, and subscriptions miss none. Default true. */
  readonly durable?: boolean
  /** How long servers keep what this process publishes. Default 7 days and 16 MB for each process; live: a minute and 8 MB. */
  readonly keep?: { readonly age?: Duration; readonly bytes?: number }
  /** Refuses payloads that do not fit, when they are published and when they come: any Standard Schema. */
  readonly check?: Checked<Payload>
}

/** How an event is published. */
export interface PublishOptions extends WaitOptions {
  /** Kept as the newest of its attribute `topic`, for subscriptions that ask for it. */
  readonly retained?: boolean
  /** After this time nobody is to have it. By the clocks of author and subscriber. */
  readonly expires?: Duration
  /** Where 10,000 events wait to be accepted already: `false` refuses this one at once. Default true: it waits. */
  readonly wait?: boolean
}

/** How a subscription is. */
export interface SubscribeOptions {
  /** Durable: the servers remember how far it is, and a later process of the same client goes on there. */
  readonly name?: string
  /** Where it begins if it never was: 'now' (default) or 'start'; 'again': at the start, whatever was saved. */
  readonly from?: 'now' | 'start' | 'again'
  /** Processes of this client that use the same `name` share the events. */
  readonly queue?: boolean
  /** After this time without an acknowledgement an event comes again. Default 30 s. */
  readonly ackWait?: Duration
  /** Of a queue: how often an event is tried before it goes to the channel `$dead/NAME`. Default 5. */
  readonly attempts?: number
  /** Events of different authors that may be in hand at once. Default 1. */
  readonly parallel?: number
  /** First the newest kept event of each topic, then what comes. */
  readonly retained?: boolean
  /** Ends it when it fires. */
  readonly signal?: AbortSignal
  /** Told of events that were cut before this subscription had them. */
  readonly onMissed?: (missed: MissedEvents) => void
  /** Told each time that the handler, or the channel's check, throws. Without it a warning of the process says so once. */
  readonly onFailed?: (failed: FailedEvent) => void
}

/** An event that a handler threw at: it comes again. */
export interface FailedEvent {
  readonly id: string
  /** 1 the first time. */
  readonly attempt: number
  /** What was thrown. */
  readonly error: unknown
}

/** Events of one author that nobody can show any more. */
export interface MissedEvents {
  readonly author: string
  readonly count: number
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const TEXT = /^(\d{1,9})(ms|s|m|h|d)$/

/** The milliseconds of a duration, or undefined. */
function millisOf(value: unknown): Millis | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? Math.floor(value) : undefined
  const parts = typeof value === 'string' ? TEXT.exec(value) : null
  return parts === null ? undefined : Number(parts[1]) * UNITS[parts[2]!]!
}

/** The milliseconds of a duration that was checked. */
export function millis(value: Duration): Millis {
  const found = millisOf(value)
  if (found === undefined) throw new SettingsError(`${String(value)} is no duration; it must be ${durationRule.must}.`)
  return found
}

export const durationRule: Rule = {
  must: "a number of milliseconds, or text such as '30s', '5m', '7d'",
  fits: value => millisOf(value) !== undefined,
}

const checkKeep = optionsSchema<NonNullable<ChannelOptions['keep']>>({
  age: durationRule,
  bytes: whole(1),
})

export const checkedRule: Rule = {
  must: "a Standard Schema: an object with '~standard'",
  fits: value => value !== null && ['object', 'function'].includes(typeof value) && '~standard' in (value as object),
}

const checkChannelOptions = optionsSchema<ChannelOptions>({
  durable: flag,
  keep: { must: 'an object of age and bytes', fits: value => typeof value === 'object' && value !== null },
  check: checkedRule,
})

/** Refuses options that no channel has, and more than a server keeps: it would take no more there, and cut nothing. */
export function checkChannel<Payload>(options: ChannelOptions<Payload>, keepMax: number): void {
  checkChannelOptions('group.events', options as ChannelOptions)
  const { keep } = options
  if (keep !== undefined) checkKeep('keep', keep)
  if (keep?.bytes === undefined || keep.bytes <= keepMax) return
  throw new SettingsError(
    `keep.bytes is ${keep.bytes}, and a server of this group keeps at most ${keepMax} bytes of one client's events, in its memory. Ask for less, or let keepMax be more: of [events] in each coterie.toml, the servers' first, or of embedded().`,
  )
}

/** Refuses options that no publication has. */
export const checkPublish = optionsSchema<PublishOptions>({
  retained: flag,
  expires: durationRule,
  wait: flag,
  timeout: waitTime,
  signal: abortSignal,
})

const ATTEMPTS_MAX = 1_000
const PARALLEL_MAX = 1_000

const checkSubscribeOptions = optionsSchema<SubscribeOptions>({
  name: textOf('the name of the subscription'),
  from: oneWord(['now', 'start', 'again']),
  queue: flag,
  ackWait: durationRule,
  attempts: whole(1, ATTEMPTS_MAX),
  parallel: whole(1, PARALLEL_MAX),
  retained: flag,
  signal: abortSignal,
  onMissed: called('that is told what was missed'),
  onFailed: called('that is told what the handler throws'),
})

/** Where events go that a queue could not handle. */
export function deadChannel(queue: string): string {
  return `$dead/${queue}`
}

/** Refuses a filter that names a queue, where something else was asked for: one of the two would be swallowed. */
export function checkShared({ $queue }: Filter, { name, queue }: SubscribeOptions): void {
  if ($queue === undefined || ((name === undefined || name === $queue) && queue !== false)) return
  const asked = queue === false ? 'queue: false' : `name: ${JSON.stringify(name)}`
  throw new SettingsError(
    `the filter shares the queue ${JSON.stringify($queue)} ($share), and the options say ${asked}.`,
  )
}

function checkSubscriptionName(name: string, queue: boolean): void {
  const most = CHANNEL_BYTES_MAX - (queue ? deadChannel('').length : 0)
  if (isName(name) && new TextEncoder().encode(name).length <= most) return
  const whose = queue ? "a queue's name" : "a subscription's name"
  throw new SettingsError(
    `${whose} is 1 to ${most} bytes of UTF-8 without control characters; this is ${quoted(name)}.`,
  )
}

/** As much of it as a sentence bears. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name)
}

/** Refuses options that no subscription has, or that contradict each other. */
export function checkSubscribe(options: SubscribeOptions, channel: string, live: boolean): void {
  checkSubscribeOptions('subscribe', options)
  if (options.queue && options.name === undefined)
    throw new SettingsError('a queue needs a name: its members share it.')
  if (options.attempts !== undefined && !options.queue)
    throw new SettingsError(
      'attempts are of a queue (queue: true): elsewhere an event comes again until it is handled, so that the next of its author never passes it.',
    )
  if (live && options.name !== undefined)
    throw new SettingsError('a live channel (durable: false) keeps no place: leave the name out.')
  if (options.name !== undefined) checkSubscriptionName(options.name, options.queue === true)
  if (options.queue && deadChannel(options.name!) === channel)
    throw new SettingsError(
      `the queue ${quoted(options.name!)} puts events aside in the channel ${quoted(channel)}: reading them there under that name it would put them aside again, for ever. Take another name.`,
    )
  if (options.queue && options.from === 'again')
    throw new SettingsError("a queue cannot begin again: from is 'now' or 'start'.")
}
