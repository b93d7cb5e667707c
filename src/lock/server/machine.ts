// The lock's server (BACKOFF §4, figure 1b, with protocols/lock).
//
// Guarantees, while it follows this code: at any moment at most one lease is out for a name; a lease lasts at least
// its ttl on this clock, from when the request arrived, unless its holder lets go; tokens granted for a name grow,
// also over restarts (restart.ts). It promises nothing alone: a client believes only g servers at once.

import type { NodeId, Protocol } from '../../core/index.ts'
import type { LockSettings } from '../settings.ts'
import type { LockMessage } from '../wire.ts'
import { onAccount, onComplain } from './account.ts'
import { onAskFloor, onFloor, onFloors } from './floors.ts'
import { onForce } from './force.ts'
import { onExpire, onWait, onYield } from './handover.ts'
import { onInspect } from './inspect.ts'
import { onKeep, onRelease, onRenew, onTry } from './leases.ts'
import { onResetFloor } from './reset.ts'
import { onGo, onLost, onStart, onStop, serverFrom } from './restart.ts'
import {
  checkServer,
  onClock,
  type ServerCommand,
  type ServerEvent,
  type ServerScene,
  type ServerState,
  serverTimers,
} from './state.ts'
import { onSweep } from './sweep.ts'

/** The server's half of the lock as a protocol. */
export type LockServer = Protocol<ServerState, LockMessage, ServerCommand, ServerEvent>

/** The server's half of the lock. */
export function lockServer(settings: LockSettings): LockServer {
  return {
    name: 'lock server',
    init: serverFrom,
    step(state, input, turn) {
      const scene: ServerScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, serverTimers.due(input.name))
        case 'stop':
          return onStop(scene)
      }
    },
    check: checkServer,
  }
}

function onMessage(scene: ServerScene, from: NodeId, body: LockMessage): void {
  const { state, settings } = scene
  if (state.stopped) return
  if (body.kind === 'askFloor') return onAskFloor(scene, from, body)
  if (body.kind === 'floor') return onFloor(scene, from, body)
  if (settings.rules.mayAsk(from, state.others)) onClientMessage(scene, from, body)
}

function onClientMessage(scene: ServerScene, from: NodeId, body: LockMessage): void {
  switch (body.kind) {
    case 'try':
      return onTry(scene, from, body)
    case 'renew':
      return onRenew(scene, from, body)
    case 'keep':
      return onKeep(scene, from, body)
    case 'release':
      return onRelease(scene, from, body)
    case 'wait':
      return onWait(scene, from, body)
    case 'yield':
      return onYield(scene, from, body)
    case 'force':
      return onForce(scene, from, body)
    case 'inspect':
      return onInspect(scene, from, body)
    case 'account':
      return onAccount(scene, from, body)
    case 'complain':
      return onComplain(scene, from, body)
    case 'resetFloor':
      return onResetFloor(scene, from, body)
    default:
      // A server's answer has no business here.
      return
  }
}

function onCommand(scene: ServerScene, body: ServerCommand): void {
  switch (body.kind) {
    case 'clock':
      return onClock(scene, body)
    case 'go':
      return onGo(scene)
    case 'lost':
      return onLost(scene)
  }
}

function onTimer(scene: ServerScene, { kind, about }: ReturnType<typeof serverTimers.due>): void {
  switch (kind) {
    case 'sweep':
      return onSweep(scene)
    case 'expire':
      return onExpire(scene, about)
    case 'floors':
      return onFloors(scene)
  }
}
