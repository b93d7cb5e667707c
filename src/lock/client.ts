// The lock's client (BACKOFF §4, figure 1a, with PROTOCOLS E).
//
// Guarantees: a client believes that it holds only while at least g servers hold for it, by a clock that may drift;
// any two sets of g servers share an honest one, which grants to one at a time. So never two holders, whatever the
// network does; delay costs only progress. `lost` comes before the belief ends, while the process runs.
//
// The obvious client asks a majority and counts the lease from the answer. One slow answer, one fast clock or one
// liar is enough to make two holders: see rules.ts for the lines that prevent each.

import type { Millis, NodeId, NotAcquiredReason, Protocol, Turn } from '../core/index.ts'
import { exponentialBackoff } from './backoff.ts'
import { inspectAnswer, inspectOver, startInspect } from './inspection.ts'
import type { LockMessage, ServerMessage } from './messages.ts'
import { kthLargest, raiseToken } from './rules.ts'
import type { LockSettings } from './settings.ts'
import {
  type Answer,
  type Answers,
  type ClientCommand,
  type ClientEvent,
  type ClientState,
  describeAnswer,
  type Pursuit,
} from './state.ts'
import { given, higherToken, isShort, ping, startWaiting, yieldGrant } from './waiting.ts'

export type ClientTurn = Turn<LockMessage, ClientEvent>
type Sustain = ClientCommand & { kind: 'sustain' }
export type LockClient = Protocol<ClientState, LockMessage, ClientCommand, ClientEvent>

/** `lost` comes this part of the belief before its end, so that a timer a little late still is in time. */
const WARNING_PART = 1 / 20
/** A renewal is sent when this part of the belief is over: two may fail before anything is lost. */
const RENEWAL_PART = 1 / 3

export function lockClient(settings: LockSettings): LockClient {
  return {
    name: 'lock client',
    init: (_self, servers) => ({ servers, pursuits: new Map(), attempts: 0, seen: 0, used: 0, queries: new Map() }),
    step(state, input, turn) {
      switch (input.kind) {
        case 'command':
          return command(state, settings, input.body, turn)
        case 'message':
          return message(state, settings, input.from, input.body, turn)
        case 'timer':
          return timer(state, settings, input.name, turn)
        case 'start':
          return
        case 'stop':
          for (const pursuit of [...state.pursuits.values()]) letGo(state, pursuit, turn)
          return
      }
    },
  }
}

function command(state: ClientState, settings: LockSettings, body: ClientCommand, turn: ClientTurn): void {
  switch (body.kind) {
    case 'acquire':
      return acquire(state, settings, body, turn)
    case 'release':
      return release(state, settings, body, turn)
    case 'extend':
      return extend(state, settings, body, turn)
    case 'inspect':
      return startInspect(state, settings, body.id, turn)
    case 'sustain':
      return sustain(state, settings, body, turn)
  }
}

function acquire(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'acquire' },
  turn: ClientTurn,
): void {
  const current = state.pursuits.get(asked.name)
  if (current !== undefined) {
    if (asked.wait) current.line.push({ asked, since: turn.now })
    else fail(asked.id, asked.name, 'contended', { 'this process': 'holds or pursues it' }, turn)
    return
  }
  pursue(state, settings, asked, turn.now, [], turn)
}

function pursue(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'acquire' },
  since: Millis,
  line: Pursuit['line'],
  turn: ClientTurn,
): void {
  const { id, name, wait, renew } = asked
  const pursuit: Pursuit = {
    id,
    name,
    wait,
    fair: asked.fair ?? false,
    renew,
    hint: asked.hint,
    hintedAt: since,
    ttl: Math.min(asked.ttl, settings.ttlMax),
    phase: 'trying',
    attempt: 0,
    sentAt: 0,
    token: 0,
    tries: 0,
    answers: new Map(),
    until: new Map(),
    deadline: Number.NEGATIVE_INFINITY,
    line,
    ticket: 0,
    ping: 0,
    pings: new Map(),
    yielded: new Map(),
  }
  state.pursuits.set(name, pursuit)
  if (!(pursuit.wait && pursuit.fair)) return tryOnce(state, settings, pursuit, turn)
  // Whoever comes first by the wall clock is served first, and tokens then grow in the order of service by themselves.
  pursuit.ticket = guessToken(state, pursuit, turn.now)
  startWaiting(state, pursuit, pursuit.ticket, turn)
}

