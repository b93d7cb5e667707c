// Attempts: how a height gets on when votes do not meet. An attempt is left when its time is up, or when more servers than
// can lie have left it; who leaves promises, saved first, not to vote there any more, and reports its newest vote. n - f
// reports open the next attempt, and decide what may be proposed in it.
//
// Never more than one attempt ahead: a lying leader that asked for promises of attempt 2^53 would otherwise end a ledger.

import { sameBytes, toHex } from '../../core/index.ts'
import { ATTEMPT_MAX } from '../checkpoint.ts'
import { isPassedOver, patienceOf } from '../leaders.ts'
import { outcomeOf, type Report, reportBytes } from '../proposal.ts'
import type { Choice, ReportedVote } from '../rules.ts'
import type { PeerMessage } from '../wire.ts'
import { blame, isBlamed, isDenied, knownOf, UNSIGNED } from './blame.ts'
import { hasWork } from './pool.ts'
import {
  type LedgerScene,
  mayPromise,
  nameOf,
  type Round,
  save,
  send,
  sendOthers,
  serverTimers,
  voterOf,
} from './state.ts'

/** Leaves that are handed on when a leader does not propose them. */
const HANDED_ON_MAX = 64

/** Leaves the attempt: promises, saves, reports. */
export function leaveAttempt(scene: LedgerScene): void {
  const { ledger, settings } = scene
  const { round, descriptor, place, head } = ledger
  if (!mayPromise(scene) || round.promised > round.attempt || round.attempt >= ATTEMPT_MAX) return
  const attempt = round.attempt + 1
  const said = { server: place, height: head.height + 1, attempt, vote: round.vote?.statement }
  const report: Report = { ...said, signature: voterOf(scene).sign(reportBytes(descriptor, said)) }
  round.promised = attempt
  round.report = report
  round.saidAt = scene.turn.now
  round.reports.set(place, report)
  keepDeciding(scene, round.opened)
  if (settings.rules.savesPromise())
    save(scene, { kind: 'promised', ledger: descriptor.id, report, opened: round.opened })
  sayReport(scene)
  if (!passesOver(scene)) handOn(scene)
}

export function sayReport(scene: LedgerScene): void {
  const { round, descriptor } = scene.ledger
  if (round.report !== undefined)
    sendOthers(scene, { kind: 'report', ledger: descriptor.id, report: round.report, opened: round.opened })
}

/** Whether the leader of the attempt that it is in failed lately, is silent, or was caught. */
function passesOver(scene: LedgerScene): boolean {
  const { head, round, keepers } = scene.ledger
  return isPassedOver(knownOf(scene), head.height + 1, round.attempt, keepers)
}

/** A client may have reached this server and not the one that led. */
function handOn(scene: LedgerScene): void {
  const { ledger } = scene
  let left = HANDED_ON_MAX
  for (const { leaf, ready } of ledger.pool.entries.values()) {
    if (!ready) continue
    if (left-- === 0) return
    sendOthers(scene, { kind: 'submit', query: 0, ledger: ledger.descriptor.id, leaf, receipt: false })
  }
}

export function onReport(
  scene: LedgerScene,
  _from: string,
  place: number,
  body: PeerMessage & { kind: 'report' },
): void {
  const { report, opened } = body
  // The server's own words only; what it shows of others is signed by them.
  if (report.server === place) onOwnReport(scene, place, report)
  const attempt = opened[0]?.attempt
  if (attempt !== undefined && attempt > scene.ledger.round.attempt) takeOpened(scene, place, attempt, opened)
}

function onOwnReport(scene: LedgerScene, place: number, report: Report): void {
  if (!isOfHeight(scene, report) || isBlamed(scene.state, nameOf(scene.ledger, place), UNSIGNED)) return
  if (!isSigned(scene, report)) return blame(scene, place, UNSIGNED)
  const given = scene.ledger.round.votes.get(place)?.statement
  if (given !== undefined && isDenied(report, given)) blame(scene, place, 'denied a vote that it signed')
  takeReport(scene, report)
}

