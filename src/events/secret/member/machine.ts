// A party of a secret channel (protocols/secret-events 1 to 6): reader, writer or both, on carriers that are not trusted. The
// carriers are its peers: it asks them to listen, to leave and to send, and hears what came.

import { assert, type NodeId, type Protocol, type Saved } from '../../../core/index.ts'
import { channelNames, lettersOf } from '../keys.ts'
import { decodeRecords } from '../record.ts'
import type { SecretSettings } from '../settings.ts'
import { type CarrierMessage, decodeFrame, encodeFrame, type Frame } from '../wire.ts'
import { listenAll, onSubscribe, onUnsubscribe, onWant, WANT_EVERY_MS } from './listening.ts'
import { onAnswer, onAsk, onBatch, onLap, onPublish, onTell } from './publishing.ts'
import { onEvent, onLook, onMarked, onTold, onTotals } from './receiving.ts'
import { addEpoch, onHello, onReceipt, onTurn, say, showRecord, takeRecord, turnAtNext } from './records.ts'
import {
  type MemberCommand,
  type MemberEvent,
  type MemberScene,
  type MemberState,
  memberTimers,
  toAll,
  wallNow,
} from './state.ts'

/** A party of a secret channel, as a protocol. */
export type SecretMember = Protocol<MemberState, CarrierMessage, MemberCommand, MemberEvent>

/** A party of a secret channel. */
export function secretMember(settings: SecretSettings): SecretMember {
  return {
    name: 'secret member',
    init: (self, carriers, saved) => memberFrom(settings, self, carriers, saved),
    step(state, input, turn) {
      const scene: MemberScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          return onStart(scene)
        case 'message':
          return onMessage(scene, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, memberTimers.due(input.name))
        default:
          return
      }
    },
  }
}

function memberFrom(settings: SecretSettings, self: NodeId, carriers: readonly NodeId[], saved: Saved): MemberState {
  const state: MemberState = {
    self,
    carriers,
    names: channelNames(settings.channel.id),
    epochs: new Map(),
    newest: 0,
    life: { author: settings.name, started: 0, boot: new Uint8Array(8) },
    counter: 0,
    waiting: [],
    batching: false,
    subscriptions: new Map(),
    listening: new Map(),
    seen: new Map(),
    followed: new Map(),
    verified: new Set(),
    looking: false,
    asks: [],
    askAgain: false,
    answeredAt: Number.NEGATIVE_INFINITY,
    untold: 0,
    box: '',
    searching: false,
    lap: 0,
    startedIn: 0,
    counts: new Map(),
    receipts: new Set(),
    showedAt: Number.NEGATIVE_INFINITY,
  }
  for (const record of saved.get('') ?? []) {
    const decoded = decodeRecords(record)
    // What passed the store's checksum and cannot be read is not ours: better no channel than an old one.
    assert(decoded.ok, 'saved records that cannot be read')
    for (const one of decoded.value) addEpoch({ state, settings } as MemberScene, one)
  }
  return state
}

function onStart(scene: MemberScene): void {
  const { state, settings, turn } = scene
  const now = wallNow(scene)
  state.life = { author: settings.name, started: Math.max(0, Math.floor(now)), boot: turn.bytes(8) }
  state.box = lettersOf(turn.bytes(16))
  state.startedIn = Math.floor(now / settings.lap)
  toAll(scene, { kind: 'listen', name: state.names.records })
  toAll(scene, { kind: 'listen', name: state.box })
  say(scene, encodeFrame({ kind: 'hello', number: state.newest }))
  for (const number of state.epochs.keys()) listenAll(scene, number)
  turnAtNext(scene)
  memberTimers.set(turn, 'want', WANT_EVERY_MS)
}

function onMessage(scene: MemberScene, body: CarrierMessage): void {
  switch (body.kind) {
    case 'came':
      return onCame(scene, body.body)
    default:
      // Only a carrier speaks to us, and it has one word.
      return
  }
}

function onCame(scene: MemberScene, body: Uint8Array): void {
  const frame = decodeFrame(body)
  if (frame.ok) return onFrame(scene, frame.value)
  scene.turn.do({ kind: 'emit', event: { kind: 'dropped', why: 'bytes that are no frame' } })
}

function onFrame(scene: MemberScene, frame: Frame): void {
  switch (frame.kind) {
    case 'event':
      return onEvent(scene, frame)
    case 'marked':
      return onMarked(scene, frame)
    case 'totals':
      return onTotals(scene, frame)
    case 'told':
      return onTold(scene, frame)
    case 'record':
      return onRecord(scene, frame.record)
    case 'receipt':
      return onReceipt(scene, frame.number, frame.name, frame.signature)
    case 'hello':
      return onHello(scene, frame.number)
    case 'lap':
      return onLapMessage(scene, frame)
    case 'ask':
      return onAsk(scene)
    default:
      return
  }
}

function onRecord(scene: MemberScene, record: Uint8Array): void {
  takeRecord(scene, record, false)
}

function onLapMessage({ turn }: MemberScene, { lap, yours }: Frame & { kind: 'lap' }): void {
  turn.do({ kind: 'emit', event: { kind: 'clock', laps: lap - yours } })
}

function onCommand(scene: MemberScene, body: MemberCommand): void {
  switch (body.kind) {
    case 'publish':
      return onPublish(scene, body)
    case 'subscribe':
      return onSubscribe(scene, body)
    case 'unsubscribe':
      return onUnsubscribe(scene, body.id)
    case 'record':
      return onRecordCommand(scene, body.record, body.share)
  }
}

function onRecordCommand(scene: MemberScene, record: Uint8Array, share: boolean): void {
  takeRecord(scene, record, share)
  if (share) showRecord(scene)
}

function onTimer(scene: MemberScene, { kind }: ReturnType<typeof memberTimers.due>): void {
  switch (kind) {
    case 'turn':
      return onTurn(scene)
    case 'batch':
      return onBatch(scene)
    case 'look':
      return onLook(scene)
    case 'tell':
      return onTell(scene)
    case 'answer':
      return onAnswer(scene)
    case 'lap':
      return onLap(scene)
    case 'want':
      return onWant(scene)
  }
}
