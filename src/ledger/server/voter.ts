// Proposals, votes and certificates of the height that is under way. Nobody votes for what it has not executed and saved.

import { sameBytes, toHex } from '../../core/index.ts'
import { type Undo, undoAll } from '../book.ts'
import { type Checkpoint, headHash, noteBytes, type Statement, whyNotCertified } from '../checkpoint.ts'
import { execute } from '../execute.ts'
import { newestEpoch } from '../genesis.ts'
import { leaderOf, nextPace, noteCertified, noteVoters } from '../leaders.ts'
import { append, cutBack, rootOf, type SizedRoot } from '../merkle.ts'
import { BATCH_MAX, isTooLarge, outcomeOf, type Proposal, proposalHash } from '../proposal.ts'
import type { KeyOfEpoch } from '../rules.ts'
import type { PeerMessage } from '../wire.ts'
import { checkWaiting, choiceOf, enterAttempt, judgeReports, keepDeciding, wantDeciding } from './attempts.ts'
import { blame, isBlamed, isDenied, isSecondVote, knownOf, UNSIGNED, UNSOUND } from './blame.ts'
import { heldBytes, mayHold } from './holding.ts'
import { drawBatch, hasGathered, hasWork, sweepPool } from './pool.ts'
import {
  type CheckedProposal,
  executionOf,
  type LedgerScene,
  mayPromise,
  nameOf,
  newRound,
  placeIn,
  placesOf,
  save,
  send,
  sendOthers,
  voterOf,
} from './state.ts'

/** Good proposals that one server may bring in a height: a liar that signs many takes its own share only. */
export const BROUGHT_MAX = 16

export function onPropose(
  scene: LedgerScene,
  _from: string,
  place: number,
  body: PeerMessage & { kind: 'propose' },
): void {
  const { height, attempt, leaves, reports } = body
  takeProposal(scene, place, { height, attempt, leaves, reports })
}

function takeProposal(scene: LedgerScene, from: number, proposal: Proposal): void {
  const { ledger, settings } = scene
  const { round } = ledger
  const hash = proposalHash(ledger.descriptor, proposal, settings.suite)
  const name = toHex(hash)
  const known = round.proposals.get(name)
  if (known !== undefined) return noteLeader(scene, from, known)
  if ((round.brought.get(from) ?? 0) >= BROUGHT_MAX || isBlamed(scene.state, nameOf(ledger, from), UNSOUND)) return
  const sender = nameOf(ledger, from)
  const bytes = heldBytes(proposal.leaves)
  // What it gave in other ledgers is in the way: it says it again.
  if (from !== ledger.place && !mayHold(scene, sender, bytes - (round.stalled.get(from)?.bytes ?? 0))) return
  const verdict = verdictOf(scene, proposal)
  if (verdict === 'unknown') {
    round.stalled.set(from, { proposal, bytes })
    return wantDeciding(scene, from, proposal.reports)
  }
  const result = verdict === 'good' ? tryProposal(scene, proposal) : undefined
  // An honest server has executed what it proposes or hands on, at the same height and so in the same state.
  if (result === undefined) return from === ledger.place ? undefined : blame(scene, from, UNSOUND)
  const checked = { ...proposal, ...result, hash }
  round.proposals.set(name, checked)
  round.brought.set(from, (round.brought.get(from) ?? 0) + 1)
  round.broughtBytes.set(sender, (round.broughtBytes.get(sender) ?? 0) + bytes)
  if (proposal.attempt > 1) enterAttempt(scene, proposal.attempt, proposal.reports)
  noteLeader(scene, from, checked)
  checkWaiting(scene)
  retryStalled(scene)
}

function verdictOf(scene: LedgerScene, { attempt, leaves, reports }: Proposal): ReturnType<typeof judgeReports> {
  if (isTooLarge(leaves)) return 'bad'
  return attempt === 1 ? 'good' : judgeReports(scene, attempt, reports)
}

function retryStalled(scene: LedgerScene): void {
  const { stalled } = scene.ledger.round
  for (const [from, { proposal }] of [...stalled]) {
    if (judgeReports(scene, proposal.attempt, proposal.reports) === 'unknown') continue
    stalled.delete(from)
    takeProposal(scene, from, proposal)
  }
}

