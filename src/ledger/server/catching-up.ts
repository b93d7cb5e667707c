// A server that is behind takes the leaves from one that is ahead, page by page, up to a certificate. With each page comes
// what shows that the leaves up to its end are the beginning of what is certified: nothing is kept of a page that does not
// lead there, however many leaves the certificate counts, and who gave it is named. What was shown to lead there stays, whoever
// gives the next page. All is executed before it becomes the ledger. And a server that has forgotten its votes waits until every
// height in which it may have voted is certified (protocols/ledger, J-5): votes do not expire.

import type { Millis, NodeId } from '../../core/index.ts'
import { type Checkpoint, whyNotCertified } from '../checkpoint.ts'
import type { Keepers } from '../genesis.ts'
import {
  consistencyProof,
  extend,
  frontierFrom,
  frontierOf,
  frontierRoot,
  leafHash,
  verifyConsistency,
} from '../merkle.ts'
import { BATCH_MAX, outcomeOf } from '../proposal.ts'
import { type LedgerRequest, PAGE_BYTES_MAX, type PeerMessage } from '../wire.ts'
import { blameServer } from './blame.ts'
import { type Catching, type LedgerScene, type ServedLedger, save, send, sendOthers } from './state.ts'
import { appendCertified, tryLeaves } from './voter.ts'

/** How long to wait for a page. */
export const PAGE_WAIT: Millis = 1_000

/**
 * How long a server is passed over that said it is ahead and gave nothing, too little or rubbish: a wait for each that may lie, and
 * one more. Liars that say at each moment that they are ahead, and take turns at giving nothing, leave that one to the others;
 * with less, two of them would be asked for ever. With more, all are waited for longer once a network is whole again.
 */
export function passedOverFor({ liars }: Pick<Keepers, 'liars'>): Millis {
  return (liars + 1) * PAGE_WAIT
}

/** That server says that it is ahead: take from it what is missing, unless another gives already. */
export function catchUp(scene: LedgerScene, from: NodeId): void {
  follow(scene, from, true)
}

/**
 * From one of the keepers that are known: who kept a ledger before still has it. It did not say that it is ahead, a client did: if
 * it has no more it is not passed over. Otherwise a lying client could have all honest servers passed over, all the time.
 */
export function catchUpWithAny(scene: LedgerScene): void {
  const others = [...scene.ledger.places.keys()].filter(name => name !== scene.state.self)
  if (others.length > 0) follow(scene, others[scene.turn.below(others.length)]!, false)
}

function follow(scene: LedgerScene, from: NodeId, owes: boolean): void {
  const { ledger, turn } = scene
  const { catching, passedOver, keepers } = ledger
  if (catching?.from !== undefined) {
    if (turn.now - catching.askedAt < PAGE_WAIT) return
    passOver(scene, catching.from)
  }
  if (turn.now - (passedOver.get(from) ?? Number.NEGATIVE_INFINITY) < passedOverFor(keepers)) return
  ask(scene, from, owes)
}

function ask(scene: LedgerScene, from: NodeId, owes: boolean): void {
  const { ledger } = scene
  ledger.catching = { ...(shownSoFar(ledger) ?? newCatching(ledger)), from, owes }
  askPage(scene, ledger.catching)
}

/** What was shown to be certified and follows what is here. */
function shownSoFar({ catching, leaves }: ServedLedger): Catching | undefined {
  return catching?.start === leaves.length ? catching : undefined
}

function newCatching({ leaves, tree, head }: ServedLedger): Catching {
  const start = leaves.length
  const frontier = frontierOf(tree, start)
  return { from: undefined, start, checkpoint: head, leaves: [], frontier, askedAt: 0, owes: false }
}

/** Nobody is asked any more; what was shown so far is there for the next one. */
function stop({ ledger }: LedgerScene): void {
  const { catching } = ledger
  if (catching !== undefined)
    ledger.catching = catching.leaves.length > 0 ? { ...catching, from: undefined } : undefined
}

function passOver(scene: LedgerScene, from: NodeId): void {
  stop(scene)
  scene.ledger.passedOver.set(from, scene.turn.now)
}

function askPage(scene: LedgerScene, catching: Catching): void {
  catching.askedAt = scene.turn.now
  const from = catching.start + catching.leaves.length
  send(scene, catching.from!, { kind: 'fetch', ledger: scene.ledger.descriptor.id, from })
}

