// The client of objects (BACKOFF §6, figure 2, with protocols/ordering).
//
// Guarantees: all operations on an object stand in one order; an answer is what the operation gave at its place in it;
// an operation is applied once, also over retries; a read sees everything that was answered before it began.
// Always safe: delay, loss, crashes of clients and restarts of servers cost progress only.
//
// The obvious client asks a majority for the newest state and writes the next one back. It loses what another one was
// just told is done: see rules.ts for the lines that prevent each such story.

import type { NodeId, Protocol } from '../../core/index.ts'
import type { OrderingSettings } from '../settings.ts'
import { newGathered, recount } from '../versions/gathering.ts'
import type { OrderingMessage } from '../wire.ts'
import { advance } from './advance.ts'
import { onAnswered, onGone } from './answers.ts'
import { checkClient } from './check.ts'
import type { OrderingCommand, OrderingEvent } from './commands.ts'
import { onPatience } from './contacts.ts'
import { onChanges, onCommitted, onEntries, onSync } from './following.ts'
import { onBusy, onGot, onRefused, onTurn } from './getting.ts'
import { onInspect, onInspected, onInspectTimer } from './inspection.ts'
import { onCancel, onClose, onUnwatch } from './leaving.ts'
import { onPushed } from './other-operations.ts'
import { onAccepted } from './proposing.ts'
import { onCopy, onRead, onReadings, onReadTimer, onWatch } from './reading.ts'
import { onDelete, onDeleted, onDeleteTimer, onRepair, onRepaired, onRepairTimer } from './repairing.ts'
import { onReplay } from './replaying.ts'
import { onBelief, onPing, onPong } from './session.ts'
import { type ClientScene, type ClientState, clientTimers, newScene } from './state.ts'
import { onEnd, onOpen, onSubmit } from './submitting.ts'
import { onWatchTimer } from './watching.ts'

/** The client's half of ordering as a protocol. */
export type OrderingClient = Protocol<ClientState, OrderingMessage, OrderingCommand, OrderingEvent>

/** `peers` are the servers of the group. */
export function orderingClient(settings: OrderingSettings): OrderingClient {
  return {
    name: 'ordering client',
    init: (self, servers) => ({
      self,
      // In the order in which servers count themselves, too.
      servers: [...servers].sort(),
      objects: new Map(),
      touched: '',
      readings: new Map(),
      queried: new Map(),
      inspections: new Map(),
      repairs: new Map(),
      deletions: new Map(),
      queries: 0,
      accused: new Map(),
      shares: new Map(),
      gathered: newGathered(),
    }),
    step(state, input, turn) {
      const scene = newScene(state, settings, turn)
      switch (input.kind) {
        case 'command':
          onCommand(scene, input.body)
          break
        case 'message':
          onMessage(scene, input.from, input.body)
          break
        case 'timer':
          onTimer(scene, input.name)
          break
        case 'start':
        case 'stop':
          return
      }
      advance(scene)
      countGathered(state)
    },
    check: state => checkClient(state, settings),
  }
}

function countGathered({ gathered, objects, touched }: ClientState): void {
  const object = objects.get(touched)
  if (object === undefined) return recount(gathered, touched, [], undefined)
  const replays = [...object.watches.values()].map(({ replay }) => replay?.fetching)
  recount(gathered, touched, [object.fetching, ...replays], object.copying)
}

function onCommand(scene: ClientScene, body: OrderingCommand): void {
  switch (body.kind) {
    case 'open':
      return onOpen(scene, body)
    case 'submit':
      return onSubmit(scene, body)
    case 'end':
      return onEnd(scene, body)
    case 'read':
      return onRead(scene, body)
    case 'copy':
      return onCopy(scene, body)
    case 'watch':
      return onWatch(scene, body)
    case 'unwatch':
      return onUnwatch(scene, body)
    case 'cancel':
      return onCancel(scene, body)
    case 'close':
      return onClose(scene, body)
    case 'inspect':
      return onInspect(scene, body)
    case 'repair':
      return onRepair(scene, body)
    case 'delete':
      return onDelete(scene, body)
  }
}

function onMessage(scene: ClientScene, from: NodeId, body: OrderingMessage): void {
  const { state } = scene
  if (!state.servers.includes(from)) return
  if (body.kind === 'inspected') return onInspected(scene, from, body)
  if (body.kind === 'readings') return onReadings(scene, from, body)
  if (body.kind === 'repaired') return onRepaired(scene, from, body)
  if (body.kind === 'deleted') return onDeleted(scene, from, body)
  const object = 'object' in body ? state.objects.get(body.object) : undefined
  if (object === undefined) return
  state.touched = object.name
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
      return onPushed(scene, object, from, body)
    case 'changes':
      return onChanges(scene, object, from, body)
    case 'entries':
      return onEntries(scene, object, from, body)
    case 'committed':
      return onCommitted(scene, object, from, body)
    case 'pong':
      return onPong(scene, object, from, body)
    default:
      // A client's word has no business here.
      return
  }
}

function onTimer(scene: ClientScene, name: string): void {
  const { state } = scene
  const { kind, about } = clientTimers.due(name)
  if (kind === 'read') return onReadTimer(scene, Number(about))
  if (kind === 'inspect') return onInspectTimer(scene, Number(about))
  if (kind === 'repair') return onRepairTimer(scene, Number(about))
  if (kind === 'delete') return onDeleteTimer(scene, Number(about))
  const object = state.objects.get(about)
  if (object === undefined) return
  state.touched = object.name
  switch (kind) {
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
