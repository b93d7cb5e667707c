// The server's half of ledgers (protocols/ledger J1 … J11): a pool, an executor and a voter for each ledger, and no object
// underneath. Clients hand signed transactions to all servers; who leads an attempt proposes a batch; n - f votes for what
// it leads to are a certificate, and only what is certified is told to anybody.
//
// Guarantees, with at most b of n ≥ 3f + 2b + 1 servers lying and whatever clients do: no two certified histories; every
// certified leaf was valid in its place. Progress while no more than f are gone, lying ones included.

import type { NodeId, Protocol } from '../../core/index.ts'
import { encodeDescriptor } from '../light.ts'
import { isTooLarge } from '../proposal.ts'
import type { LedgerServerSettings } from '../settings.ts'
import type { LedgerMessage, PeerMessage } from '../wire.ts'
import { advanceAttempts, leaveInTime, onReport, sayReport } from './attempts.ts'
import { onCaught } from './blame.ts'
import {
  advanceRejoining,
  answerOld,
  askRecall,
  catchUp,
  onFetch,
  onFetched,
  onPage,
  onRecall,
  onRecalled,
} from './catching-up.ts'
import { heldBytes, mayHold } from './holding.ts'
import { advanceHours, countsHours, onHour, sayHour } from './hours.ts'
import { onPledge, onSteps } from './keeping.ts'
import { hasWork, onSubmit } from './pool.ts'
import { onGo, onLost, onRollMessage, onRollTimer, onStart, onTellLoss, openLedger, serverFrom } from './restart.ts'
import { onAsk, onCompare, onCreate, onFind, onOffer, onProve } from './serving.ts'
import {
  checkServer,
  type EarlyWord,
  type LedgerScene,
  type LedgerServerCommand,
  type LedgerServerEvent,
  type LedgerServerState,
  ledgerOf,
  type ServedLedger,
  type ServerScene,
  send,
  serverTimers,
} from './state.ts'
import { advanceVotes, onCertified, onPropose, onVote, onWant, sayProposal, sayVote } from './voter.ts'

/** The server's half of ledgers as a protocol. */
export type LedgerServer = Protocol<LedgerServerState, LedgerMessage, LedgerServerCommand, LedgerServerEvent>

/** The server's half of ledgers. */
export function ledgerServer(settings: LedgerServerSettings): LedgerServer {
  return {
    name: 'ledger server',
    init: (self, peers, saved) => serverFrom(settings, self, peers, saved),
    step(state, input, turn) {
      const scene: ServerScene = { state, settings, turn }
      switch (input.kind) {
        case 'start':
          onStart(scene)
          for (const ledger of state.ledgers.values()) advance({ ...scene, ledger })
          return
        case 'message':
          return onMessage(scene, input.from, input.body)
        case 'command':
          onCommand(scene, input.body)
          for (const ledger of state.ledgers.values()) advance({ ...scene, ledger })
          return
        case 'timer':
          return onTimer(scene, serverTimers.due(input.name))
        case 'stop':
          return
      }
    },
    check: checkServer,
  }
}

function onCommand(scene: ServerScene, body: LedgerServerCommand): void {
  switch (body.kind) {
    case 'go':
      return onGo(scene)
    case 'lost':
      return onLost(scene)
    case 'tellLoss':
      return onTellLoss(scene)
  }
}

function onMessage(scene: ServerScene, from: NodeId, body: LedgerMessage): void {
  switch (body.kind) {
    case 'offer':
      return onOffer(scene, from, body)
    case 'find':
      return onFind(scene, from, body)
    case 'caught':
      return onCaught(scene, from, body)
    case 'create':
      return onCreate(scene, from, body)
    case 'roll':
      return onRollMessage(scene, from)
    case 'genesis':
      return onGenesis(scene, from, body)
    default:
      return 'ledger' in body ? onWord(scene, from, body) : undefined
  }
}

type Word = Extract<LedgerMessage, { ledger: Uint8Array }>