/** Only what the leader itself brings is voted for; what others hand on is good to know. */
function noteLeader({ ledger }: LedgerScene, from: number, { height, attempt, hash }: CheckedProposal): void {
  const { round } = ledger
  if (from !== leaderOf(height, attempt, ledger.keepers.servers.length)) return
  if (!round.led.has(attempt)) round.led.set(attempt, toHex(hash))
}

/** Executes and takes back. Nothing where it cannot be, or is not what the reports leave. */
function tryProposal(scene: LedgerScene, { attempt, leaves, reports }: Proposal): SizedRoot | undefined {
  if (leaves.length === 0) return undefined
  const result = tryLeaves(scene, leaves)
  if (result === undefined) return undefined
  const choice = choiceOf(scene, attempt, reports)
  return choice.kind === 'free' || choice.value === outcomeOf(result) ? result : undefined
}

/** The size and root that these leaves would lead to, each of them valid in its place. */
export function tryLeaves(scene: LedgerScene, leaves: readonly Uint8Array[]): SizedRoot | undefined {
  const { ledger, settings } = scene
  const { hash } = settings.suite
  const undo: Undo = []
  const how = { ...executionOf(scene), undo }
  const { size } = ledger.book
  let good = true
  for (const leaf of leaves) {
    const refused = execute(ledger.book, leaf, how)
    // The keepers of now certify no more after it: an epoch ends its height.
    const open = ledger.book.descriptor === ledger.descriptor || !settings.rules.endsHeight()
    good &&= open || leaf === leaves[leaves.length - 1]
    good &&= refused === undefined || !settings.rules.executesFirst()
    if (!good) break
    const looked = ledger.memory.of(leaf)
    if (looked.signed) ledger.memory.keep(looked)
    append(ledger.tree, looked.hash, hash)
  }
  const result = { size: ledger.tree.size, root: rootOf(ledger.tree, ledger.tree.size, hash) }
  undoAll(undo)
  cutBack(ledger.tree, size)
  return good ? result : undefined
}

/** Votes for what the leader of its attempt proposed, once. */
function vote(scene: LedgerScene): void {
  const { ledger, settings } = scene
  const { round, descriptor, head } = ledger
  const chosen = round.proposals.get(round.led.get(round.attempt) ?? '')
  if (!mayPromise(scene) || chosen === undefined) return
  if (!settings.rules.mayVote(round.attempt, round.vote?.statement.attempt ?? 0, round.promised)) return
  const { height, attempt, leaves, reports, size, root } = chosen
  const statement: Statement = { height, size, root, previous: ledger.previous, attempt, proposal: chosen.hash }
  const signed = { statement, signature: voterOf(scene).sign(noteBytes(descriptor, statement)) }
  round.vote = signed
  round.saidAt = scene.turn.now
  round.votes.set(ledger.place, signed)
  ledger.voted = Math.max(ledger.voted, head.height + 1)
  keepDeciding(scene, reports)
  round.kept.add(toHex(chosen.hash))
  if (settings.rules.savesVote())
    save(scene, { kind: 'voted', ledger: descriptor.id, height, attempt, leaves, reports })
  sayVote(scene)
}

export function sayVote(scene: LedgerScene): void {
  const { vote, promised } = scene.ledger.round
  if (vote === undefined || vote.statement.attempt < promised - 1) return
  sendOthers(scene, { kind: 'vote', ledger: scene.ledger.descriptor.id, ...vote.statement, signature: vote.signature })
}

export function onVote(scene: LedgerScene, _from: string, place: number, body: PeerMessage & { kind: 'vote' }): void {
  const { ledger, settings } = scene
  const { signature, height, size, root, previous, attempt, proposal } = body
  const known = ledger.round.votes.get(place)
  const statement = { height, size, root, previous, attempt, proposal }
  const isSecond = known !== undefined && isSecondVote(known.statement, statement)
  if (isSecond && isBlamed(scene.state, nameOf(ledger, place), TWICE)) return
  if (known !== undefined && known.statement.attempt >= attempt && !isSecond) return
  if (attempt < 1 || !sameBytes(previous, ledger.previous)) return
  if (isBlamed(scene.state, nameOf(ledger, place), UNSIGNED)) return
  const { key } = ledger.keepers.servers[place]!
  if (!settings.suite.verify(key, noteBytes(ledger.descriptor, statement), signature))
    return blame(scene, place, UNSIGNED)
  // The first one counts on: which came first is chance, and no honest server gives two.
  if (isSecond) return blame(scene, place, TWICE)
  const report = ledger.round.reports.get(place)
  if (report !== undefined && isDenied(report, statement)) blame(scene, place, 'denied a vote that it signed')
  ledger.round.votes.set(place, { statement, signature })
}

