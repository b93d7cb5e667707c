// What a member waits for, and from whom. A word that is missing for a beat is asked for, from everybody: statements are
// signed, so anybody who has it may pass it on, and a member that speaks to some and not to others gains nothing. A word that
// is owed for longer than the group's patience makes its author silent: it is left out, not accused.

import { sameBytes } from '../../core/index.ts'
import { endRound } from './checks.ts'
import { mayOpen } from './dealing.ts'
import { COMPLAIN_AFTER, heldUpTooMuch, latenessOf, type Owed, owedName } from './lateness.ts'
import { isEqualSeal } from './opening.ts'
import { dealtTicket, leaderOf, passerAt } from './proofs.ts'
import { driftOf } from './record.ts'
import { answer, saidBy, sayStep, sendToAll, statementOf } from './saying.ts'
import type { Epoch, MemberState, Round, SlotsScene } from './state.ts'
import type { Ask, Complaint } from './wire.ts'
import { NEEDS_MAX } from './wire.ts'

/** In beats: after how long an owner complains of one of whom it complained before in this epoch. */
const COMPLAIN_AGAIN_BEATS = 2
/** In beats: how often a missing word is asked for again. */
const ASK_EVERY = 3

function others(epoch: Epoch): number[] {
  return epoch.record.members.map((_member, place) => place).filter(place => place !== epoch.position)
}

/** Everything that keeps us waiting now. */
export function owedNow(scene: SlotsScene): Owed[] {
  const { epoch } = scene.state
  if (epoch.position < 0 || epoch.secret === undefined) return []
  if (!epoch.live) return owedByForming(epoch)
  const owed: Owed[] = []
  for (const round of epoch.rounds.values()) {
    if (round.slots.length > 0 && !round.spoiled) owed.push(...owedInRound(epoch, round))
  }
  return [...owed, ...owedByLeader(scene)]
}

/**
 * The next header: where there is something to open, or where others go on in that round. A liar says words of a round that nobody
 * opened, and its leader would be late for ever: so it is asked for by anybody's word, and owed by those of b + 1.
 */
function owedByLeader(scene: SlotsScene): Owed[] {
  const { epoch } = scene.state
  const { record, next, rounds, position } = epoch
  const author = leaderOf(record, next)
  const begunBy = new Set([...(rounds.get(next)?.said.values() ?? [])].map(said => said.author)).size
  const isOwed = mayOpen(scene).length > 0 || scene.rules.hasBegun(begunBy, record.liars)
  if (author === position || (begunBy === 0 && !isOwed)) return []
  return [{ kind: 'header', author, index: 0, round: next, isHearsay: !isOwed }]
}

function owedByForming(epoch: Epoch): Owed[] {
  const keys = others(epoch).filter(author => saidBy(epoch, 'key', author) === undefined)
  if (keys.length > 0) return keys.map(author => ({ kind: 'key', author, index: 0, round: 0 }))
  const own = saidBy(epoch, 'ready', epoch.position)
  return others(epoch)
    .filter(author => {
      const ready = saidBy(epoch, 'ready', author)
      return ready === undefined || own === undefined || !sameBytes(own.keys, ready.keys)
    })
    .map(author => ({ kind: 'ready', author, index: 0, round: 0 }))
}

function owedInRound(epoch: Epoch, round: Round): Owed[] {
  const { number } = round
  switch (round.phase) {
    case 'lap': {
      const author = passerAt(epoch.record, number, round.passes.length)
      const ours = author === epoch.position
      return ours ? [] : [{ kind: 'pass', author, index: round.passes.length, round: number }]
    }
    case 'sealing':
      if (saidBy(round, 'seal', epoch.position) === undefined) return []
      return others(epoch)
        .filter(author => !isEqualSeal(round, author))
        .map(author => ({ kind: 'seal', author, index: 0, round: number }))
    case 'sharing':
      return others(epoch)
        .filter(author => !round.checked.has(author))
        .map(author => ({ kind: 'share', author, index: epoch.position, round: number }))
    case 'open':
      return owedToOthers(epoch, round) ?? owedInCheck(epoch, round)
    case 'checking':
    case 'over':
      return []
  }
}

/** Shares that others complain of: until they are there, their owners cannot go on, and are not to blame. */
function owedToOthers(epoch: Epoch, round: Round): Owed[] | undefined {
  const owed: Owed[] = []
  for (const owner of others(epoch)) {
    for (const author of others(epoch)) {
      if (saidBy(round, 'complaint', owner, author) === undefined) continue
      if (saidBy(round, 'share', author, owner) !== undefined) continue
      owed.push({ kind: 'share', author, index: owner, round: round.number })
    }
  }
  return owed.length > 0 ? owed : undefined
}

/**
 * Every lease of the round is over: whatever anybody says, its slots are free. A round in which a share is still owed
 * goes on without them, or a member that withholds shares would be forgiven after each lease.
 */