// The wall clock is a good guess at a token above all others: one round trip then takes the lock and its token.
function guessToken(state: ClientState, pursuit: Pursuit, now: Millis): number {
  const guess = pursuit.hint + Math.floor((now - pursuit.hintedAt) * 1000)
  return Math.max(guess, state.seen + 1)
}

function tryOnce(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const token = guessToken(state, pursuit, turn.now)
  pursuit.phase = 'trying'
  pursuit.token = token
  state.seen = token
  begin(state, pursuit, turn.now)
  const { name, attempt, ttl } = pursuit
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'try', name, attempt, token, ttl } })
  turn.do({ kind: 'timer', name: `answers:${name}`, after: settings.answerMax })
}

function begin(state: ClientState, pursuit: Pursuit, now: Millis): void {
  pursuit.attempt = ++state.attempts
  pursuit.sentAt = now
  if (pursuit.phase !== 'held') pursuit.until.clear()
  pursuit.answers.clear()
}

function message(state: ClientState, settings: LockSettings, from: NodeId, body: LockMessage, turn: ClientTurn): void {
  if (!state.servers.includes(from)) return
  switch (body.kind) {
    case 'inspected':
      return inspectAnswer(state, from, body, turn)
    case 'granted':
    case 'renewed':
    case 'locked':
    case 'tooLow':
    case 'notRenewed':
    case 'full':
    case 'given':
    case 'queued':
      return answered(state, settings, from, body, turn)
    case 'inquire':
      return inquired(state, settings, from, body, turn)
    default:
      // Another client's request has no business here.
      return
  }
}

type TryAnswer = Exclude<ServerMessage, { kind: 'inspected' | 'inquire' }>

function answered(state: ClientState, settings: LockSettings, from: NodeId, body: TryAnswer, turn: ClientTurn): void {
  const pursuit = state.pursuits.get(body.name)
  if (pursuit === undefined || !settings.rules.isCurrent(body.attempt, pursuit.attempt)) {
    return stray(state, settings, from, body, turn)
  }
  if (pursuit.phase === 'held' && turn.now >= pursuit.deadline) return lose(state, settings, pursuit, turn)
  if (pursuit.phase === 'waiting') return answeredWaiting(state, settings, pursuit, from, body, turn)
  // From the list, and after enough others: it lasts for what it says, not for what a try would be granted.
  if (body.kind === 'given') {
    if (pursuit.phase !== 'held') return
    given(state, settings, pursuit, from, body, turn)
    return believe(state, settings, pursuit, turn)
  }
  const answer = readAnswer(body)
  pursuit.answers.set(from, answer)
  if (answer.kind === 'granted') {
    const start = settings.rules.beliefStart(pursuit.sentAt, turn.now)
    pursuit.until.set(from, start + settings.rules.belief(pursuit.ttl, settings.drift))
  }
  if (pursuit.phase === 'held') return believe(state, settings, pursuit, turn)
  if (pursuit.phase === 'trying') return judge(state, settings, pursuit, turn)
}

// A grant that comes after the try was given up would lock others out for its whole ttl.
function stray(state: ClientState, { rules }: LockSettings, from: NodeId, body: TryAnswer, turn: ClientTurn): void {
  if (!('token' in body) || !isGrant(body.kind) || !rules.isStray(state.pursuits.get(body.name)?.token, body.token))
    return
  const { name, token } = body
  turn.do({
    kind: 'send',
    to: from,
    body: { kind: 'release', name, token, unused: rules.neverUsed(token, state.used) },
  })
}

function isGrant(kind: TryAnswer['kind']): boolean {
  return kind === 'granted' || kind === 'given'
}

// Who waits wins as soon as g servers hold at one time, and does not lose: those that say no say it for now.
function answeredWaiting(
  state: ClientState,
  settings: LockSettings,
  pursuit: Pursuit,
  from: NodeId,
  body: TryAnswer,
  turn: ClientTurn,
): void {
  if (body.kind === 'given') {
    if (given(state, settings, pursuit, from, body, turn)) win(state, settings, pursuit, turn)
    return
  }
  // A yes from the list is not undone by a no that was said before it.
  if (body.kind !== 'queued' || !pursuit.until.has(from)) pursuit.answers.set(from, readAnswer(body))
  if (body.kind === 'tooLow') raise(state, settings, pursuit, turn)
}

