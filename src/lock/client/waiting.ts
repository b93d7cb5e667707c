// The client's side of waiting in the servers' lists (protocols/lock 4): it holds a ticket, pings, collects grants as
// they come, gives back those that an earlier ticket should have, and wins when g servers hold for it at one time.

import { kthLargest, type NodeId } from '../../core/index.ts'
import { pingEvery } from '../ping.ts'
import type { ServerMessage } from '../wire.ts'
import { grantsNeeded } from './answers.ts'
import { type Acquisition, type ClientScene, clientTimers, PINGS_KEPT, raisedToken } from './state.ts'
import { isToken } from './valid.ts'

type Given = Extract<ServerMessage, { kind: 'given' }>

/** Asks all servers to be put into their lists, under a token of this attempt. */
export function startWaiting(scene: ClientScene, acquisition: Acquisition, token: number): void {
  const { state, turn } = scene
  acquisition.phase = 'waiting'
  acquisition.token = token
  state.seen = Math.max(state.seen, token)
  acquisition.attempt = ++state.attempts
  acquisition.beganAt = turn.now
  acquisition.until.clear()
  acquisition.answers.clear()
  ping(scene, acquisition)
}

// Says to all servers: still here. Also renews what they hold for us already.
function ping({ state, turn }: ClientScene, acquisition: Acquisition): void {
  const { name, attempt, token, ttl, ticket } = acquisition
  acquisition.ping++
  acquisition.sentAt = turn.now
  acquisition.pings.set(acquisition.ping, turn.now)
  acquisition.pings.delete(acquisition.ping - PINGS_KEPT)
  const body = { kind: 'wait', name, attempt, token, ttl, ticket, ping: acquisition.ping } as const
  for (const to of state.servers) turn.do({ kind: 'send', to, body })
  clientTimers.set(turn, 'ping', pingEvery(ttl), name)
}

export function pingAgain(scene: ClientScene, acquisition: Acquisition): void {
  if (!scene.settings.rules.pings()) return
  raiseOwnToken(scene, acquisition)
  if (acquisition.sentAt < scene.turn.now) ping(scene, acquisition)
}

/** Counts a grant, or gives it back for good. True: g servers hold for us now. */
export function countGrant(scene: ClientScene, acquisition: Acquisition, from: NodeId, body: Given): boolean {
  const { settings, turn } = scene
  const { rules } = settings
  if (!rules.countsGrant(body.grant, acquisition.yielded.get(from) ?? 0)) {
    // Our yield was lost, or is on its way.
    yieldGrant(scene, acquisition, from, body.grant)
    return false
  }
  const sentAt = acquisition.pings.get(body.ping)
  if (sentAt === undefined) return false
  const held = Math.min(body.held, acquisition.ttl)
  acquisition.until.set(from, rules.waiterBeliefStart(sentAt, turn.now) + rules.belief(held, settings.drift))
  acquisition.answers.set(from, { kind: 'granted' })
  return rules.mayWin(turn.now, kthLargest(acquisition.until.values(), grantsNeeded(scene)))
}

/** An earlier ticket waits at a server that granted to us. Not counted any more, then given back: in this order. */
export function yieldGrant({ turn }: ClientScene, acquisition: Acquisition, from: NodeId, grant: number): void {
  const { name, token, yielded } = acquisition
  yielded.set(from, Math.max(grant, yielded.get(from) ?? 0))
  acquisition.until.delete(from)
  acquisition.answers.set(from, { kind: 'locked', remaining: 0 })
  turn.do({ kind: 'send', to: from, body: { kind: 'yield', name, grant, token } })
}

/** Begins again under a higher token, where servers call this one too low and are believed. */
export function raiseOwnToken(scene: ClientScene, acquisition: Acquisition): void {
  const above = higherToken(scene, acquisition)
  if (above === undefined || above < acquisition.token) return
  const token = Math.max(above, scene.state.seen) + 1
  // Where the largest token there is was granted, nobody can follow; the user gives up some time.
  if (!isToken(token)) return
  acquisition.tries++
  startWaiting(scene, acquisition, token)
}

/**
 * Whether the token must be raised now, and above what. More than b servers that call it too low are believed at once.
 * Fewer may be lying: they are followed, as far as clocks are apart, only where we cannot win without them, and the others had
 * time to answer. A liar is quick: followed whenever it speaks, it would make us start over for ever.
 */
function higherToken(scene: ClientScene, acquisition: Acquisition): number | undefined {
  const { settings, turn } = scene
  const { answers, beganAt } = acquisition
  const reported: number[] = []
  let granted = 0
  let waiting = 0
  for (const answer of answers.values()) {
    if (answer.kind === 'tooLow') reported.push(answer.maximum)
    else if (answer.kind === 'granted') granted++
    else if (answer.kind === 'locked') waiting++
  }
  if (reported.length === 0) return undefined
  const g = grantsNeeded(scene)
  // Those that have us in a list may be lying as well: where the others have granted, it is this one that we need.
  const isStuck = () => granted + waiting < g || (granted < g && granted + reported.length >= g)
  const isBelieved = reported.length > settings.liars
  if (!isBelieved && (turn.now - beganAt < settings.answerMax || !isStuck())) return undefined
  return raisedToken(scene, acquisition, reported)
}
