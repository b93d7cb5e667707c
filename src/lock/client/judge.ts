// What a client does with a server's answer: counts it, judges whether it has won or lost, or gives back what came late.

import type { Millis, NodeId } from '../../core/index.ts'
import type { ServerMessage } from '../wire.ts'
import { grantsNeeded, readAnswer, type TryAnswer } from './answers.ts'
import { blameAnswer, blameInquiry } from './blame.ts'
import { believe, lose, win } from './holding.ts'
import { retry } from './retry.ts'
import { type Acquisition, type ClientScene, clientTimers, isHolder } from './state.ts'
import { countGrant, raiseOwnToken, yieldGrant } from './waiting.ts'

export function onAnswer(scene: ClientScene, from: NodeId, body: TryAnswer): void {
  const { state, settings, turn } = scene
  const acquisition = state.acquisitions.get(body.name)
  const isCurrent = acquisition !== undefined && settings.rules.isCurrent(body.attempt, acquisition.attempt)
  blameAnswer(scene, from, body, isCurrent ? acquisition : undefined)
  if (!isCurrent) return giveBackStray(scene, from, body)
  if (acquisition.phase === 'held' && turn.now >= acquisition.deadline) return lose(scene, acquisition)
  if (acquisition.phase === 'waiting') return judgeWaiting(scene, acquisition, from, body)
  // From the list, and after enough others: it lasts for what it says, not for what a try would be granted.
  if (body.kind === 'given') {
    if (acquisition.phase !== 'held') return
    countGrant(scene, acquisition, from, body)
    return believe(scene, acquisition)
  }
  const isFirst = !acquisition.answers.has(from)
  acquisition.answers.set(from, readAnswer(body))
  if (body.kind === 'granted' || body.kind === 'renewed') {
    const start = settings.rules.beliefStart(acquisition.sentAt, turn.now)
    // A server may be set to grant for less than we asked.
    const held = Math.min(body.held, acquisition.ttl)
    acquisition.until.set(from, start + settings.rules.belief(held, settings.drift))
  }
  if (acquisition.phase === 'held') return believe(scene, acquisition)
  if (acquisition.phase === 'trying') return judgeTry(scene, acquisition, isFirst)
}

// Won as soon as g grants are in, lost as soon as g cannot be reached any more.
function judgeTry(scene: ClientScene, acquisition: Acquisition, isFirst: boolean): void {
  const needed = grantsNeeded(scene)
  if (acquisition.until.size >= needed) return win(scene, acquisition)
  let refusals = 0
  for (const answer of acquisition.answers.values()) if (answer.kind !== 'granted') refusals++
  if (scene.state.servers.length - refusals < needed) return retry(scene, acquisition)
  // Once: who says its word again and again must not put it off.
  if (acquisition.wait && isFirst && acquisition.answers.size === needed) waitLess(scene, acquisition)
}

/** How many times as long as the others took, in the first try; and the least that is waited. */
const GRACE_TIMES = 4
const GRACE_MIN: Millis = 10

// Enough have answered to win, and it was no yes. Those that are missing may be slow, or silent for ever, and what was granted
// meanwhile keeps everybody else out: they get a little longer than the others took, and twice as much with every try, so
// that honest ones that are far away are waited for in the end. A client that tries only once waits for all.
function waitLess({ settings, turn }: ClientScene, { name, sentAt, tries }: Acquisition): void {
  const took = turn.now - sentAt
  const grace = Math.max(GRACE_MIN, GRACE_TIMES * took) * 2 ** Math.min(tries, 10)
  if (grace < settings.answerMax - took) clientTimers.set(turn, 'answers', grace, name)
}

// A waiter wins as soon as g servers hold at one time, and does not lose: those that say no say it for now.
function judgeWaiting(scene: ClientScene, acquisition: Acquisition, from: NodeId, body: TryAnswer): void {
  acquisition.heardAt.set(from, scene.turn.now)
  if (body.kind === 'given') {
    if (countGrant(scene, acquisition, from, body)) win(scene, acquisition)
    return
  }
  // A yes from the list is not undone by a no that was said before it.
  if (body.kind !== 'queued' || !acquisition.until.has(from)) acquisition.answers.set(from, readAnswer(body))
  if (body.kind === 'tooLow') raiseOwnToken(scene, acquisition)
}

// A grant that comes after the try was given up would lock others out for its whole ttl.
function giveBackStray({ state, settings, turn }: ClientScene, from: NodeId, body: TryAnswer): void {
  if (body.kind !== 'granted' && body.kind !== 'given') return
  const { rules } = settings
  const { name, token } = body
  if (!rules.isStray(state.acquisitions.get(name)?.token, token)) return
  const unused = rules.neverUsed(token, state.used)
  turn.do({ kind: 'send', to: from, body: { kind: 'release', name, token, unused } })
}

// A holder, also one that was just told of its loss, keeps what it has until it lets go. Everybody else gives back,
// also those who gave up long ago. But a server forgets the token of a grant that is yielded. A token that was held
// under, and whose release is late, is therefore released again instead: or a smaller token could follow it.
export function onInquire(scene: ClientScene, from: NodeId, body: ServerMessage & { kind: 'inquire' }): void {
  const { state, settings, turn } = scene
  const { name, grant, token } = body
  blameInquiry(scene, from, body)
  const acquisition = state.acquisitions.get(name)
  const isOurs = acquisition?.token === token
  if (isOurs && isHolder(acquisition)) return
  if (isOurs && acquisition.phase === 'waiting') return yieldGrant(scene, acquisition, from, grant)
  const unused = settings.rules.neverUsed(token, state.used)
  turn.do({
    kind: 'send',
    to: from,
    body: unused ? { kind: 'yield', name, grant, token } : { kind: 'release', name, token, unused },
  })
}