function raise(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const above = higherToken(state, settings, pursuit)
  if (above === undefined) return
  pursuit.tries++
  startWaiting(state, pursuit, Math.max(above, state.seen) + 1, turn)
}

// Whoever holds, or has just been told that it does not, keeps what it has until it lets go. Everybody else gives back,
// also those who gave up long ago. But a server forgets the token of a grant that is yielded, so one that was held
// under, and whose release is late, is released again instead: or a smaller token could follow it.
function inquired(
  state: ClientState,
  settings: LockSettings,
  from: NodeId,
  body: ServerMessage & { kind: 'inquire' },
  turn: ClientTurn,
): void {
  const { name, grant, token } = body
  const pursuit = state.pursuits.get(name)
  const isOurs = pursuit?.token === token
  if (isOurs && (pursuit.phase === 'held' || pursuit.phase === 'ending')) return
  if (isOurs && pursuit.phase === 'waiting') return yieldGrant(pursuit, from, grant, turn)
  const unused = settings.rules.neverUsed(token, state.used)
  turn.do({
    kind: 'send',
    to: from,
    body: unused ? { kind: 'yield', name, grant } : { kind: 'release', name, token, unused },
  })
}

function readAnswer(body: TryAnswer): Answer {
  switch (body.kind) {
    case 'granted':
    case 'given':
    case 'renewed':
      return { kind: 'granted' }
    case 'queued':
      return { kind: 'locked', remaining: 0 }
    case 'locked':
      return { kind: body.recovering ? 'recovering' : 'locked', remaining: body.remaining }
    case 'tooLow':
      return { kind: 'tooLow', maximum: body.maximum }
    case 'notRenewed':
      return { kind: 'locked', remaining: 0 }
    case 'full':
      return { kind: 'full' }
  }
}

function grantsNeeded(state: ClientState, settings: LockSettings): number {
  return settings.rules.grantsNeeded(state.servers.length, settings.liars)
}

// Won as soon as g grants are in, lost as soon as g cannot be reached any more.
function judge(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const needed = grantsNeeded(state, settings)
  const granted = pursuit.until.size
  if (granted >= needed) return win(state, settings, pursuit, turn)
  let refusals = 0
  for (const answer of pursuit.answers.values()) if (answer.kind !== 'granted') refusals++
  if (state.servers.length - refusals < needed) retry(state, settings, pursuit, turn)
}

function win(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const { id, name, token } = pursuit
  pursuit.phase = 'held'
  pursuit.tries = 0
  turn.do({ kind: 'cancel', name: `answers:${name}` })
  turn.do({ kind: 'cancel', name: `ping:${name}` })
  pursuit.deadline = kthLargest(pursuit.until.values(), grantsNeeded(state, settings))
  if (!settings.rules.mayWin(turn.now, pursuit.deadline)) return retry(state, settings, pursuit, turn)
  state.used = Math.max(state.used, token)
  turn.do({ kind: 'emit', event: { kind: 'acquired', id, name, token, deadline: pursuit.deadline } })
  schedule(settings, pursuit, pursuit.sentAt, turn)
  if (pursuit.fair && isShort(settings, pursuit, turn.now)) renewNow(state, settings, pursuit, turn)
}

function believe(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const deadline = kthLargest(pursuit.until.values(), grantsNeeded(state, settings))
  prolong(settings, pursuit, deadline, pursuit.sentAt, turn)
}

// The keeper renews a little earlier than we would: while it does, our own renewal is put off, again and again.
function sustain(state: ClientState, settings: LockSettings, kept: Sustain, turn: ClientTurn): void {
  const pursuit = state.pursuits.get(kept.name)
  if (pursuit?.id !== kept.id || pursuit.phase !== 'held' || turn.now >= kept.deadline) return
  prolong(settings, pursuit, kept.deadline, kept.deadline - settings.rules.belief(pursuit.ttl, settings.drift), turn)
}

