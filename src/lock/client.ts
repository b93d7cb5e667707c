// The lock's client (BACKOFF §4, figure 1a, with PROTOCOLS E).
//
// Guarantees: a client believes that it holds only while at least g servers hold for it, by a clock that may drift;
// any two sets of g servers share an honest one, which grants to one at a time. So never two holders, whatever the
// network does; delay costs only progress. `lost` comes before the belief ends, while the process runs.
//
// The obvious client asks a majority and counts the lease from the answer. One slow answer, one fast clock or one
// liar is enough to make two holders: see rules.ts for the lines that prevent each.

import type { NodeId, Protocol } from '../core/index.ts'
import { fail, inWords, reasonOf } from './answers.ts'
import { whatIsWrong } from './asking.ts'
import { forceAnswer, forceOver, startForce } from './force.ts'
import { answered, inquired } from './hearing.ts'
import { extend, finish, letGo, lose, renewNow, sustain } from './holding.ts'
import { inspectAnswer, inspectOver, startInspect } from './inspection.ts'
import type { LockMessage } from './messages.ts'
import { pursue, tryOnce } from './pursuits.ts'
import { comeBack, isCutOff, rest } from './resting.ts'
import type { LockSettings } from './settings.ts'
import type { ClientCommand, ClientEvent, ClientState, ClientTurn, Pursuit } from './state.ts'
import { retry } from './trying.ts'
import { pingAgain } from './waiting.ts'

export type LockClient = Protocol<ClientState, LockMessage, ClientCommand, ClientEvent>

/** Callers of one process in line for one name: at 1 ms a turn the last waits for ten seconds. */
export const LINE_MAX = 10_000

export function lockClient(settings: LockSettings): LockClient {
  return {
    name: 'lock client',
    init: (_self, servers) => ({
      servers,
      pursuits: new Map(),
      attempts: 0,
      seen: 0,
      used: 0,
      queries: new Map(),
      forces: new Map(),
    }),
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
    case 'force':
      return startForce(state, settings, body.id, body.name, turn)
  }
}

function acquire(
  state: ClientState,
  settings: LockSettings,
  asked: ClientCommand & { kind: 'acquire' },
  turn: ClientTurn,
): void {
  const wrong = whatIsWrong(asked)
  if (wrong !== undefined) return fail(asked.id, asked.name, 'invalid', { 'this process': wrong }, turn)
  const current = state.pursuits.get(asked.name)
  if (current !== undefined) {
    if (asked.wait && current.line.length >= LINE_MAX)
      fail(asked.id, asked.name, 'crowded', { 'this process': `has ${LINE_MAX} callers in line` }, turn)
    else if (asked.wait) current.line.push({ asked, since: turn.now })
    else fail(asked.id, asked.name, 'contended', { 'this process': 'holds or pursues it' }, turn)
    return
  }
  pursue(state, settings, asked, turn.now, [], turn)
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

function leaveLine(pursuit: Pursuit, id: number, turn: ClientTurn): void {
  const place = pursuit.line.findIndex(({ asked }) => asked.id === id)
  if (place < 0) return
  pursuit.line.splice(place, 1)
  fail(id, pursuit.name, 'contended', { 'this process': 'holds or pursues it' }, turn)
}

function message(state: ClientState, settings: LockSettings, from: NodeId, body: LockMessage, turn: ClientTurn): void {
  if (!state.servers.includes(from)) return
  switch (body.kind) {
    case 'inspected':
      return inspectAnswer(state, from, body, turn)
    case 'forced':
    case 'notAllowed':
      return forceAnswer(state, from, body, turn)
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

function timer(state: ClientState, settings: LockSettings, timerName: string, turn: ClientTurn): void {
  const colon = timerName.indexOf(':')
  const purpose = timerName.slice(0, colon)
  if (purpose === 'inspect') return inspectOver(state, Number(timerName.slice(colon + 1)), turn)
  if (purpose === 'force') return forceOver(state, Number(timerName.slice(colon + 1)), turn)
  const pursuit = state.pursuits.get(timerName.slice(colon + 1))
  if (pursuit === undefined) return
  const { phase } = pursuit
  if (purpose === 'answers' && phase === 'trying') return retry(state, settings, pursuit, turn)
  if (purpose === 'backoff' && phase === 'backing off') {
    return pursuit.rests > 0 ? comeBack(state, pursuit, turn) : tryOnce(state, settings, pursuit, turn)
  }
  if (purpose === 'ping' && phase === 'waiting') {
    if (isCutOff(state, settings, pursuit, turn.now)) return rest(state, pursuit, turn)
    return pingAgain(state, settings, pursuit, turn)
  }
  if (purpose === 'renew' && phase === 'held') return renewNow(state, settings, pursuit, turn)
  if (purpose === 'end' && phase === 'held') return lose(state, settings, pursuit, turn)
  if (purpose === 'over' && phase === 'ending') return finish(state, settings, pursuit, turn)
}