/** Leaves from one on, as many as fit, with the certificate up to which they can be fetched. */
function pageFrom({ ledger }: LedgerScene, start: number) {
  const from = Math.min(start, ledger.leaves.length)
  // Up to the end of its epoch: who keeps the next one, the asking server learns from these leaves.
  const checkpoint = ledger.closings.find(({ size }) => size > from) ?? ledger.head
  let bytes = 0
  let end = from
  while (end < checkpoint.size && end - from < BATCH_MAX && bytes < PAGE_BYTES_MAX)
    bytes += ledger.leaves[end++]!.length
  return { from, leaves: ledger.leaves.slice(from, end), checkpoint }
}

/** To a client: with what stands before them. */
export function onPage(scene: LedgerScene, from: NodeId, body: LedgerRequest & { kind: 'page' }): void {
  const page = pageFrom(scene, body.from)
  const frontier = frontierOf(scene.ledger.tree, page.from)
  send(scene, from, { kind: 'paged', query: body.query, frontier, ...page })
}

/** To a server: with what shows that they lead to the certificate. */
export function onFetch(scene: LedgerScene, from: NodeId, body: PeerMessage & { kind: 'fetch' }): void {
  const { ledger, settings, state } = scene
  if (!state.peers.includes(from)) return
  const page = pageFrom(scene, body.from)
  const end = page.from + page.leaves.length
  const path = consistencyProof(ledger.tree, end, page.checkpoint.size, settings.suite.hash)
  send(scene, from, { kind: 'fetched', ledger: ledger.descriptor.id, path, ...page })
}

export function onFetched(scene: LedgerScene, from: NodeId, body: PeerMessage & { kind: 'fetched' }): void {
  const { ledger } = scene
  const { catching } = ledger
  if (catching?.from !== from) return
  // What is here has grown meanwhile, or an answer came that was no longer waited for.
  if (catching.start !== ledger.leaves.length) return stop(scene)
  if (body.from !== catching.start + catching.leaves.length) return
  // It has no more than is here; and if it said so, and gave nothing before that either, it has only said so.
  if (body.leaves.length === 0) return catching.owes ? passOver(scene, from) : stop(scene)
  const shown = withPage(scene, catching, body)
  if (shown === undefined) return passOver(scene, from)
  ledger.catching = shown
  const isWhole = shown.start + shown.leaves.length === shown.checkpoint.size
  if (!isWhole) return isShort(body.leaves) ? passOver(scene, from) : askPage(scene, shown)
  ledger.catching = undefined
  // The others went on meanwhile: the next page, or an empty one, says so.
  if (keepFetched(scene, shown.checkpoint, shown.leaves)) ask(scene, from, false)
}

/** With the leaves of a page that lead to what is certified. Undefined where they do not: then the giver lied. */
function withPage(
  scene: LedgerScene,
  catching: Catching,
  { from, leaves, path, checkpoint }: PeerMessage & { kind: 'fetched' },
): Catching | undefined {
  const { ledger, settings } = scene
  const { suite, rules } = settings
  const isKnown = outcomeOf(checkpoint) === outcomeOf(catching.checkpoint)
  if (!isKnown && whyNotCertified(ledger.descriptor, checkpoint, suite, rules) !== undefined) return undefined
  const tree = frontierFrom(from, catching.frontier)!
  for (const leaf of leaves) extend(tree, leafHash(leaf, suite.hash), suite.hash)
  const upToHere = { size: tree.size, root: frontierRoot(tree, suite.hash) }
  if (!rules.leadsTo(verifyConsistency(upToHere, checkpoint, path, suite.hash))) {
    blameServer(scene, catching.from!, 'gave leaves that do not lead to their certificate')
    return undefined
  }
  for (const leaf of leaves) catching.leaves.push(leaf)
  // Of one that says what is known, only that was looked at: its votes may be anything.
  return { ...catching, frontier: tree.roots, checkpoint: isKnown ? catching.checkpoint : checkpoint }
}

/** Less than an honest server gives before the end: leaf by leaf, catching up would take as long as the giver likes. */
function isShort(leaves: readonly Uint8Array[]): boolean {
  return leaves.length < BATCH_MAX && leaves.reduce((sum, leaf) => sum + leaf.length, 0) < PAGE_BYTES_MAX
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