function prolong(settings: LockSettings, pursuit: Pursuit, deadline: Millis, sentAt: Millis, turn: ClientTurn): void {
  if (deadline <= pursuit.deadline) return
  pursuit.deadline = deadline
  turn.do({ kind: 'emit', event: { kind: 'extended', id: pursuit.id, name: pursuit.name, deadline } })
  schedule(settings, pursuit, sentAt, turn)
}

function schedule(settings: LockSettings, pursuit: Pursuit, sentAt: Millis, turn: ClientTurn): void {
  const belief = settings.rules.belief(pursuit.ttl, settings.drift)
  const warnAt = pursuit.deadline - belief * WARNING_PART
  if (settings.rules.warns()) {
    turn.do({ kind: 'timer', name: `end:${pursuit.name}`, after: Math.max(0, Math.floor(warnAt - turn.now)) })
  }
  if (!pursuit.renew) return
  const renewAt = sentAt + belief * RENEWAL_PART
  turn.do({ kind: 'timer', name: `renew:${pursuit.name}`, after: Math.max(1, Math.floor(renewAt - turn.now)) })
}

function retry(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  takeBack(state, pursuit, turn)
  const reported: number[] = []
  let others = 0
  for (const answer of pursuit.answers.values()) {
    if (answer.kind === 'tooLow') reported.push(answer.maximum)
    else if (answer.kind !== 'granted') others++
  }
  pursuit.tries++
  const onlyTooLow = reported.length > 0 && state.servers.length - others >= grantsNeeded(state, settings)
  if (reported.length > 0)
    state.seen = Math.max(state.seen, raiseToken(pursuit.token, reported, settings.liars, pursuit.tries))
  if (onlyTooLow && pursuit.tries <= settings.quickTries) return tryOnce(state, settings, pursuit, turn)
  if (!pursuit.wait) {
    fail(pursuit.id, pursuit.name, reasonOf(state, settings, pursuit), inWords(state, pursuit), turn)
    return next(state, settings, pursuit, turn)
  }
  pursuit.phase = 'backing off'
  const { backoffBase, backoffMax } = settings
  const after = exponentialBackoff(backoffBase, pursuit.tries, backoffMax, bound => turn.below(bound))
  turn.do({ kind: 'cancel', name: `answers:${pursuit.name}` })
  turn.do({ kind: 'timer', name: `backoff:${pursuit.name}`, after })
}

// Servers that said no hold nothing for us. The others granted, or may still grant when the try arrives.
function takeBack(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  const { name, token } = pursuit
  for (const to of state.servers) {
    const answer = pursuit.answers.get(to)
    if (answer !== undefined && answer.kind !== 'granted') continue
    turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: true } })
  }
}

function timer(state: ClientState, settings: LockSettings, timerName: string, turn: ClientTurn): void {
  const colon = timerName.indexOf(':')
  const purpose = timerName.slice(0, colon)
  if (purpose === 'inspect') return inspectOver(state, Number(timerName.slice(colon + 1)), turn)
  const pursuit = state.pursuits.get(timerName.slice(colon + 1))
  if (pursuit === undefined) return
  const { phase } = pursuit
  if (purpose === 'answers' && phase === 'trying') return retry(state, settings, pursuit, turn)
  if (purpose === 'backoff' && phase === 'backing off') return tryOnce(state, settings, pursuit, turn)
  if (purpose === 'ping' && phase === 'waiting') return pingAgain(state, settings, pursuit, turn)
  if (purpose === 'renew' && phase === 'held') return renewNow(state, settings, pursuit, turn)
  if (purpose === 'end' && phase === 'held') return lose(state, settings, pursuit, turn)
  if (purpose === 'over' && phase === 'ending') return finish(state, settings, pursuit, turn)
}

function pingAgain(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  if (!settings.rules.pings()) return
  raise(state, settings, pursuit, turn)
  if (pursuit.sentAt < turn.now) ping(state, pursuit, turn)
}

function renewNow(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  if (turn.now >= pursuit.deadline) return lose(state, settings, pursuit, turn)
  begin(state, pursuit, turn.now)
  const { name, attempt, token, ttl } = pursuit
  for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'renew', name, attempt, token, ttl } })
  if (pursuit.renew) {
    const again = settings.rules.belief(ttl, settings.drift) * RENEWAL_PART
    turn.do({ kind: 'timer', name: `renew:${name}`, after: Math.max(1, Math.floor(again)) })
  }
}

