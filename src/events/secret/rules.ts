// The lines on which a secret channel rests, apart from the machines that use them. Each says the smallest story that goes
// wrong without it; proof/secret-planted.ts breaks each, and the simulator must notice.

/** The lines on which a secret channel rests. */
export interface SecretRules {
  /** The nonce under which an event is sealed. */
  nonce(random: (length: number) => Uint8Array, counter: number): Uint8Array
  /** Whether a writer may still seal under an epoch that ends then. */
  mayWrite(until: number, now: number): boolean
  /** Whether an event of an epoch that ended then is still taken. */
  takesEpoch(until: number, grace: number, now: number): boolean
  /** Whether an epoch that is over is judged: what is missing told, and of whom nobody knows. */
  judges(isNewest: boolean): boolean
  /** Whether it is known how many events an author had when somebody subscribed within an epoch. */
  knows(answered: boolean): boolean
  /** Whether somebody who was a writer in the event's epoch, and is or is not one now, is believed. */
  believes(wasWriter: boolean, isWriter: boolean): boolean
  /** Whether a record with this number replaces the newest that is known. */
  replaces(number: number, newest: number): boolean
  /** Whether a record must be signed by the channel's keeper. */
  checksRecord(): boolean
  /** Whether an event must be signed by its author. */
  checksSignature(): boolean
  /** What the author's signature binds an event to. */
  boundTo(channel: Uint8Array): Uint8Array
  /** The secret from which the tags of an epoch are made. */
  tagSecret(epochKey: Uint8Array, channel: Uint8Array): Uint8Array
  /** The secret of one writer and one reader, from what the two share and what all parties of the epoch have. */
  pairSecret(shared: Uint8Array, epochKey: Uint8Array): Uint8Array
  /** The key under which an event for one reader is sealed, in peks mode. */
  bodyKey(fresh: Uint8Array, epochKey: Uint8Array): Uint8Array
  /** The chance from which the marks of an event are made. */
  markChance(random: (length: number) => Uint8Array): (length: number) => Uint8Array
  /** The epoch as it goes into the keywords of peks mode. */
  searchEpoch(epoch: number): number
  /** The lap as it goes into a counted tag. */
  countedLap(lap: number): number
  /** Whether a writer that started in that lap may count in this one. */
  mayCount(startedIn: number, lap: number): boolean
  /** Up to where an author's counters are refused, once this one is so old that it is no longer kept. */
  floorAfter(floor: number, forgotten: number): number
  /** Whether a number that was passed over is told, after this much patience. */
  tells(waited: number, patience: number): boolean
}

const NONCE_BYTES = 12

/** The rules as they must be. */
export const secretRules: SecretRules = {
  // Two writers share the key, and both count from one: two events under one nonce show the difference of their texts, and
  // the key that makes forgeries.
  nonce: random => random(NONCE_BYTES),

  // A reader was removed, and the broker keeps the new record from a writer: it would go on sealing under the key that the
  // removed one has, for ever.
  mayWrite: (until, now) => now < until,

  // The key of an old epoch leaks, or its removed holder writes on: what it seals must be worth nothing.
  takesEpoch: (until, grace, now) => now < until + grace,

  // The keeper is late, or the broker keeps its record and the writers' last words: no other epoch follows, and whoever waits
  // for one is never told.
  judges: () => true,

  // A reader begins within an epoch. The broker drops the answer and the next events, and lets the totals through: all of them
  // would count as having been before.
  knows: answered => answered,

  // A writer was removed. It still has the old key, and the old epoch is still taken.
  believes: (wasWriter, isWriter) => wasWriter && isWriter,

  // The broker shows a record from before the removal, validly signed, and the removed writer is back.
  replaces: (number, newest) => number > newest,

  // The broker writes a record of its own, with itself as a reader.
  checksRecord: () => true,

  // The key is shared: a reader can seal an event in anybody's name.
  checksSignature: () => true,

  // Somebody is in two channels. It opens an event in one and seals it, signature and all, in the other.
  boundTo: channel => channel,

  // A tag that outlives its epoch is a name: the broker counts for ever how often each keyword comes.
  tagSecret: epochKey => epochKey,

  // Every party has the epoch's key: one writer would read what another says to a reader.
  pairSecret: shared => shared,

  // A writer is outside the audience: with the key of the epoch it would read what the other writers say.
  bodyKey: fresh => fresh,

  // With the same chance twice, equal keywords have equal marks, and everybody on the way counts them.
  markChance: random => random,

  // A trapdoor is for good otherwise: the broker goes on finding what its reader, gone or removed, once asked for.
  searchEpoch: epoch => epoch,

  // The count begins at zero in each lap: without the lap the same tags come again.
  countedLap: lap => lap,

  // It was started again within the lap, and counts from zero once more: the same tags come twice.
  mayCount: (startedIn, lap) => lap > startedIn,

  // What is no longer kept might come again, and be taken for new.
  floorAfter: (floor, forgotten) => Math.max(floor, forgotten),

  // A number was passed over: somebody dropped an event, and nobody would ever hear of it.
  tells: (waited, patience) => waited >= patience,
}
