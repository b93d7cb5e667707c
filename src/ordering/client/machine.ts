// The client of objects (BACKOFF §6, figure 2, with PROTOCOLS F).
//
// Guarantees: all operations on an object stand in one order; an answer is what the operation gave at its place in it;
// an operation is applied once, also over retries; a read sees everything that was answered before it began.
// Always safe: delay, loss, crashes of clients and restarts of servers cost progress only.
//
// The obvious client asks a majority for the newest state and writes the next one back. It loses what another one was
// just told is done: see rules.ts for the lines that prevent each such story.

import type { NodeId, Protocol } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import type { OrderingMessage } from '../wire.ts'
import { onAnswered, onGone } from './answers.ts'
import { changesCame, onCommitted, onSync } from './catching-up.ts'
import type { OrderingCommand, OrderingEvent } from './commands.ts'
import { onPatience } from './contacts.ts'
import { onInspect, onInspected, onInspectTimer } from './inspection.ts'
import { onCancel, onClose, onUnwatch } from './leaving.ts'
import { hearOf } from './other-operations.ts'
import { onAccepted } from './proposing.ts'
import { onRead, onReadings, onReadTimer } from './reading.ts'
import { onReplay, replayCame } from './replaying.ts'
import { objectOf } from './send.ts'
import { onBelief, onPing, onPong } from './session.ts'
import type { ClientScene, ClientState } from './state.ts'
import { isName, onOpen, submit } from './submitting.ts'
import { onBusy, onGot, onRefused, onTurn, pump } from './turns.ts'
import { onWatchTimer } from './watching.ts'

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
      objects: new Map(),
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
          return onCommand(scene, input.body)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'timer':
          return onTimer(scene, input.name)
        case 'start':
        case 'stop':
          return
      }
    },
  }
}

function onCommand(scene: ClientScene, body: OrderingCommand): void {
  const { state } = scene
  switch (body.kind) {
    case 'open':
      return onOpen(scene, body)
    case 'submit':
      return submit(scene, { ...body, kind: 'apply' })
    case 'end':
      return submit(scene, { ...body, kind: 'end', body: NOTHING })
    case 'watch':
      if (isName(body.object)) {
        objectOf(state, body.object).watches.set(body.id, {
          id: body.id,
          from: body.from,
          reached: undefined,
          replay: undefined,
        })
      }
      return onRead(scene, body)
    case 'read':
    case 'copy':
      return onRead(scene, body)
    case 'unwatch':
      return onUnwatch(scene, body.id, body.object)
    case 'cancel':
      return onCancel(scene, body.id, body.object)
    case 'close':
      return onClose(scene, body.object)
    case 'inspect':
      return onInspect(scene, body.id)
  }
}

function onMessage(scene: ClientScene, from: NodeId, body: OrderingMessage): void {
  const { state, settings } = scene
  if (!state.servers.includes(from)) return
  if (body.kind === 'inspected') return onInspected(scene, from, body)
  if (body.kind === 'readings') return onReadings(scene, from, body)
  if (!('object' in body)) return
  const object = state.objects.get(body.object)
  if (object === undefined) return
  switch (body.kind) {
    case 'got':
      return onGot(scene, object, from, body)
    case 'busy':
      return onBusy(scene, object, from, body)
    case 'refused':
      return onRefused(scene, object, from, body)
    case 'accepted':
      return onAccepted(scene, object, from, body)
    case 'answered':
      return onAnswered(scene, object, from, body)
    case 'gone':
      return onGone(scene, object, from, body)
    case 'pushed':
      hearOf(object, settings, from, body.operations)
      return pump(scene, object)
    case 'changes':
      if (replayCame(scene, object, from, body)) return
      return changesCame(scene, object, from, body)
    case 'entries':
      return changesCame(scene, object, from, body)
    case 'committed':
      return onCommitted(scene, object, from, body)
    case 'pong':
      return onPong(scene, object, from, body)
    default:
      return
  }
}

function onTimer(scene: ClientScene, name: string): void {
  const { state } = scene
  const colon = name.indexOf(':')
  if (name.startsWith('read:')) return onReadTimer(scene, Number(name.slice(colon + 1)))
  if (name.startsWith('inspect:')) return onInspectTimer(scene, Number(name.slice(colon + 1)))
  const object = state.objects.get(name.slice(colon + 1))
  if (object === undefined) return
  switch (name.slice(0, colon)) {
    case 'turn':
      return onTurn(scene, object)
    case 'patience':
      return onPatience(scene, object)
    case 'sync':
      return onSync(scene, object)
    case 'replay':
      return onReplay(scene, object)
    case 'watch':
      return onWatchTimer(scene, object)
    case 'ping':
      return onPing(scene, object)
    case 'belief':
      return onBelief(scene, object)
  }
}