export function expire(epoch: Epoch, round: Round, now: number): void {
  const { record } = epoch
  if (round.phase !== 'open' || now < round.sharedAt + record.lease * (1 + driftOf(record))) return
  if (owedToOthers(epoch, round) === undefined) endRound(round)
}

function owedInCheck(epoch: Epoch, round: Round): Owed[] {
  const { number, check } = round
  if (saidBy(round, 'vote', epoch.position, check) === undefined) return []
  const votes = others(epoch).filter(author => !round.goodVotes.has(author))
  if (votes.length > 0) return votes.map(author => ({ kind: 'vote', author, index: check, round: number }))
  return others(epoch)
    .filter(author => !round.goodOpenings.has(author))
    .map(author => ({ kind: 'opening', author, index: check, round: number }))
}

/** On the beat: remembers since when each word is missing, asks for it, and says who is silent. */
export function lookAround(scene: SlotsScene): void {
  const { state, turn } = scene
  const { epoch } = state
  const { beat, patience } = scene.settings
  const owed = owedNow(scene)
  const names = new Map(owed.map(need => [owedName(need), need]))
  for (const name of epoch.owed.keys()) if (!names.has(name)) epoch.owed.delete(name)
  const asked: Owed[] = []
  const silent = new Set<number>()
  const blames = scene.rules.callsSilent(isCaughtInRing(state))
  for (const [name, need] of names) {
    const since = epoch.owed.get(name) ?? turn.now
    epoch.owed.set(name, since)
    const age = turn.now - since
    const late = latenessOf(scene, need, age)
    if (Math.floor(age / beat) % ASK_EVERY === ASK_EVERY - 1) asked.push(need)
    if (late > patience && blames && !need.isHearsay) silent.add(need.author)
    if (need.kind === 'share' && need.index === epoch.position && late > complainAfter(scene, need.author))
      complain(scene, need)
  }
  if (blames) for (const author of heldUpTooMuch(scene, owed)) silent.add(author)
  ask(scene, asked)
  tellSilent(scene, silent)
}

/**
 * Whether this epoch ends for a cheat, whom we can show to everybody. What others owe may then be its doing; a member that
 * is silent indeed is so in the next epoch too, and left out by the one after.
 */
function isCaughtInRing({ epoch, cheats }: MemberState): boolean {
  return epoch.record.members.some(({ name }) => (cheats.get(name)?.length ?? 0) > 0)
}

function ask(scene: SlotsScene, asked: readonly Owed[]): void {
  for (const round of new Set(asked.map(need => need.round))) {
    const needs = asked
      .filter(need => need.round === round)
      .slice(0, NEEDS_MAX)
      .map(({ kind, author, index }) => ({ kind, author, index }))
    sendToAll(scene, statementOf<Ask>(scene, { kind: 'ask', round, needs }))
  }
}

// The second time there is no wait again: who was accused once shows its shares to all, and loses nothing by it.
function complainAfter({ state, settings, rules }: SlotsScene, author: number): number {
  const again = state.epoch.complainedOf.has(author) && rules.complainsAgainAtOnce()
  return again ? COMPLAIN_AGAIN_BEATS * settings.beat : settings.patience * COMPLAIN_AFTER
}

/** Said once to all; a liar that shares with some only must then show it to all. */
function complain(scene: SlotsScene, need: Owed): void {
  const { epoch } = scene.state
  const round = epoch.rounds.get(need.round)!
  const known = saidBy(round, 'complaint', epoch.position, need.author)
  if (known !== undefined) return sendToAll(scene, known)
  epoch.complainedOf.add(need.author)
  const { record, position } = epoch
  const { c1 } = dealtTicket(record, round.number, round.passes[0]!, round.passes.at(-1)!, position)!
  const words = { round: round.number, accused: need.author, point: c1 }
  sayStep<Complaint>(scene, round, { kind: 'complaint', ...words })
}

function tellSilent(scene: SlotsScene, late: ReadonlySet<number>): void {
  const { epoch } = scene.state
  const { settings, rules, turn } = scene
  const isNew = [...late].some(author => !epoch.silent.has(author))
  for (const author of late) {
    epoch.silent.set(author, turn.now)
    epoch.wasSilent.set(author, turn.now)
  }
  for (const [author, at] of epoch.silent) {
    if (turn.now > at + rules.silenceLasts(settings.patience)) epoch.silent.delete(author)
  }
  if (!isNew) return
  const members = [...epoch.silent.keys()].map(author => epoch.record.members[author]!.name)
  turn.do({ kind: 'emit', event: { kind: 'silent', members } })
}

/** Sends what we have of what somebody misses: each word once, and no more in a beat than anybody can use. */
export function onAsk(scene: SlotsScene, { author, round, needs }: Ask): void {
  const { epoch } = scene.state
  const holder = round === 0 ? epoch : epoch.rounds.get(round)
  if (holder === undefined) return
  const asked = needs.map(need => saidBy(holder, need.kind, need.author, need.index))
  for (const said of new Set(asked)) if (said !== undefined) answer(scene, author, said)
}