/** Signed by its server, about this height. */
function isSound(scene: LedgerScene, report: Report): boolean {
  return isOfHeight(scene, report) && isSigned(scene, report)
}

function isOfHeight({ ledger }: LedgerScene, report: Report): boolean {
  if (report.server >= ledger.keepers.servers.length || report.height !== ledger.head.height + 1 || report.attempt < 2)
    return false
  const { vote } = report
  if (vote !== undefined && (vote.attempt >= report.attempt || vote.attempt < 1)) return false
  return vote === undefined || (vote.height === report.height && sameBytes(vote.previous, ledger.previous))
}

function isSigned({ ledger, settings }: LedgerScene, report: Report): boolean {
  const { key } = ledger.keepers.servers[report.server]!
  return settings.suite.verify(key, reportBytes(ledger.descriptor, report), report.signature)
}

/** A report counts only with the proposal that it voted for: without, a liar could force a root that nobody can replay. */
function takeReport(scene: LedgerScene, report: Report): void {
  const { round } = scene.ledger
  const known = round.reports.get(report.server)
  if (known !== undefined && known.attempt >= report.attempt) return
  if (!holdsVote(round, report)) {
    round.unchecked.set(report.server, report)
    return wantVote(scene, report.server, report)
  }
  round.unchecked.delete(report.server)
  round.reports.set(report.server, report)
}

function holdsVote(round: Round, { vote }: Report): boolean {
  if (vote === undefined) return true
  const held = round.proposals.get(toHex(vote.proposal))
  return held !== undefined && held.attempt === vote.attempt && outcomeOf(held) === outcomeOf(vote)
}

function wantVote(scene: LedgerScene, from: number, { vote, height }: Report): void {
  if (vote === undefined) return
  const { ledger } = scene
  send(scene, nameOf(ledger, from), { kind: 'want', ledger: ledger.descriptor.id, height, proposal: vote.proposal })
}

/** Reports that waited for a proposal that has come. */
export function checkWaiting(scene: LedgerScene): void {
  for (const report of [...scene.ledger.round.unchecked.values()]) {
    if (holdsVote(scene.ledger.round, report)) takeReport(scene, report)
  }
}

/** Whether reports open the attempt: 'unknown' where a proposal is missing that they rest on. */
export function judgeReports(
  scene: LedgerScene,
  attempt: number,
  reports: readonly Report[],
): 'good' | 'bad' | 'unknown' {
  const { ledger, settings } = scene
  if (!settings.rules.asksForReports()) return 'good'
  if (new Set(reports.map(report => report.server)).size !== reports.length) return 'bad'
  if (reports.length < settings.rules.reportsNeeded(ledger.keepers)) return 'bad'
  if (reports.some(report => report.attempt !== attempt || !isSound(scene, report))) return 'bad'
  return decidingOf(reports).every(report => holdsVote(ledger.round, report)) ? 'good' : 'unknown'
}

/** Those with the newest votes among them. */
function decidingOf(reports: readonly Report[]): readonly Report[] {
  const newest = Math.max(0, ...reports.map(report => report.vote?.attempt ?? 0))
  return reports.filter(report => report.vote?.attempt === newest)
}

/**
 * Saves what reports rest on, before it is said that they opened an attempt: who shows them is asked for it. Otherwise the only one
 * who voted for it loses its store, the others who saw it restart, and nobody can follow them into the attempt any more.
 */
export function keepDeciding(scene: LedgerScene, reports: readonly Report[]): void {
  const { round, descriptor } = scene.ledger
  for (const { vote } of decidingOf(reports)) {
    const name = toHex(vote!.proposal)
    const held = round.proposals.get(name)
    if (held === undefined || round.kept.has(name)) continue
    round.kept.add(name)
    keepDeciding(scene, held.reports)
    const { height, attempt, leaves } = held
    save(scene, { kind: 'held', ledger: descriptor.id, height, attempt, leaves, reports: held.reports }, true)
  }
}

