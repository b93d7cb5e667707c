// A server that is behind takes the leaves from one that is ahead, up to a certificate, and tries them before it keeps
// them: a wrong page costs a round with that server, nothing else. And one that has forgotten its votes waits until every
// height in which it may have voted is certified (protocols/ledger, J-5): votes do not expire.

import type { Millis, NodeId } from '../../core/index.ts'
import { type Checkpoint, whyNotCertified } from '../checkpoint.ts'
import { frontierOf } from '../merkle.ts'
import { BATCH_MAX, outcomeOf } from '../proposal.ts'
import { type LedgerReply, type LedgerRequest, PAGE_BYTES_MAX, type PeerMessage } from '../wire.ts'
import { type LedgerScene, type ServedLedger, save, send, sendOthers } from './state.ts'
import { appendCertified, tryLeaves } from './voter.ts'

/** How long to wait for a page. */
export const PAGE_WAIT: Millis = 1_000
/** How long a server is passed over that said it is ahead and gave nothing. */
export const PASSED_OVER: Millis = 8 * PAGE_WAIT

/**
 * That server is ahead: take from it what is missing, unless another gives already. Who gave nothing is not asked again for a
 * while: a liar that says at each moment that it is ahead would otherwise be asked every time, and those who are ahead never.
 */
export function catchUp(scene: LedgerScene, from: NodeId): void {
  const { ledger, turn } = scene
  const { catching } = ledger
  if (catching !== undefined && turn.now - catching.askedAt < PAGE_WAIT) return
  if (catching !== undefined) stop(scene)
  if (turn.now < (ledger.passedOver.get(from) ?? 0)) return
  ask(scene, from, false)
}

function ask(scene: LedgerScene, from: NodeId, gained: boolean): void {
  const { ledger, turn } = scene
  ledger.catching = { from, checkpoint: ledger.head, leaves: [], askedAt: turn.now, gained }
  askPage(scene, ledger)
}

/** From one of the keepers that are known: who kept a ledger before still has it. */
export function catchUpWithAny(scene: LedgerScene): void {
  const others = [...scene.ledger.places.keys()].filter(name => name !== scene.state.self)
  if (others.length > 0) catchUp(scene, others[scene.turn.below(others.length)]!)
}

function askPage(scene: LedgerScene, { catching, descriptor, leaves, head }: ServedLedger): void {
  if (catching === undefined) return
  catching.askedAt = scene.turn.now
  const start = leaves.length + catching.leaves.length
  send(scene, catching.from, {
    kind: 'page',
    query: head.height,
    ledger: descriptor.id,
    from: start,
  })
}

/** Leaves from one on, as many as fit, with the newest certificate and what stands before them. */
export function onPage(
  scene: LedgerScene,
  from: NodeId,
  { query, from: start }: LedgerRequest & { kind: 'page' },
): void {
  const { ledger } = scene
  const at = Math.min(start, ledger.leaves.length)
  // Up to the end of its epoch: who keeps the next one, the asking server learns from these leaves.
  const checkpoint = ledger.closings.find(({ size }) => size > at) ?? ledger.head
  let bytes = 0
  let end = at
  while (end < checkpoint.size && end - at < BATCH_MAX && bytes < PAGE_BYTES_MAX) bytes += ledger.leaves[end++]!.length
  const frontier = frontierOf(ledger.tree, at)
  send(scene, from, {
    kind: 'paged',
    query,
    from: at,
    frontier,
    leaves: ledger.leaves.slice(at, end),
    checkpoint,
  })
}