const TWICE = 'signed two votes of one attempt'

/** As leader: proposes what must be kept, or a batch. */
function propose(scene: LedgerScene): void {
  const { ledger } = scene
  const { round, head, place } = ledger
  const height = head.height + 1
  const { attempt } = round
  if (!mayPromise(scene) || round.proposed !== undefined || round.promised > attempt) return
  if (leaderOf(height, attempt, ledger.keepers.servers.length) !== place) return
  const leaves = leavesToPropose(scene)
  if (leaves === undefined || leaves.length === 0) return
  const proposal = { height, attempt, leaves, reports: round.opened }
  round.proposed = proposal
  round.saidAt = scene.turn.now
  sayProposal(scene)
  takeProposal(scene, place, proposal)
}

function leavesToPropose(scene: LedgerScene): readonly Uint8Array[] | undefined {
  const { round } = scene.ledger
  const choice = choiceOf(scene, round.attempt, round.opened)
  if (choice.kind === 'free') return hasWork(scene.ledger) && hasGathered(scene) ? drawBatch(scene) : undefined
  for (const held of round.proposals.values()) if (outcomeOf(held) === choice.value) return held.leaves
  // Restarted, or shown reports only: those who reported have it.
  for (const report of round.opened) wantDeciding(scene, report.server, [report])
  return undefined
}

export function sayProposal(scene: LedgerScene): void {
  const { ledger } = scene
  if (ledger.round.proposed !== undefined)
    sendOthers(scene, { kind: 'propose', ledger: ledger.descriptor.id, ...ledger.round.proposed })
}

export function onWant(scene: LedgerScene, from: string, _place: number, body: PeerMessage & { kind: 'want' }): void {
  const held = scene.ledger.round.proposals.get(toHex(body.proposal))
  if (held === undefined) return
  const { height, attempt, leaves, reports } = held
  send(scene, from, { kind: 'propose', ledger: scene.ledger.descriptor.id, height, attempt, leaves, reports })
}

/** c votes for one statement are a certificate. */
function certify(scene: LedgerScene): void {
  const { ledger, settings } = scene
  const { round } = ledger
  const needed = settings.rules.votesNeeded(ledger.keepers)
  if (round.votes.size < needed) return
  const counts = new Map<string, number[]>()
  for (const [place, { statement }] of round.votes) {
    const name = `${statement.attempt} ${outcomeOf(statement)} ${toHex(statement.proposal)}`
    const voters = counts.get(name)
    if (voters === undefined) counts.set(name, [place])
    else voters.push(place)
  }
  for (const voters of counts.values()) {
    if (voters.length < needed) continue
    const { statement } = round.votes.get(voters[0]!)!
    const votes = voters
      .sort((one, other) => one - other)
      .map(server => ({ server, signature: round.votes.get(server)!.signature }))
    const held = round.proposals.get(toHex(statement.proposal))
    if (held !== undefined) {
      const { keepers } = ledger
      appendCertified(scene, { ...statement, votes }, held.leaves)
      // Behind that: who was silent until now was passed over in this height. The next keepers have said nothing yet.
      if (ledger.keepers === keepers) noteVoters(ledger.quiet, round.votes, keepers)
      return
    }
    wantFrom(scene, voters, statement)
  }
}

function wantFrom(scene: LedgerScene, voters: readonly number[], { height, proposal }: Statement): void {
  const { ledger, turn } = scene
  const name = toHex(proposal)
  if (ledger.round.wanted.has(name)) return
  ledger.round.wanted.add(name)
  const others = voters.filter(place => place !== ledger.place)
  const chosen = others[turn.below(others.length)]!
  send(scene, nameOf(ledger, chosen), { kind: 'want', ledger: ledger.descriptor.id, height, proposal })
}

