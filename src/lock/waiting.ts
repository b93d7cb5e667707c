// The client's side of waiting in the servers' lists (PROTOCOLS E 4): it holds a ticket, pings, collects grants as
// they come, gives back those that an earlier ticket should have, and wins when g servers hold for it at one time.

import type { Millis, NodeId } from '../core/index.ts'
import { isToken } from './asking.ts'
import type { ServerMessage } from './messages.ts'
import { kthLargest, raiseToken } from './rules.ts'
import type { LockSettings } from './settings.ts'
import type { ClientState, ClientTurn, Pursuit } from './state.ts'
import { pingEvery } from './waiters.ts'

/** Pings whose time is remembered: a grant may echo one that is a few old. */
const PINGS_KEPT = 16

type Given = Extract<ServerMessage, { kind: 'given' }>

/** Asks all servers to be put into their lists, under a token of this attempt. */
export function startWaiting(state: ClientState, pursuit: Pursuit, token: number, turn: ClientTurn): void {
  pursuit.phase = 'waiting'
  pursuit.token = token
  state.seen = Math.max(state.seen, token)
  pursuit.attempt = ++state.attempts
  pursuit.beganAt = turn.now
  pursuit.until.clear()
  pursuit.answers.clear()
  ping(state, pursuit, turn)
}

/** Says to all servers: still here. Also renews what they hold for us already. */
export function ping(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  const { name, attempt, token, ttl, ticket } = pursuit
  pursuit.ping++
  pursuit.sentAt = turn.now
  pursuit.pings.set(pursuit.ping, turn.now)
  pursuit.pings.delete(pursuit.ping - PINGS_KEPT)
  const body = { kind: 'wait', name, attempt, token, ttl, ticket, ping: pursuit.ping } as const
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
  turn.do({ kind: 'timer', name: `ping:${name}`, after: pingEvery(ttl) })
}

/** Counts a grant, or gives it back for good. True: g servers hold for us now. */
export function given(
  state: ClientState,
  settings: LockSettings,
  pursuit: Pursuit,
  from: NodeId,
  body: Given,
  turn: ClientTurn,
): boolean {
  const { rules } = settings
  if (!rules.countsGrant(body.grant, pursuit.yielded.get(from) ?? 0)) {
    // Our yield was lost, or is on its way.
    yieldGrant(pursuit, from, body.grant, turn)
    return false
  }
  const sentAt = pursuit.pings.get(body.ping)
  if (sentAt === undefined) return false
  const held = Math.min(body.held, pursuit.ttl)
  pursuit.until.set(from, rules.waiterBeliefStart(sentAt, turn.now) + rules.belief(held, settings.drift))
  pursuit.answers.set(from, { kind: 'granted' })
  return rules.mayWin(turn.now, kthLargest(pursuit.until.values(), needed(state, settings)))
}

/** An earlier ticket waits at a server that granted to us. Not counted any more, then given back: in this order. */
export function yieldGrant(pursuit: Pursuit, from: NodeId, grant: number, turn: ClientTurn): void {
  pursuit.yielded.set(from, Math.max(grant, pursuit.yielded.get(from) ?? 0))
  pursuit.until.delete(from)
  pursuit.answers.set(from, { kind: 'locked', remaining: 0 })
  turn.do({ kind: 'send', to: from, body: { kind: 'yield', name: pursuit.name, grant, token: pursuit.token } })
}

/**
 * Whether the token must be raised now, and above what. More than b servers that call it too low are believed at once.
 * Fewer may be lying: they are followed, by a bounded step, only where we cannot win without them, and the others had
 * time to answer. A liar is quick: followed whenever it speaks, it would make us begin anew for ever.
 */
function higherToken(state: ClientState, settings: LockSettings, pursuit: Pursuit, now: Millis): number | undefined {
  const reported: number[] = []
  let granted = 0
  let waiting = 0
  for (const answer of pursuit.answers.values()) {
    if (answer.kind === 'tooLow') reported.push(answer.maximum)
    else if (answer.kind === 'granted') granted++
    else if (answer.kind === 'locked') waiting++
  }
  if (reported.length === 0) return undefined
  const g = needed(state, settings)
  // Those that have us in a list may be lying as well: where the others have granted, it is this one that we need.
  const isStuck = () => granted + waiting < g || (granted < g && granted + reported.length >= g)
  const believed = reported.length > settings.liars
  if (!believed && (now - pursuit.beganAt < settings.answerMax || !isStuck())) return undefined
  return raiseToken(pursuit.token, reported, settings.liars, pursuit.tries)
}

/** What was won from the list is short: long enough to renew, not to work. */
export function isShort(settings: LockSettings, pursuit: Pursuit, now: Millis): boolean {
  return pursuit.deadline - now < settings.rules.belief(pursuit.ttl, settings.drift) / 2
}

export function raise(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const above = higherToken(state, settings, pursuit, turn.now)
  if (above === undefined) return
  const token = Math.max(above, state.seen) + 1
  // Where the largest token there is was granted, nobody can follow; the user gives up some time.
  if (!isToken(token)) return
  pursuit.tries++
  startWaiting(state, pursuit, token, turn)
}

export function pingAgain(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  if (!settings.rules.pings()) return
  raise(state, settings, pursuit, turn)
  if (pursuit.sentAt < turn.now) ping(state, pursuit, turn)
}

function needed(state: ClientState, settings: LockSettings): number {
  return settings.rules.grantsNeeded(state.servers.length, settings.liars)
}
