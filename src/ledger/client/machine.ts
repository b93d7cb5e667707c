// The client's half of ledgers: hands transactions to all servers, asks, and believes a proof, or what more servers say
// than can lie. It keeps nothing on disk: what is certified is found again by the same bytes.

import { type Millis, type NodeId, type Protocol, toHex } from '../../core/index.ts'
import { newestEpoch } from '../genesis.ts'
import { readDescriptor, takeStep, whyNoStep } from '../light.ts'
import type { LedgerSettings } from '../settings.ts'
import type { EpochStep } from '../transactions.ts'
import type { LedgerMessage, LedgerReply, ReceiptLot, StepLot } from '../wire.ts'
import { forgetAnswers, keepAnswer } from './answers.ts'
import { judge } from './judge.ts'
import {
  CALLS_MAX,
  type Call,
  type ClientScene,
  checkClient,
  clientTimers,
  type LedgerCall,
  type LedgerClientState,
  type LedgerCommand,
  type LedgerEvent,
} from './state.ts'

/** The client's half of ledgers as a protocol. */
export type LedgerClient = Protocol<LedgerClientState, LedgerMessage, LedgerCommand, LedgerEvent>

/** How soon calls are looked at again, and how long at most between two sayings. */
const TICK: Millis = 50
const FIRST_AGAIN: Millis = 300
const AGAIN_MAX: Millis = 2_000
/** A read that servers answered at different sizes is asked again soon. */
const READ_AGAIN: Millis = 50
/** How soon another server is asked for later keepers. */
const STEPS_AGAIN: Millis = 20
/** Servers that are to send the receipt, where all goes well. */
const RECEIPTS = 2

/** The client's half of ledgers. */
export function ledgerClient(settings: LedgerSettings): LedgerClient {
  return {
    name: 'ledger client',
    init: (_self, servers) => ({
      servers,
      ledgers: new Map(),
      calls: new Map(),
      shares: new Map(),
      ticking: false,
      certified: new Set(),
      sound: new WeakSet(),
      doubted: new Map(),
    }),
    step(state, input, turn) {
      const scene: ClientScene = { state, settings, turn }
      switch (input.kind) {
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          return onCommand(scene, input.body)
        case 'timer':
          return onTimer(scene, clientTimers.due(input.name))
        default:
          return
      }
    },
    check: checkClient,
  }
}

function onCommand(scene: ClientScene, body: LedgerCommand): void {
  switch (body.kind) {
    case 'open':
      return onOpen(scene, body)
    case 'cancel':
      return onCancel(scene, body)
    case 'offers':
    case 'find':
    case 'caught':
    case 'create':
    case 'submit':
    case 'ask':
    case 'prove':
    case 'compare':
    case 'page':
    case 'pledge':
      return onCall(scene, body)
  }
}

function onOpen({ state, settings }: ClientScene, { genesis }: LedgerCommand & { kind: 'open' }): void {
  const descriptor = readDescriptor(genesis, settings.suite)
  if (typeof descriptor === 'string') return
  const known = state.ledgers.get(descriptor.hex)
  // What is known of its keepers is not taken back.
  if (known === undefined || known.epochs.length < descriptor.epochs.length)
    state.ledgers.set(descriptor.hex, descriptor)
}

function onCancel({ state }: ClientScene, { id }: LedgerCommand & { kind: 'cancel' }): void {
  const call = state.calls.get(id)
  if (call !== undefined) forgetAnswers(state, call)
  state.calls.delete(id)
}

function onCall(scene: ClientScene, asked: LedgerCall): void {
  const { state, turn } = scene
  if (state.calls.size >= CALLS_MAX) return turn.do({ kind: 'emit', event: { kind: 'crowded', id: asked.id } })
  const call: Call = { asked, answers: new Map(), target: undefined, nextAt: 0, said: 0 }
  state.calls.set(asked.id, call)
  say(scene, call)
  keepTicking(scene)
}

function keepTicking({ state, turn }: ClientScene): void {
  if (state.ticking || state.calls.size === 0) return
  state.ticking = true
  clientTimers.set(turn, 'repeat', TICK)
}

/** To all servers; a page is asked of one, and of the next where that one does not answer. */
function say({ state, turn }: ClientScene, call: Call): void {
  const { servers } = state
  const first = (call.asked.id + call.said) % servers.length
  for (const [place, to] of servers.entries()) {
    const near = (place - first + servers.length) % servers.length
    if (call.asked.kind === 'page' && near > 0) continue
    const body = wordOf(state, call, near < RECEIPTS || call.said > 0)
    if (body !== undefined) turn.do({ kind: 'send', to, body })
  }
  const again = call.asked.kind === 'ask' && call.target !== undefined ? READ_AGAIN : FIRST_AGAIN
  call.nextAt = turn.now + Math.min(again * 1.5 ** call.said, AGAIN_MAX)
  call.said++
}

