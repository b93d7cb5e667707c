// The client of objects (BACKOFF §6, figure 2, with PROTOCOLS F).
//
// Guarantees: all operations on an object stand in one order; an answer is what the operation gave at its place in it;
// an operation is applied once, also over retries; a read sees everything that was answered before it began.
// Always safe: delay, loss, crashes of clients and restarts of servers cost progress only.
//
// The obvious client asks a majority for the newest state and writes the next one back. It loses what another one was
// just told is done: see rules.ts for the lines that prevent each such story.

import type { NodeId, Protocol } from '../core/index.ts'
import type { ClientState } from './client-state.ts'
import { inspectCame, inspectOver, startInspect } from './inspection.ts'
import { beliefTimer, pingAll, pong } from './keeping.ts'
import { cancel, close, unwatch } from './leaving.ts'
import type { OrderingMessage } from './messages.ts'
import { hearOf } from './pool.ts'
import { accepted } from './proposing.ts'
import { read, readingsCame, readTimer } from './reading.ts'
import { replayCame, replayTimer } from './replaying.ts'
import { changesCame, headCame, syncTimer } from './replica.ts'
import { answered, gone } from './responses.ts'
import type { OrderingSettings } from './settings.ts'
import { patienceTimer } from './speakers.ts'
import type { OrderingCommand, OrderingEvent, OrderingTurn } from './state.ts'
import { isName, open, submit } from './submitting.ts'
import { busy, got, pump, refused, turnTimer } from './turns.ts'
import { useOf } from './uses.ts'
import { watchTimer } from './watching.ts'

export type OrderingClient = Protocol<ClientState, OrderingMessage, OrderingCommand, OrderingEvent>

const NOTHING = new Uint8Array(0)

/** `peers` are the servers of the group. */
export function orderingClient(settings: OrderingSettings): OrderingClient {
  return {
    name: 'ordering client',
    init: (self, servers) => ({
      self,
      // In the order in which servers count themselves, too.
      servers: [...servers].sort(),
      uses: new Map(),
      readings: new Map(),
      queried: new Map(),
      inspections: new Map(),
      queries: 0,
      accused: new Set(),
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
        case 'stop':
          return
      }
    },
  }
}

function command(state: ClientState, settings: OrderingSettings, body: OrderingCommand, turn: OrderingTurn): void {
  switch (body.kind) {
    case 'open':
      return open(state, settings, body, turn)
    case 'submit':
      return submit(state, settings, { ...body, kind: 'apply' }, turn)
    case 'end':
      return submit(state, settings, { ...body, kind: 'end', body: NOTHING }, turn)
    case 'watch':
      if (isName(body.object)) {
        useOf(state, body.object).watches.set(body.id, {
          id: body.id,
          from: body.from,
          told: undefined,
          replay: undefined,
        })
      }
      return read(state, settings, body, turn)
    case 'read':
    case 'copy':
      return read(state, settings, body, turn)
    case 'unwatch':
      return unwatch(state, body.id, body.object, turn)
    case 'cancel':
      return cancel(state, body.id, body.object, turn)
    case 'close':
      return close(state, body.object, turn)
    case 'inspect':
      return startInspect(state, body.id, turn)
  }
}

function message(
  state: ClientState,
  settings: OrderingSettings,
  from: NodeId,
  body: OrderingMessage,
  turn: OrderingTurn,
): void {
  if (!state.servers.includes(from)) return
  if (body.kind === 'inspected') return inspectCame(state, from, body, turn)
  if (body.kind === 'readings') return readingsCame(state, settings, from, body, turn)
  if (!('object' in body)) return
  const use = state.uses.get(body.object)
  if (use === undefined) return
  switch (body.kind) {
    case 'got':
      return got(state, settings, use, from, body, turn)
    case 'busy':
      return busy(state, settings, use, from, body, turn)
    case 'refused':
      return refused(state, settings, use, from, body, turn)
    case 'accepted':
      return accepted(state, settings, use, from, body, turn)
    case 'answered':
      return answered(state, settings, use, from, body, turn)
    case 'gone':
      return gone(state, settings, use, from, body, turn)
    case 'pushed':
      hearOf(use, settings, from, body.operations)
      return pump(state, settings, use, turn)
    case 'changes':
      if (replayCame(state, settings, use, from, body, turn)) return
      return changesCame(state, settings, use, from, body, turn)
    case 'entries':
      return changesCame(state, settings, use, from, body, turn)
    case 'committed':
      return headCame(state, settings, use, from, body, turn)
    case 'pong':
      return pong(state, settings, use, from, body, turn)
    default:
      return
  }
}

function timer(state: ClientState, settings: OrderingSettings, name: string, turn: OrderingTurn): void {
  const colon = name.indexOf(':')
  if (name.startsWith('read:')) return readTimer(state, settings, Number(name.slice(colon + 1)), turn)
  if (name.startsWith('inspect:')) return inspectOver(state, Number(name.slice(colon + 1)), turn)
  const use = state.uses.get(name.slice(colon + 1))
  if (use === undefined) return
  switch (name.slice(0, colon)) {
    case 'turn':
      return turnTimer(state, settings, use, turn)
    case 'patience':
      return patienceTimer(state, settings, use, turn)
    case 'sync':
      return syncTimer(state, settings, use, turn)
    case 'replay':
      return replayTimer(state, use, turn)
    case 'watch':
      return watchTimer(state, settings, use, turn)
    case 'ping':
      return pingAll(state, use, turn)
    case 'belief':
      return beliefTimer(state, settings, use, turn)
  }
}