/** Makes certified leaves the ledger's own. They were tried, or lead to a certified root. */
export function appendCertified(
  scene: LedgerScene,
  checkpoint: Checkpoint,
  leaves: readonly Uint8Array[],
  unsaved: readonly Uint8Array[] = leaves,
): void {
  const { ledger } = scene
  const { descriptor } = ledger
  const voted = ledger.round.vote?.statement.proposal
  const saved = scene.settings.rules.savesVote() && voted !== undefined && sameBytes(voted, checkpoint.proposal)
  // Nobody is promised anything on it: a certificate that is forgotten is found again.
  save(scene, { kind: 'certified', ledger: descriptor.id, checkpoint, leaves: saved ? [] : unsaved }, true)
  const { since } = ledger.round
  if (since !== undefined) ledger.pace = nextPace(ledger.pace, scene.turn.now - since)
  settle(scene, checkpoint, leaves)
  scene.turn.do({ kind: 'emit', event: { kind: 'certified', ledger: descriptor.hex, checkpoint } })
  sweepPool(scene)
}

/** The state after a certificate; also how a server that restarts gets there. */
export function settle(scene: Settling, checkpoint: Checkpoint, leaves: readonly Uint8Array[]): void {
  const { ledger, settings } = scene
  const { suite, rules } = settings
  const { hash } = suite
  for (const leaf of leaves) {
    // Under a planted bug a leaf may be refused here: it stands in the log all the same.
    if (execute(ledger.book, leaf, { suite, rules, memory: ledger.memory, trusted: true }) !== undefined)
      ledger.book.size++
    const looked = ledger.memory.of(leaf)
    append(ledger.tree, looked.hash, hash)
    ledger.indexes.set(looked.name, ledger.leaves.length)
    ledger.leaves.push(looked.bytes)
    ledger.memory.forget(looked)
  }
  ledger.lately = Math.min(leaves.length, BATCH_MAX)
  ledger.late.clear()
  for (const place of ledger.round.votes.keys()) ledger.late.add(place)
  noteCertified(knownOf(scene), checkpoint.height, checkpoint.attempt, ledger.keepers)
  ledger.before = ledger.head.size
  ledger.head = checkpoint
  if (ledger.book.descriptor !== ledger.descriptor) beginEpoch(scene, checkpoint)
  ledger.previous = headHash(ledger.descriptor, checkpoint, suite)
  ledger.round = newRound()
}

/** From the next height on others keep the ledger. */
function beginEpoch({ ledger, settings, state }: Settling, closing: Checkpoint): void {
  ledger.descriptor = ledger.book.descriptor
  ledger.closings.push(closing)
  const before = ledger.keepers.servers[ledger.place]
  ledger.hours.clear()
  ledger.failures.clear()
  ledger.quiet.clear()
  ledger.keepers = newestEpoch(ledger.descriptor)
  ledger.places = placesOf(ledger.keepers)
  ledger.place = placeIn(ledger.keepers, state.self, settings)
  const now = ledger.keepers.servers[ledger.place]
  const key: KeyOfEpoch = {
    kept: now !== undefined && before !== undefined && sameBytes(now.key, before.key),
    lost: ledger.lost !== undefined,
    ofThisStore: now === undefined || (state.salt !== undefined && sameBytes(now.salt, state.salt)),
  }
  // How far the others voted is asked anew, of those who keep it now: votes that were forgotten may be theirs.
  ledger.lost = settings.rules.hasForgotten(key) ? new Map() : undefined
}

type Settling = Pick<LedgerScene, 'state' | 'ledger' | 'settings'>

/** A certificate of the height under way, with its leaves: from one who answers words about what is decided. */
export function onCertified(
  scene: LedgerScene,
  _from: string,
  _place: number,
  body: PeerMessage & { kind: 'certified' },
): void {
  const { ledger, settings } = scene
  const { checkpoint, leaves } = body
  if (checkpoint.height !== ledger.head.height + 1 || !sameBytes(checkpoint.previous, ledger.previous)) return
  if (whyNotCertified(ledger.descriptor, checkpoint, settings.suite, settings.rules) !== undefined) return
  const result = tryLeaves(scene, leaves)
  if (result !== undefined && outcomeOf(result) === outcomeOf(checkpoint)) appendCertified(scene, checkpoint, leaves)
}

/** What follows from all that is known about the height. */
export function advanceVotes(scene: LedgerScene): void {
  propose(scene)
  vote(scene)
  certify(scene)
}
