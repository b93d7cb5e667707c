// A round (protocols/slots 2): the leader's header, a lap of proven shuffles, seals, shares by position, and each owner
// opens its own ticket. Words arrive in any order and are kept; `advanceRound` goes as far as they reach.

import { accuse } from './accusing.ts'
import { advanceChecks, forgetUnfit } from './checks.ts'
import { mayOpen } from './dealing.ts'
import { isHeader } from './evidence.ts'
import { advanceLap, passShuffled, spoil } from './lap.ts'
import { advanceSeals, advanceShares, answerComplaint } from './opening.ts'
import { leaderOf } from './proofs.ts'
import { saidBy, sayStep } from './saying.ts'
import { decodeShuffleAnswer } from './shuffle-work.ts'
import { type Epoch, NEVER, type Round, type SlotsScene } from './state.ts'
import type { Complaint, Header, Step } from './wire.ts'

/** The round of that number, if it is near: those before are over, those far ahead cannot have begun. */
export function roundFor(epoch: Epoch, number: number): Round | undefined {
  const known = epoch.rounds.get(number)
  if (known !== undefined) return known
  if (number < epoch.next || number >= epoch.next + epoch.record.members.length) return undefined
  const round: Round = {
    number,
    said: new Map(),
    early: new Map(),
    slots: [],
    phase: 'lap',
    passes: [],
    hashes: [],
    shuffling: false,
    spoiled: false,
    sealedAt: NEVER,
    sharedAt: NEVER,
    checked: new Set(),
    waited: new Map(),
    wish: undefined,
    live: [],
    check: 0,
    checkAt: NEVER,
    pause: 0,
    goodVotes: new Set(),
    goodOpenings: new Set(),
  }
  epoch.rounds.set(number, round)
  return round
}

/** Goes as far as the words that are there reach. */
export function advanceRound(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  if (!epoch.live || epoch.secret === undefined || round.spoiled) return
  if (round.slots.length === 0) takeHeader(scene, round)
  if (round.slots.length === 0) return
  if (round.phase === 'lap') advanceLap(scene, round)
  if (round.phase === 'sealing') advanceSeals(scene, round)
  if (round.phase === 'sharing') advanceShares(scene, round)
  const early = round.phase === 'sharing' && scene.rules.votesBeforeOpening()
  if (round.phase === 'open' || early) advanceChecks(scene, round)
}

function takeHeader(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  const header = saidBy(round, 'header', leaderOf(epoch.record, round.number))
  if (header === undefined) return
  if (!isHeader(epoch.record, header)) {
    round.spoiled = true
    return accuse(scene, { kind: 'header', record: epoch.record, statement: header })
  }
  round.slots = header.slots
  round.live = header.slots
  forgetUnfit(round)
  while ((epoch.rounds.get(epoch.next)?.slots.length ?? 0) > 0) {
    epoch.next++
    epoch.wanted = undefined
  }
  forgetOld(epoch)
}

// Others may still ask for words of a round that is over; two laps of the ring later nobody can.
function forgetOld(epoch: Epoch): void {
  for (const [number, round] of epoch.rounds) {
    if (number < epoch.next - 2 * epoch.record.members.length && round.phase === 'over') epoch.rounds.delete(number)
  }
}

/** On the beat, as the leader of the next round: opens it if there is something to deal. */
export function openRound(scene: SlotsScene): void {
  const { epoch } = scene.state
  if (leaderOf(epoch.record, epoch.next) !== epoch.position) return
  const slots = mayOpen(scene)
  const round = slots.length === 0 ? undefined : roundFor(epoch, epoch.next)
  if (round === undefined || saidBy(round, 'header', epoch.position) !== undefined) return
  sayStep<Header>(scene, round, { kind: 'header', round: round.number, slots })
  advanceRound(scene, round)
}

/** What a worker found. Work of an epoch that is over is thrown away. */
export function onWorked(scene: SlotsScene, id: number, bytes: Uint8Array): void {
  const { state } = scene
  const { epoch } = state
  const asked = state.workUnderWay.get(id)
  state.workUnderWay.delete(id)
  const round = epoch.rounds.get(asked?.round ?? -1)
  const answer = decodeShuffleAnswer(bytes)
  if (asked?.epoch !== epoch.record.number || round === undefined || answer === undefined || !epoch.live) return
  round.shuffling = false
  if (answer.kind === 'shuffled' && asked.kind === 'shuffle') {
    passShuffled(scene, round, answer)
  } else if (answer.kind === 'checked' && asked.kind === 'check' && round.phase === 'checking') {
    const bad = scene.rules.refusesBadLap() ? answer.bad[0] : undefined
    if (bad !== undefined) return spoil(scene, round, round.passes[bad]!)
    round.phase = 'sealing'
  }
  advanceRound(scene, round)
}

/** An owner complains, perhaps of us. */
export function onComplaint(scene: SlotsScene, said: Complaint): void {
  const round = scene.state.epoch.rounds.get(said.round)!
  answerComplaint(scene, round, said)
  advanceRound(scene, round)
}

/** A word that the round may have waited for. */
export function onRoundStep(scene: SlotsScene, said: Step): void {
  advanceRound(scene, scene.state.epoch.rounds.get(said.round)!)
}
