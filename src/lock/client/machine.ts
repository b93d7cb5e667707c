// The lock's client (BACKOFF §4, figure 1a, with protocols/lock).
//
// Guarantees: a client believes that it holds only while at least g servers hold for it, by a clock that may drift;
// any two sets of g servers share an honest one, which grants to one at a time. So there are never two holders, whatever
// the network does; delay costs only progress. `lost` comes before the belief ends, while the process runs.
//
// The obvious client asks a majority and counts the lease from the answer. One slow answer, one fast clock or one
// liar is enough to make two holders: see rules.ts for the lines that prevent each.

import type { NodeId, Protocol } from '../../core/index.ts'
import type { LockSettings } from '../settings.ts'
import type { LockMessage } from '../wire.ts'
import { onAcquire, onReleaseCommand } from './acquire.ts'
import { onPingTimer } from './cut-off.ts'
import { letGo, onEndTimer, onExtend, onOverTimer, onRenewTimer, onSustain } from './holding.ts'
import { onAnswer, onInquire } from './judge.ts'
import {
  onAccount,
  onAccounted,
  onFloorReset,
  onForceAnswer,
  onForceCommand,
  onInspect,
  onInspected,
  onQuestionTimer,
  onResetFloor,
} from './questions.ts'
import { onAnswersTimer, onBackoffTimer } from './retry.ts'
import {
  type ClientCommand,
  type ClientEvent,
  type ClientScene,
  type ClientState,
  checkClient,
  clientTimers,
  newClient,
} from './state.ts'

/** The client's half of the lock as a protocol. */
export type LockClient = Protocol<ClientState, LockMessage, ClientCommand, ClientEvent>
type ClientTimer = ReturnType<typeof clientTimers.due>

/** The client's half of the lock. */
export function lockClient(settings: LockSettings): LockClient {
  return {
    name: 'lock client',
    init: (_self, servers) => newClient(servers),
    step(state, input, turn) {
      const scene: ClientScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, clientTimers.due(input.name))
        case 'stop':
          return onStop(scene)
      }
    },
    check: checkClient,
  }
}

function onMessage(scene: ClientScene, from: NodeId, body: LockMessage): void {
  if (!scene.state.servers.includes(from)) return
  if ('name' in body) scene.state.latest = body.name
  switch (body.kind) {
    case 'granted':
    case 'renewed':
    case 'locked':
    case 'tooLow':
    case 'tooHigh':
    case 'notRenewed':
    case 'full':
    case 'given':
    case 'queued':
      return onAnswer(scene, from, body)
    case 'inquire':
      return onInquire(scene, from, body)
    case 'inspected':
      return onInspected(scene, from, body)
    case 'accounted':
      return onAccounted(scene, from, body)
    case 'floorReset':
      return onFloorReset(scene, from, body)
    case 'forced':
    case 'notAllowed':
      return onForceAnswer(scene, from, body)
    default:
      // Another client's request has no business here.
      return
  }
}

function onCommand(scene: ClientScene, body: ClientCommand): void {
  if ('name' in body) scene.state.latest = body.name
  switch (body.kind) {
    case 'acquire':
      return onAcquire(scene, body)
    case 'release':
      return onReleaseCommand(scene, body)
    case 'extend':
      return onExtend(scene, body)
    case 'sustain':
      return onSustain(scene, body)
    case 'inspect':
      return onInspect(scene, body)
    case 'force':
      return onForceCommand(scene, body)
    case 'account':
      return onAccount(scene, body)
    case 'resetFloor':
      return onResetFloor(scene, body)
  }
}

function onTimer(scene: ClientScene, { kind, about }: ClientTimer): void {
  scene.state.latest = about
  switch (kind) {
    case 'answers':
      return onAnswersTimer(scene, about)
    case 'backoff':
      return onBackoffTimer(scene, about)
    case 'ping':
      return onPingTimer(scene, about)
    case 'renew':
      return onRenewTimer(scene, about)
    case 'end':
      return onEndTimer(scene, about)
    case 'over':
      return onOverTimer(scene, about)
    case 'inspect':
    case 'force':
    case 'account':
    case 'resetFloor':
      return onQuestionTimer(scene, Number(about))
  }
}

function onStop(scene: ClientScene): void {
  for (const acquisition of [...scene.state.acquisitions.values()]) letGo(scene, acquisition)
}
