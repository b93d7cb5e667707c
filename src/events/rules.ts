// The lines on which delivery rests, apart from the machines that use them. Each says the smallest story that goes wrong
// without it; proof/planted.ts breaks each, and the simulator or the explorer must notice.

import { kthLargest, sameBytes } from '../core/index.ts'

/** How many events there are, and the hash of their counters and contents. */
export interface Digest {
  readonly count: number
  readonly hash: Uint8Array
}

/** The lines on which delivery rests. */
export interface EventsRules {
  /** Whether a server saves an event before it says that it holds it. */
  savesFirst(): boolean
  /** Whether an event with this counter is taken by a server that holds all up to `held`. */
  continues(held: number, counter: number): boolean
  /** How many servers must hold an event before it is accepted. */
  acksNeeded(servers: number, crashes: number): number
  /** How many servers, the one that sends among them, must agree on what matched before the cursor moves. */
  agreeing(liars: number): number
  /** Whether what a witness counts and hashes is what the client has. */
  agrees(own: Digest, theirs: Digest): boolean
  /** The channel as it is signed with an event. */
  boundTo(channel: string): string
  /** Whether what a server shows of an author is looked at: signature, path, counter. */
  checksSignature(): boolean
  /** Whether what another server sends to repair a log is looked at in the same way. */
  checksRepair(): boolean
  /** Whether a saved cursor that a server shows must be signed by its owner, for this channel and name. */
  checksCursor(): boolean
  /** What may be saved as a cursor, of what is checked and of what the handler has acknowledged. */
  saves(checked: number, done: number): number
  /** Whether servers fetch from each other what they lack. */
  repairs(): boolean
  /** Up to where others are waited for, given what all servers report to hold. */
  waitedFor(reported: readonly number[], liars: number): number
  /** Whether one that stays below that is replaced. */
  passesOver(): boolean
  /** Whether a newer generation of a cursor outranks every older one. */
  outranks(generation: number, than: number): boolean
  /** Whether a subscription that sees another cursor of its name goes above it, rather than end. */
  outbids(opening: boolean, other: number, own: number): boolean
  /** Up to where events are gone for good, given what each server of the subscription says to have cut, the sender first. */
  gone(cuts: readonly number[]): number
  /** Whether an event that a member of a queue was given counts as done. */
  doneWhenGiven(): boolean
  /** Whether so many bytes of one server's words are kept while too few others say the same. */
  mayKeep(bytes: number, bytesMax: number): boolean
}

/** The rules as they must be. */
export const eventsRules: EventsRules = {
  // It said "held", the author forgot the event, the power failed.
  savesFirst: () => true,

  // Event 2 is lost on the way, 3 is taken: "held up to 3" is not true, and nobody ever asks for 2.
  continues: (held, counter) => counter === held + 1,

  // Of n - f holders b may lie and f - b may be gone: n - 2f are left, b + 1 at the least. With fewer, the only ones that
  // hold it may be those that are gone when the author dies.
  acksNeeded: (servers, crashes) => servers - crashes,

  // One of b + 1 is honest and holds the prefix: what all of them agree on is whole. The one that sends, alone, may skip.
  agreeing: liars => liars + 1,

  // An author in league with the server that sends signs two events under one id: both count one, and only the hash tells
  // that the others have something else.
  agrees: (own, theirs) => own.count === theirs.count && sameBytes(own.hash, theirs.hash),

  // The third event of one channel is shown as the third of another: the same author, the same life, a good signature.
  boundTo: channel => channel,

  // A server that may lie invents events in the name of others.
  checksSignature: () => true,

  // One that took them from a liar would show them to everybody, and be called a liar itself.
  checksRepair: () => true,

  // A cursor far ahead, made up by one server, skips everything below it.
  checksCursor: () => true,

  // What was checked was not yet handled: the process dies, and the next one starts behind it.
  saves: (_checked, done) => done,

  // The author died after n - f had its event, and the one that sends is a server that had not.
  repairs: () => true,

  // Everything accepted is held by b + 1 honest servers that are up; above that a liar may invent what it likes, and a
  // client that waits for it waits for ever.
  waitedFor: (reported, liars) => Math.max(0, kthLargest(reported, liars + 1)),

  // A liar that says it holds nothing is neither silent nor caught.
  passesOver: () => true,

  // The name was opened again at the start. An old cursor, validly signed and far ahead, must not win over the new one.
  outranks: (generation, than) => generation > than,

  // A process died while it opened the name: few servers have its words. The next one asked the others, has the same number
  // and the smaller name: if it ends, nobody follows.
  outbids: (opening, other, own) => opening || other === own,

  // One that lies says that it has cut everything: believed, all of it is lost.
  gone: cuts => Math.min(...cuts),

  // The member dies with it.
  doneWhenGiven: () => false,

  // One invents a hundred thousand sources and queues: everybody's memory is full of them, and nothing true finds room.
  mayKeep: (bytes, bytesMax) => bytes <= bytesMax,
}

/** Processes of one client share a certificate, and are told apart by what follows the mark: `billing#3f9a01c2`. */
export function certificateOf(id: string): string {
  const mark = id.indexOf('#')
  return mark < 0 ? id : id.slice(0, mark)
}