export function onPaged(scene: LedgerScene, from: NodeId, body: LedgerReply & { kind: 'paged' }): void {
  const { ledger, settings } = scene
  const { catching, head } = ledger
  if (catching === undefined || catching.from !== from || body.query !== head.height) return
  if (body.from !== ledger.leaves.length + catching.leaves.length || body.leaves.length === 0) return stop(scene)
  const first = catching.leaves.length === 0
  const target = first ? body.checkpoint : catching.checkpoint
  if (target.size <= head.size) return stop(scene)
  if (first && whyNotCertified(ledger.descriptor, target, settings.suite, settings.rules) !== undefined)
    return stop(scene)
  const leaves = [...catching.leaves, ...body.leaves].slice(0, target.size - head.size)
  ledger.catching = { ...catching, checkpoint: target, leaves, askedAt: scene.turn.now }
  if (leaves.length < target.size - head.size) return askPage(scene, ledger)
  if (!keepFetched(scene, target, leaves)) return stop(scene)
  // The others went on meanwhile: the next page, or an empty one, says so.
  ask(scene, from, true)
}

/** No more comes from that server. */
function stop({ ledger, turn }: LedgerScene): void {
  const { catching } = ledger
  if (catching !== undefined && !catching.gained) ledger.passedOver.set(catching.from, turn.now + PASSED_OVER)
  ledger.catching = undefined
}

function keepFetched(scene: LedgerScene, checkpoint: Checkpoint, leaves: readonly Uint8Array[]): boolean {
  const result = tryLeaves(scene, leaves)
  if (result === undefined || outcomeOf(result) !== outcomeOf(checkpoint)) return false
  const { id } = scene.ledger.descriptor
  // A record holds no more than a batch.
  const last = Math.floor((leaves.length - 1) / BATCH_MAX) * BATCH_MAX
  for (let at = 0; at < last; at += BATCH_MAX) {
    save(scene, { kind: 'fetched', ledger: id, leaves: leaves.slice(at, at + BATCH_MAX) }, true)
  }
  appendCertified(scene, checkpoint, leaves, leaves.slice(last))
  return true
}

/** Somebody speaks of a height that is certified here: it is shown the certificate, or may take pages. */
export function answerOld(scene: LedgerScene, from: NodeId, height: number): void {
  const { head, descriptor, leaves, before } = scene.ledger
  // Who is farther behind hears of the height, and asks for pages.
  const shown = height === head.height && leaves.length - before <= BATCH_MAX ? leaves.slice(before) : []
  send(scene, from, { kind: 'certified', ledger: descriptor.id, checkpoint: head, leaves: shown })
}

/** Asks the others in which heights they voted. */
export function askRecall(scene: LedgerScene): void {
  if (scene.ledger.lost !== undefined) sendOthers(scene, { kind: 'recall', ledger: scene.ledger.descriptor.id })
}

export function onRecall(scene: LedgerScene, from: NodeId): void {
  const { ledger } = scene
  // One that has forgotten its own votes, or may have, cannot vouch for others'.
  if (ledger.lost === undefined && !scene.state.held)
    send(scene, from, { kind: 'recalled', ledger: ledger.descriptor.id, voted: ledger.voted })
}

export function onRecalled(
  scene: LedgerScene,
  from: NodeId,
  place: number,
  body: PeerMessage & { kind: 'recalled' },
): void {
  const { ledger } = scene
  // A vote for the height that is under way here too is no news.
  const { proposals, votes } = ledger.round
  const here = proposals.size > 0 || votes.size > 0 ? ledger.head.height + 1 : ledger.head.height
  if (body.voted > here) catchUp(scene, from)
  if (ledger.lost !== undefined && !ledger.lost.has(place)) ledger.lost.set(place, body.voted)
}

/** It may vote again once it holds a certificate above every height in which it can have voted. */
export function advanceRejoining(scene: LedgerScene): void {
  const { ledger, settings, turn } = scene
  const { lost, descriptor, head } = ledger
  if (lost === undefined) return
  const { servers, crashes, liars } = ledger.keepers
  if (lost.size < servers.length - crashes) return
  if (head.height < settings.rules.votesAgainFrom([...lost.values()], liars)) return
  ledger.lost = undefined
  ledger.voted = head.height
  save(scene, { kind: 'rejoined', ledger: descriptor.id })
  turn.do({ kind: 'emit', event: { kind: 'rejoined', ledger: descriptor.hex, height: head.height } })
}