/** A word about one ledger. */
function onWord(scene: ServerScene, from: NodeId, body: Word): void {
  const ledger = ledgerOf(scene.state, body.ledger)
  if (ledger === undefined) return onUnknown(scene, from, body)
  const about: LedgerScene = { ...scene, ledger }
  switch (body.kind) {
    case 'submit':
      onSubmit(about, from, body)
      break
    case 'ask':
      return onAsk(about, from, body)
    case 'prove':
      return onProve(about, from, body)
    case 'compare':
      return onCompare(about, from, body)
    case 'page':
      return onPage(about, from, body)
    case 'steps':
      return onSteps(about, from, body)
    case 'pledge':
      return onPledge(about, from, body)
    case 'stepped':
      return
    case 'fetch':
      return onFetch(about, from, body)
    case 'fetched':
      onFetched(about, from, body)
      break
    default:
      onPeer(about, from, body)
  }
  advance(about)
}

function onPeer(scene: LedgerScene, from: NodeId, body: Extract<PeerMessage, { ledger: Uint8Array }>): void {
  const place = scene.ledger.places.get(from)
  // Clients have no voice among servers, and those who kept the ledger before are only told how it went on.
  if (place === undefined) return onFormer(scene, from, body)
  if (place === scene.ledger.place) return
  if (!isOfNow(scene, from, place, body)) return
  switch (body.kind) {
    case 'propose':
      return onPropose(scene, from, place, body)
    case 'vote':
      return onVote(scene, from, place, body)
    case 'report':
      return onReport(scene, from, place, body)
    case 'want':
      return onWant(scene, from, place, body)
    case 'certified':
      return onCertified(scene, from, place, body)
    case 'recall':
      return onRecall(scene, from)
    case 'recalled':
      return onRecalled(scene, from, place, body)
    case 'hour':
      return onHour(scene, from, place, body)
    case 'need':
      return onNeed(scene, from)
  }
}

/** A word of one that keeps the ledger no more and may not know it, or is to keep it soon and has to know it. */
function onFormer(scene: LedgerScene, from: NodeId, body: Extract<PeerMessage, { ledger: Uint8Array }>): void {
  if (!scene.state.peers.includes(from)) return
  if (body.kind === 'need') return onNeed(scene, from)
  if (body.kind === 'recall') return onRecall(scene, from)
  const height = heightOf(body)
  if (height !== undefined && height <= scene.ledger.head.height && body.kind !== 'certified')
    answerOld(scene, from, height)
}

/** Whether the word is of the height under way. Who is behind is shown the certificate; who is ahead is followed. */
function isOfNow(
  scene: LedgerScene,
  from: NodeId,
  place: number,
  body: Extract<PeerMessage, { ledger: Uint8Array }>,
): boolean {
  const height = heightOf(body)
  if (height === undefined) return true
  const next = scene.ledger.head.height + 1
  if (height === next) {
    if (body.kind === 'certified' && body.leaves.length === 0) catchUp(scene, from)
    return true
  }
  if (height > next)
    noteEarly(scene, { from, height, at: scene.turn.now, body, bytes: heldBytes('leaves' in body ? body.leaves : []) })
  else if (body.kind !== 'certified' && !isOnlyLate(scene.ledger, place, height, body)) answerOld(scene, from, height)
  return false
}

/** Of the height before: its vote came behind the certificate, as one does at every height. Said twice, it asks for it. */
function isOnlyLate({ late, head, quiet }: ServedLedger, place: number, height: number, body: PeerMessage): boolean {
  if (body.kind !== 'vote' || height !== head.height || late.has(place)) return false
  late.add(place)
  quiet.set(place, 0)
  return true
}

/** One height ahead is what happens: the votes for this one are under way. Who is farther ahead is followed. */
function noteEarly(scene: LedgerScene, word: EarlyWord): void {
  const { early, head } = scene.ledger
  const { from, height, body } = word
  const name = `${from} ${body.kind}`
  // What no honest server says is not kept for later: it may be a whole frame.
  if ('leaves' in body && isTooLarge(body.leaves)) return
  const known = early.get(name)
  // What is said again is not said just now: at every beat it would be too new to be followed.
  const takes = word.bytes - (known?.bytes ?? 0)
  if ((known?.height ?? 0) <= height && mayHold(scene, from, takes))
    early.set(name, { ...word, at: known?.at ?? word.at })
  if (height > head.height + 2 || body.kind === 'certified') catchUp(scene, from)
}

/** What was said about the height that is now under way. */
function hearEarly(scene: LedgerScene): void {
  const { early, head } = scene.ledger
  if (early.size === 0) return
  for (const [name, { from, height, body }] of [...early]) {
    if (height > head.height + 1) continue
    early.delete(name)
    if (height === head.height + 1) onPeer(scene, from, body)
  }
}