function wordOf(state: LedgerClientState, { asked }: Call, receipt: boolean): LedgerMessage | undefined {
  const query = asked.id
  switch (asked.kind) {
    case 'offers':
      return { kind: 'offer', query }
    case 'find':
      return { kind: 'find', query, name: asked.name }
    case 'caught':
      return { kind: 'caught', query }
    case 'create':
      return { kind: 'create', query, genesis: asked.genesis }
    default: {
      const known = state.ledgers.get(asked.ledger)
      return known && wordAbout(asked, { query, ledger: known.id }, receipt, newestEpoch(known).number)
    }
  }
}

function wordAbout(
  asked: Extract<LedgerCall, { ledger: string }>,
  about: { readonly query: number; readonly ledger: Uint8Array },
  receipt: boolean,
  epoch: number,
): LedgerMessage {
  switch (asked.kind) {
    case 'submit':
      return { kind: 'submit', ...about, leaf: asked.leaf, receipt }
    case 'ask':
      return { kind: 'ask', ...about, epoch, question: asked.question }
    case 'prove':
      return { kind: 'prove', ...about, index: asked.index }
    case 'compare':
      return { kind: 'compare', ...about, first: asked.first }
    case 'page':
      return { kind: 'page', ...about, from: asked.from }
    case 'pledge':
      return { kind: 'pledge', ...about, leaf: asked.leaf }
  }
}

function onMessage(scene: ClientScene, from: NodeId, body: LedgerMessage): void {
  // Only servers answer, and only what was asked.
  if (!scene.state.servers.includes(from)) return
  if (body.kind === 'receipts') return onReceipts(scene, from, body)
  if (body.kind === 'stepped') return onStepped(scene, body)
  if ('query' in body) onReply(scene, from, body as LedgerReply)
}

/** Each as if it had come alone, with the leaf that was handed in. */
function onReceipts(scene: ClientScene, from: NodeId, { checkpoint, receipts }: ReceiptLot): void {
  for (const { query, index, path } of receipts) {
    const asked = scene.state.calls.get(query)?.asked
    if (asked?.kind === 'submit')
      onReply(scene, from, { kind: 'receipt', query, leaf: asked.leaf, index, path, checkpoint })
  }
}

function onReply(scene: ClientScene, from: NodeId, body: LedgerReply): void {
  const { state } = scene
  const call = state.calls.get(body.query)
  if (call === undefined || !keepAnswer(state, call, from, body)) return
  if (!settle(scene, call)) askSteps(scene, from, call)
}

/** Whether the call has come to its end. */
function settle(scene: ClientScene, call: Call): boolean {
  const event = judge(scene, call)
  if (event === undefined) return false
  forgetAnswers(scene.state, call)
  scene.state.calls.delete(call.asked.id)
  scene.turn.do({ kind: 'emit', event })
  return true
}

/** Its certificate is not understood: others may keep the ledger by now. */
function askSteps({ state, turn }: ClientScene, to: NodeId, { asked }: Call): void {
  const ledger = 'ledger' in asked ? state.ledgers.get(asked.ledger) : undefined
  if (ledger === undefined) return
  const lately = state.doubted.get(ledger.hex)
  if (lately === undefined || (lately > 0 && turn.now - lately < STEPS_AGAIN)) return
  state.doubted.set(ledger.hex, Math.max(1, turn.now))
  turn.do({ kind: 'send', to, body: { kind: 'steps', query: 0, ledger: ledger.id, from: newestEpoch(ledger).number } })
}

/** Later keepers, each named in a certificate of those before. What waited for them is looked at again. */
function onStepped(scene: ClientScene, { ledger, steps }: StepLot): void {
  const { state, settings, turn } = scene
  const known = state.ledgers.get(toHex(ledger))
  if (known === undefined) return
  let descriptor = known
  const taken: EpochStep[] = []
  for (const step of steps) {
    if (whyNoStep(descriptor, step, settings.suite, settings.rules) !== undefined) break
    descriptor = takeStep(descriptor, step)
    taken.push(step)
  }
  if (taken.length === 0) return
  state.ledgers.set(known.hex, descriptor)
  state.doubted.delete(known.hex)
  turn.do({ kind: 'emit', event: { kind: 'epoch', id: 0, ledger: known.hex, descriptor, steps: taken } })
  for (const call of [...state.calls.values()])
    if ('ledger' in call.asked && call.asked.ledger === known.hex && !settle(scene, call)) askAnew(scene, call)
}

/** What was said to one who knew other keepers is not counted among what these say. */
function askAnew(scene: ClientScene, call: Call): void {
  forgetAnswers(scene.state, call)
  call.target = undefined
  if (call.asked.kind === 'ask') say(scene, call)
}

function onTimer(scene: ClientScene, { kind }: ReturnType<typeof clientTimers.due>): void {
  switch (kind) {
    case 'repeat':
      return onRepeat(scene)
  }
}

/** After a while those that answered are enough. */
function isTimed({ asked }: Call): boolean {
  return asked.kind === 'offers' || asked.kind === 'caught'
}

function onRepeat(scene: ClientScene): void {
  const { state, turn } = scene
  state.ticking = false
  for (const call of [...state.calls.values()]) {
    if (turn.now < call.nextAt || (isTimed(call) && settle(scene, call))) continue
    say(scene, call)
  }
  keepTicking(scene)
}