function extend(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'extend' },
  turn: ClientTurn,
): void {
  const pursuit = state.pursuits.get(asked.name)
  if (pursuit?.id !== asked.id || pursuit.phase !== 'held') return
  pursuit.ttl = Math.min(asked.ttl, settings.ttlMax)
  renewNow(state, settings, pursuit, turn)
}

// Whoever held it is told now, and has until the deadline to stop. Nothing is given back before: a release would let
// somebody else in while the last holder is still stopping, and so would a new try by this same process.
function lose(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  const { id, name } = pursuit
  pursuit.phase = 'ending'
  turn.do({ kind: 'emit', event: { kind: 'lost', id, name, answers: inWords(state, pursuit) } })
  turn.do({ kind: 'cancel', name: `renew:${name}` })
  if (turn.now >= pursuit.deadline) return finish(state, settings, pursuit, turn)
  turn.do({ kind: 'timer', name: `over:${name}`, after: Math.ceil(pursuit.deadline - turn.now) })
}

function finish(state: ClientState, settings: LockSettings, pursuit: Pursuit, turn: ClientTurn): void {
  letGo(state, pursuit, turn)
  next(state, settings, pursuit, turn)
}

function release(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'release' },
  turn: ClientTurn,
): void {
  const { id, name } = asked
  const pursuit = state.pursuits.get(name)
  if (pursuit === undefined) return
  if (pursuit.id !== id) return leaveLine(pursuit, id, turn)
  const had = pursuit.phase === 'held' || pursuit.phase === 'ending'
  if (had) turn.do({ kind: 'emit', event: { kind: 'released', id, name } })
  else fail(id, name, reasonOf(state, settings, pursuit), inWords(state, pursuit), turn)
  finish(state, settings, pursuit, turn)
}

// The belief ends here, before the first release leaves.
function letGo(state: ClientState, pursuit: Pursuit, turn: ClientTurn): void {
  const { name, token, phase } = pursuit
  state.pursuits.delete(name)
  for (const purpose of ['answers', 'backoff', 'ping', 'renew', 'end', 'over'])
    turn.do({ kind: 'cancel', name: `${purpose}:${name}` })
  if (phase === 'held' || phase === 'ending') {
    for (const to of state.servers) turn.do({ kind: 'send', to, body: { kind: 'release', name, token, unused: false } })
  } else if (phase === 'trying' || phase === 'waiting') takeBack(state, pursuit, turn)
}

function next(state: ClientState, settings: LockSettings, done: Pursuit, turn: ClientTurn): void {
  state.pursuits.delete(done.name)
  const [first, ...line] = done.line
  if (first !== undefined) pursue(state, settings, first.asked, first.since, line, turn)
}

function leaveLine(pursuit: Pursuit, id: number, turn: ClientTurn): void {
  const place = pursuit.line.findIndex(({ asked }) => asked.id === id)
  if (place < 0) return
  pursuit.line.splice(place, 1)
  fail(id, pursuit.name, 'contended', { 'this process': 'holds or pursues it' }, turn)
}

function fail(id: number, name: string, reason: NotAcquiredReason, answers: Answers, turn: ClientTurn): void {
  turn.do({ kind: 'emit', event: { kind: 'failed', id, name, reason, answers } })
}

function reasonOf(state: ClientState, settings: LockSettings, pursuit: Pursuit): NotAcquiredReason {
  const silent = state.servers.length - pursuit.answers.size
  let recovering = 0
  let others = 0
  for (const { kind } of pursuit.answers.values()) {
    if (kind === 'recovering') recovering++
    else if (kind !== 'granted') others++
  }
  // A try ends as soon as enough have refused: those who had no time to answer are not to blame.
  const spare = state.servers.length - grantsNeeded(state, settings)
  if (others > spare) return 'contended'
  if (others + recovering > spare) return 'recovering'
  if (silent > spare) return 'unreachable'
  return silent + recovering > spare ? 'recovering' : 'contended'
}

function inWords(state: ClientState, pursuit: Pursuit): Answers {
  return Object.fromEntries(state.servers.map(server => [server, describeAnswer(pursuit.answers.get(server))]))
}
