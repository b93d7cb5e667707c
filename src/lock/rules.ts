// The lock's arithmetic: the few lines on which its safety rests, apart from the machines that use them.
// Each rule says the smallest story that goes wrong without it; src/lock/proof/planted.ts breaks each, and the
// explorer and the simulator must notice.

import { believed, type Decision, decide, kthLargest, lockGrants, type Millis, type NodeId } from '../core/index.ts'
import { TOKEN_MAX } from './wire.ts'

/** The lines on which the lock's safety rests. */
export interface LockRules {
  /** How many grants make a holder. */
  grantsNeeded(servers: number, liars: number): number
  /** For how long, by its own clock, a client may believe in a lease of `ttl`. */
  belief(ttl: Millis, drift: number): Millis
  /** From when the belief counts, given when the request was sent and when the answer came. */
  beliefStart(sentAt: Millis, answeredAt: Millis): Millis
  /** Whether an answer belongs to the attempt under way. */
  isCurrent(answered: number, current: number): boolean
  /** Whether a grant that answers no attempt under way is given back, given the token now pursued or held. */
  isStray(current: number | undefined, granted: number): boolean
  /** Whether a token that is given back was certainly never held under, given the largest that was. */
  neverUsed(token: number, used: number): boolean
  /** From when the belief in a grant from the list counts: when the ping that it echoes was sent, when it came. */
  waiterBeliefStart(pingedAt: Millis, answeredAt: Millis): Millis
  /** Whether a numbered grant counts, given the largest number that was given back to this server. */
  countsGrant(grant: number, yielded: number): boolean
  /** Whether enough grants make a holder now, given until when they would let it believe. */
  mayWin(now: Millis, deadline: Millis): boolean
  /** Whether a holder is told before its belief ends. */
  warns(): boolean
  /** Whether a client that waits says so again and again. */
  pings(): boolean
  /** The smallest token that a restarted server must not grant again, given what it had reserved. */
  floorAfterRestart(reserved: number): number
  /** The smallest token that a server without its store must not grant, given what the others report and its own clock. */
  floorAfterLoss(reported: readonly number[], liars: number, clock: number): number
  /** What the next token must exceed, given the maxima that servers report against this one and the client's clock. */
  raiseToken(token: number, reported: readonly number[], liars: number, clock: number): number
  /** The largest token that a server takes, given its wall clock. */
  tokenMax(clock: number, ahead: Millis): number
  /** For how long a server that restarted without a clean stop grants nothing. */
  restartWait(ttlMax: Millis): Millis
  /** Whether a release ends the lease that is out. */
  mayRelease(holder: NodeId, token: number, from: NodeId, named: number): boolean
  /** Whether a resource takes a write, given the largest token that it took one with. Not the servers' or the clients' rule: the guard's. */
  admits(seen: bigint | undefined, token: bigint): Decision
  /** Whether a client may renew what another holds. */
  mayKeep(from: NodeId, holder: NodeId): boolean
  /** Whether somebody may ask this server for locks, given the group's other servers. */
  mayAsk(from: NodeId, servers: readonly NodeId[]): boolean
}

