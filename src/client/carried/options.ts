// What `carried` is told, and what it tells.

import {
  anything,
  called,
  flag,
  listOf,
  objectWith,
  oneWord,
  optionsSchema,
  type Rule,
  required,
  type Schema,
  textOf,
  whole,
} from '../../core/index.ts'
import type { Carrier } from '../../runtime/carriers/carrier.ts'

/** How an attribute can be searched: by equality, by prefixes of these lengths, or by ranges. */
export type SearchableAttribute =
  | 'equal'
  | { readonly prefix: readonly number[] }
  | { readonly range: readonly [from: number, to: number]; readonly bits: number; readonly base: number }

/** What one expects of a secret channel: another mode than the keeper's record has is refused. */
export interface SecretOptions {
  readonly mode?: 'tagged' | 'counted' | 'peks'
  /** Tagged, with a key of its own for each writer and reader. */
  readonly pair?: boolean
  /** Of peks: that the broker may find by a list of words which keyword a reader asks for. */
  readonly guessable?: boolean
  readonly searchable?: Readonly<Record<string, SearchableAttribute>>
}

/** What a channel tells besides its events. */
export type CarriedNews =
  /** Events of this author that match did not come: these numbers of one of its tags in an epoch. */
  | {
      readonly kind: 'missed'
      readonly author: string
      readonly epoch: number
      readonly from: number
      readonly to: number
    }
  /** The epoch is over, and of these writers nobody knows whether something is missing. */
  | { readonly kind: 'unknown'; readonly epoch: number; readonly authors: readonly string[] }
  /** The newest epoch is over and no record of the next has come: nothing is heard until the keeper rotates. */
  | { readonly kind: 'ended'; readonly epoch: number }
  /** The keeper's next record was taken. */
  | { readonly kind: 'epoch'; readonly number: number; readonly isParty: boolean }
  /** Writers that have not yet said that they have the newest record. */
  | { readonly kind: 'receipts'; readonly number: number; readonly missing: readonly string[] }
  /** Something that came was refused: an invention, another's words, a repeat of long ago. */
  | { readonly kind: 'dropped'; readonly why: string }
  /** A matcher's clock and ours are this many laps of ten seconds apart. */
  | { readonly kind: 'clock'; readonly laps: number }
  /** The connection to this carrier broke, is there again, or its broker does not let us listen or send. */
  | {
      readonly kind: 'carrier'
      readonly url: string
      readonly is: 'lost' | 'back' | 'refusing'
      readonly why: string
    }
  /** A handler threw; or, with a `NotCarried`, the channel has ended and nothing more comes. */
  | { readonly kind: 'failed'; readonly error: unknown }

/** Options of `carried`. */
export interface CarriedOptions {
  /** A client's folder. */
  readonly identity: string
  /** Brokers: everything is sent to all of them, and what one drops another brings. */
  readonly carriers: readonly Carrier[]
  readonly channel: string
  readonly secret?: SecretOptions
  /** Of the processes that write as this client at the same time in counted mode, which one: 0 to 3. */
  readonly lane?: number
  /** Hears what the channel tells besides its events. */
  readonly told?: (news: CarriedNews) => void
}

/** Options of `carried` for a plain channel: everybody on the broker reads it, and may write. */
export interface PlainOptions {
  readonly plain: true
  /** Brokers: everything is sent to all of them. */
  readonly carriers: readonly Carrier[]
  /** The first level of every topic, or token of every subject. */
  readonly channel: string
  /** A name that readers see. Nothing proves it. */
  readonly author?: string
  /** Hears that a handler threw or is too slow, and of the carriers themselves. */
  readonly told?: (news: CarriedNews) => void
}

const carriers: Rule = listOf(objectWith(['open'], 'a carrier'), 'carriers, such as [nats("nats://127.0.0.1")]')

const someCarriers: Rule = required({
  must: 'a list of at least one carrier, such as [nats("nats://127.0.0.1")]',
  fits: value => carriers.fits(value) && (value as unknown[]).length > 0,
})

/** Checks the options of a plain channel. */
export const plainSchema: Schema<PlainOptions> = optionsSchema<PlainOptions>({
  plain: flag,
  carriers: someCarriers,
  channel: required(textOf('the name of a channel')),
  author: textOf('a name'),
  told: called('that hears what goes wrong'),
})

/** Checks the options of `carried`. */
export const carriedSchema: Schema<CarriedOptions> = optionsSchema<CarriedOptions>({
  identity: required(textOf("a client's folder")),
  carriers: someCarriers,
  channel: required(textOf('the name of a channel')),
  secret: anything,
  lane: whole(0, 3),
  told: called('that hears what is missed'),
})

/** Checks what is expected of a channel, but for how it is searched. */
export const secretSchema: Schema<SecretOptions> = optionsSchema<SecretOptions>({
  mode: oneWord(['tagged', 'counted', 'peks']),
  pair: flag,
  guessable: flag,
  searchable: anything,
})