/** On each beat: who was ahead by one height all the while is followed. */
function followEarly(scene: LedgerScene): void {
  const { ledger, settings, turn } = scene
  for (const [name, { from, at }] of [...ledger.early]) {
    if (turn.now - at < settings.repeatEvery) continue
    // What is still true is said again.
    ledger.early.delete(name)
    if (ledger.places.has(from)) catchUp(scene, from)
  }
}

function heightOf(body: PeerMessage): number | undefined {
  switch (body.kind) {
    case 'propose':
    case 'vote':
    case 'want':
      return body.height
    case 'report':
      return body.report.height
    case 'certified':
      return body.checkpoint.height
    default:
      return undefined
  }
}

function onNeed(scene: LedgerScene, from: NodeId): void {
  send(scene, from, { kind: 'genesis', genesis: encodeDescriptor(scene.ledger.descriptor) })
}

/** A server speaks of a ledger that is not here: it was made while this one was away, or before its store was lost. */
function onUnknown(scene: ServerScene, from: NodeId, body: Word): void {
  if ('query' in body && body.kind !== 'page' && body.query !== 0)
    return send(scene, from, { kind: 'unknown', query: body.query })
  if (body.kind === 'recalled' || body.kind === 'need') return
  send(scene, from, { kind: 'need', ledger: body.ledger })
}

function onGenesis(scene: ServerScene, from: NodeId, body: PeerMessage & { kind: 'genesis' }): void {
  // From servers only: each may bring as many as a client, and only such as name this server's key.
  if (!scene.state.peers.includes(from)) return
  const opened = openLedger(scene, body.genesis, from, from)
  if (typeof opened === 'string') return
  const about = { ...scene, ledger: opened }
  // A server that does not keep it hears nothing of it: all there is to know is fetched.
  if (opened.place < 0) catchUp(about, from)
  advance(about)
}

function onTimer(scene: ServerScene, { kind, about }: ReturnType<typeof serverTimers.due>): void {
  switch (kind) {
    case 'beat':
      return onBeat(scene, about)
    case 'gather':
      return onGather(scene, about)
    case 'leave':
      return onLeave(scene, about)
    case 'roll':
      return onRollTimer(scene)
  }
}

/** Says again what may have been lost. */
function onBeat(server: ServerScene, hex: string): void {
  const ledger = server.state.ledgers.get(hex)
  if (ledger === undefined) return
  const { turn } = server
  const scene: LedgerScene = { ...server, ledger }
  ledger.beating = false
  ledger.round.wanted.clear()
  followEarly(scene)
  // What was said just now is on its way.
  if (turn.now - ledger.round.saidAt >= server.settings.repeatEvery / 2) {
    sayVote(scene)
    sayReport(scene)
    sayProposal(scene)
  }
  askRecall(scene)
  sayHour(scene)
  advance(scene)
}

/** An attempt's time may be up. */
function onLeave(server: ServerScene, hex: string): void {
  const ledger = server.state.ledgers.get(hex)
  if (ledger === undefined) return
  const scene: LedgerScene = { ...server, ledger }
  leaveInTime(scene)
  advance(scene)
}

/** Enough was waited for more leaves. */
function onGather(scene: ServerScene, hex: string): void {
  const ledger = scene.state.ledgers.get(hex)
  if (ledger !== undefined) advance({ ...scene, ledger })
}

/** What follows from what is known. */
function advance(scene: LedgerScene): void {
  const { ledger, settings, turn } = scene
  let height = -1
  // A certificate opens the next height, for which there may be work.
  while (height !== ledger.head.height) {
    height = ledger.head.height
    hearEarly(scene)
    advanceRejoining(scene)
    advanceHours(scene)
    advanceAttempts(scene)
    advanceVotes(scene)
  }
  if (ledger.beating || !isBusy(scene)) return
  ledger.beating = true
  serverTimers.set(turn, 'beat', settings.repeatEvery, ledger.descriptor.hex)
}

function isBusy(scene: LedgerScene): boolean {
  const { ledger } = scene
  const { round } = ledger
  const underWay =
    round.vote !== undefined ||
    round.report !== undefined ||
    round.proposed !== undefined ||
    round.votes.size > 0 ||
    ledger.early.size > 0
  return (
    underWay ||
    ledger.lost !== undefined ||
    ledger.catching?.from !== undefined ||
    hasWork(ledger) ||
    countsHours(scene)
  )
}