/** The rules as they must be. */
export const lockRules: LockRules = {
  // One fewer, and two clients can each collect enough from disjoint honest servers and the liars they share.
  grantsNeeded: lockGrants,

  // The server's clock may run fast by `drift` and end the lease early, the client's slow and notice late.
  // core/belief.ts has the arithmetic. Rounded down: a fraction too long would be a fraction too long.
  belief: (ttl, drift) => Math.floor(believed(ttl, drift)),

  // The server counts from when the request arrived, which is after it was sent. Counted from the answer, a slow
  // answer makes the client believe after the server has granted to somebody else.
  beliefStart: sentAt => sentAt,

  // Grants of two attempts must not be added up: the first ones may have been released or run out.
  isCurrent: (answered, current) => answered === current,

  // A renewal begins a new attempt, and then a second copy of the try that won is answered: to give that back would
  // end the lease we hold.
  isStray: (current, granted) => current !== granted,

  // A server takes an unused token back and may grant a smaller one next. A second copy of a grant that won comes
  // after the holder has let go: called unused, it would let a smaller token follow the one that was held.
  neverUsed: (token, used) => token > used,

  // The server may have had the lock for others for minutes after the ping, but the ping was sent before it granted to
  // us, and it holds from the grant on. Counted from when the grant arrives, a slow grant is believed in for too long.
  waiterBeliefStart: pingedAt => pingedAt,

  // An inquiry may overtake the grant that it is about. The grant is given back before it is there, and comes then.
  countsGrant: (grant, yielded) => grant > yielded,

  // Every answer may have been slower than the lease is long: it is over before it began.
  mayWin: (now, deadline) => now < deadline,

  // A holder that learns of its loss from a renewal that failed has worked without the lock for a while.
  warns: () => true,

  // A server that restarted, or was cut off for a while, has forgotten who waits.
  pings: () => true,

  // Tokens are granted without a disk write each, from a reserve. Whatever of it was granted, all of it is spent.
  floorAfterRestart: reserved => reserved,

  // A client held with this server and one other, under 1,000. This server's store is lost. The next client's clock is
  // behind: it would get 900 here and from a third server, and a guard that has seen 1,000 refuses it. The largest report
  // is the truth or a lie: one liar must not move the floor beyond what clocks can explain.
  floorAfterLoss: (reported, liars, clock) =>
    Math.max(0, Math.min(kthLargest(reported, 1), Math.max(kthLargest(reported, liars + 1), clock + CLOCKS_APART))),

  // Going above the largest would let one liar burn the space of tokens with a few answers. Yet up to b honest servers may
  // stand alone above the others, and their grants may be needed: they are there because of some client's clock, so they
  // are followed as far as clocks are apart. A liar can lead tokens there, and no farther however often it says so.
  raiseToken(token, reported, liars, clock) {
    const vouched = Math.max(token, kthLargest(reported, liars + 1))
    return Math.min(Math.max(kthLargest(reported, 1), vouched), Math.max(vouched, clock + CLOCKS_APART))
  },

  // No token can follow the largest one: one request under it would end the lock, and after a sweep all locks.
  tokenMax: (clock, ahead) => Math.min(TOKEN_MAX, clock + ahead * 1000),

  // A server forgets its grants in a crash. Until the longest of them has run out it must not grant again.
  restartWait: ttlMax => ttlMax,

  // A release that is late, or somebody else's, must not end the lease of the next holder.
  mayRelease: (holder, token, from, named) => holder === from && token === named,

  // A holder was stopped between looking at the clock and writing; when it wakes, somebody else has written.
  admits: decide,

  // What a server does on a `keep` is what it does on a renewal by the holder, and the holder could have sent that at
  // any time: so two holders are no nearer, and only the sender believes the answer. But a stranger could keep a lock
  // shut behind a holder that died. A process with the holder's certificate could take the lock itself, and may.
  mayKeep: (from, holder) => certificateOf(from) === certificateOf(holder),

  // Clients do not lie to their own group, servers may. One that asks the others as a client would is granted every lock that
  // it names, for as long as it likes, and nobody else holds any of them: more than the vote that a liar has.
  mayAsk: (from, servers) => !servers.includes(from),
}

/** Processes of one client share a certificate, and are told apart by what follows the mark: `billing#3f9a01c2`. */
export function certificateOf(id: NodeId): string {
  const mark = id.indexOf('#')
  return mark < 0 ? id : id.slice(0, mark)
}

/** How far apart wall clocks are taken to be, in the microseconds that tokens count in: a minute. */
export const CLOCKS_APART = 60_000_000

/**
 * How many of the others must tell a server that lost its store: n - g + b + 1. Of the g servers of any holder, one lost
 * its store; the g - 1 others and the n - g + b + 1 that told, all among n - 1, share b + 1, one of them honest. Never more
 * than n - f: g is at least f + b + 1.
 */
export function floorsNeeded(servers: number, liars: number): number {
  return servers - lockGrants(servers, liars) + liars + 1
}