/** Asks the one who showed reports for what they rest on. */
export function wantDeciding(scene: LedgerScene, from: number, reports: readonly Report[]): void {
  const asked = new Set<string>()
  for (const report of decidingOf(reports)) {
    if (holdsVote(scene.ledger.round, report)) continue
    const name = toHex(report.vote!.proposal)
    if (!asked.has(name)) wantVote(scene, from, report)
    asked.add(name)
  }
}

function takeOpened(scene: LedgerScene, from: number, attempt: number, opened: readonly Report[]): void {
  const verdict = judgeReports(scene, attempt, opened)
  if (verdict === 'unknown') return wantDeciding(scene, from, opened)
  if (verdict === 'good') enterAttempt(scene, attempt, opened)
}

/** The time of an attempt is up, of this one or of one before: the timer runs on when a height ends. */
export function leaveInTime(scene: LedgerScene): void {
  const { ledger, settings, turn } = scene
  const { round, pace } = ledger
  if (round.since === undefined) return
  const left = round.since + patienceOf(pace, round.attempt, settings.attemptMax) - turn.now
  if (left <= 0) leaveAttempt(scene)
  // Not yet; or it may not promise yet, and will be asked again.
  if (round.promised <= round.attempt)
    serverTimers.set(turn, 'leave', left > 0 ? left : settings.repeatEvery, ledger.descriptor.hex)
}

/** Enters an attempt that reports have opened. */
export function enterAttempt({ ledger }: LedgerScene, attempt: number, opened: readonly Report[]): void {
  const { round } = ledger
  if (attempt <= round.attempt) return
  round.attempt = attempt
  round.promised = Math.max(attempt, round.promised)
  round.opened = opened
  round.since = undefined
  round.proposed = undefined
}

/** The next attempt is opened by reports that are here, and this one left when more than can lie have left it. */
export function advanceAttempts(scene: LedgerScene): void {
  const { ledger, settings, turn } = scene
  const { round } = ledger
  const { liars } = ledger.keepers
  openNext(scene)
  let ahead = 0
  for (const { attempt, server } of round.reports.values())
    if (attempt > round.attempt && server !== ledger.place) ahead++
  if (ahead > liars) leaveAttempt(scene)
  const busy = hasWork(ledger) || round.vote !== undefined || round.votes.size > liars
  if (busy && passesOver(scene)) leaveAttempt(scene)
  if (!busy) round.since = undefined
  else if (round.since === undefined) {
    round.since = turn.now
    const patience = patienceOf(ledger.pace, round.attempt, settings.attemptMax)
    serverTimers.set(turn, 'leave', patience, ledger.descriptor.hex)
  }
}

function openNext(scene: LedgerScene): void {
  const { ledger, settings } = scene
  if (ledger.round.reports.size === 0) return
  const counts = new Map<number, Report[]>()
  for (const report of ledger.round.reports.values()) {
    if (report.attempt <= ledger.round.attempt) continue
    const list = counts.get(report.attempt)
    if (list === undefined) counts.set(report.attempt, [report])
    else list.push(report)
  }
  for (const [attempt, reports] of counts) {
    if (reports.length < settings.rules.reportsNeeded(ledger.keepers)) continue
    if (judgeReports(scene, attempt, reports) === 'good') enterAttempt(scene, attempt, reports)
  }
}

/** What the reports leave to the leader of the attempt that it is in. */
export function choiceOf({ ledger, settings }: LedgerScene, attempt: number, reports: readonly Report[]): Choice {
  if (attempt === 1 || !settings.rules.asksForReports()) return { kind: 'free' }
  const reported = reports.map(({ vote }): ReportedVote | undefined =>
    vote === undefined ? undefined : { attempt: vote.attempt, value: outcomeOf(vote) },
  )
  return settings.rules.choose(reported, ledger.keepers)
}
