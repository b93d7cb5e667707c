// The client of objects (BACKOFF §6, figure 2, with PROTOCOLS F).
//
// Guarantees: all operations on an object stand in one order; an answer is what the operation gave at its place in it;
// an operation is applied once, also over retries; a read sees everything that was answered before it began.
// Always safe: delay, loss, crashes of clients and restarts of servers cost progress only.
//
// The obvious client asks a majority for the newest state and writes the next one back. It loses what another one was
// just told is done: see rules.ts for the lines that prevent each such story.

import type { NodeId, Protocol } from '../core/index.ts'
import type { ClientScene, ClientState } from './client-state.ts'
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
import type { OrderingCommand, OrderingEvent } from './state.ts'
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
      const scene = { state, settings, turn }
      switch (input.kind) {
        case 'command':
          return command(scene, input.body)
        case 'message':
          return message(scene, input.from, input.body)
        case 'timer':
          return timer(scene, input.name)
        case 'start':
        case 'stop':
          return
      }
    },
  }
}

function command(scene: ClientScene, body: OrderingCommand): void {
  const { state } = scene
  switch (body.kind) {
    case 'open':
      return open(scene, body)
    case 'submit':
      return submit(scene, { ...body, kind: 'apply' })
    case 'end':
      return submit(scene, { ...body, kind: 'end', body: NOTHING })
    case 'watch':
      if (isName(body.object)) {
        useOf(state, body.object).watches.set(body.id, {
          id: body.id,
          from: body.from,
          told: undefined,
          replay: undefined,
        })
      }
      return read(scene, body)
    case 'read':
    case 'copy':
      return read(scene, body)
    case 'unwatch':
      return unwatch(scene, body.id, body.object)
    case 'cancel':
      return cancel(scene, body.id, body.object)
    case 'close':
      return close(scene, body.object)
    case 'inspect':
      return startInspect(scene, body.id)
  }
}

function message(scene: ClientScene, from: NodeId, body: OrderingMessage): void {
  const { state, settings } = scene
  if (!state.servers.includes(from)) return
  if (body.kind === 'inspected') return inspectCame(scene, from, body)
  if (body.kind === 'readings') return readingsCame(scene, from, body)
  if (!('object' in body)) return
  const use = state.uses.get(body.object)
  if (use === undefined) return
  switch (body.kind) {
    case 'got':
      return got(scene, use, from, body)
    case 'busy':
      return busy(scene, use, from, body)
    case 'refused':
      return refused(scene, use, from, body)
    case 'accepted':
      return accepted(scene, use, from, body)
    case 'answered':
      return answered(scene, use, from, body)
    case 'gone':
      return gone(scene, use, from, body)
    case 'pushed':
      hearOf(use, settings, from, body.operations)
      return pump(scene, use)
    case 'changes':
      if (replayCame(scene, use, from, body)) return
      return changesCame(scene, use, from, body)
    case 'entries':
      return changesCame(scene, use, from, body)
    case 'committed':
      return headCame(scene, use, from, body)
    case 'pong':
      return pong(scene, use, from, body)
    default:
      return
  }
}

function timer(scene: ClientScene, name: string): void {
  const { state } = scene
  const colon = name.indexOf(':')
  if (name.startsWith('read:')) return readTimer(scene, Number(name.slice(colon + 1)))
  if (name.startsWith('inspect:')) return inspectOver(scene, Number(name.slice(colon + 1)))
  const use = state.uses.get(name.slice(colon + 1))
  if (use === undefined) return
  switch (name.slice(0, colon)) {
    case 'turn':
      return turnTimer(scene, use)
    case 'patience':
      return patienceTimer(scene, use)
    case 'sync':
      return syncTimer(scene, use)
    case 'replay':
      return replayTimer(scene, use)
    case 'watch':
      return watchTimer(scene, use)
    case 'ping':
      return pingAll(scene, use)
    case 'belief':
      return beliefTimer(scene, use)
  }
}
