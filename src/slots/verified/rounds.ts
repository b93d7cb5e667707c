// A round (PROTOCOLS A 2 to 6): the leader's header, a lap of proven shuffles, seals, shares by position, and each owner
// opens its own ticket. Words arrive in any order and are kept; `advanceRound` goes as far as they reach.

import { combine } from '../../crypto/index.ts'
import { accuse, agreement } from './accusing.ts'
import { advanceChecks } from './checks.ts'
import { quietFor } from './epoch.ts'
import { isHeader } from './evidence.ts'
import {
  checkShare,
  dealtTicket,
  lapHash,
  leaderOf,
  listLength,
  makeShare,
  passClaim,
  passContext,
  passedOn,
  passerAt,
  sameBytes,
  startList,
  ticketElement,
} from './proofs.ts'
import { driftOf } from './record.ts'
import { saidBy, sayStep, send, sendToAll } from './saying.ts'
import { takeSeat } from './seats.ts'
import { decodeAnswer, encodeWork, type SlotsWork } from './shuffle-work.ts'
import { type Epoch, type MemberState, NEVER, type Round, type SlotsTurn, type Surroundings } from './state.ts'
import { type Complaint, type Header, type Pass, type Seal, type Share, statementHash } from './wire.ts'

/** The round of that number, if it is near: those before are over, those far ahead cannot have begun. */
export function roundFor(epoch: Epoch, number: number): Round | undefined {
  const known = epoch.rounds.get(number)
  if (known !== undefined) return known
  if (number < epoch.next || number >= epoch.next + epoch.record.members.length) return undefined
  const round: Round = {
    number,
    said: new Map(),
    slots: [],
    phase: 'lap',
    passes: [],
    hashes: [],
    working: false,
    spoiled: false,
    sealedAt: NEVER,
    sharedAt: NEVER,
    checked: new Set(),
    sealLate: new Map(),
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

export function advanceRound(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  if (!epoch.live || epoch.secret === undefined || round.spoiled) return
  if (round.slots.length === 0) takeHeader(around, state, round, turn)
  if (round.slots.length === 0) return
  if (round.phase === 'lap') advanceLap(around, state, round, turn)
  if (round.phase === 'sealing') advanceSeals(around, state, round, turn)
  if (round.phase === 'sharing') advanceShares(around, state, round, turn)
  const early = round.phase === 'sharing' && around.rules.votesBeforeOpening()
  if (round.phase === 'open' || early) advanceChecks(around, state, round, turn)
}

function takeHeader(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  const header = saidBy(round, 'header', leaderOf(epoch.record, round.number))
  if (header === undefined) return
  if (!isHeader(epoch.record, header)) {
    round.spoiled = true
    return accuse(around, state, { kind: 'header', record: epoch.record, statement: header }, turn)
  }
  round.slots = header.slots
  round.live = header.slots
  while ((epoch.rounds.get(epoch.next)?.slots.length ?? 0) > 0) {
    epoch.next++
    epoch.wanted = false
  }
  forgetOld(epoch)
}

// Others may still ask for words of a round that is over; two laps of the ring later nobody can.
function forgetOld(epoch: Epoch): void {
  for (const [number, round] of epoch.rounds) {
    if (number < epoch.next - 2 * epoch.record.members.length && round.phase === 'over') epoch.rounds.delete(number)
  }
}

function advanceLap(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  const { members } = epoch.record
  while (round.passes.length < members.length) {
    const pass = nextPass(epoch, round)
    if (pass === undefined) return passOn(around, state, round, turn)
    if (!isWellFormed(around, epoch, round, pass)) return spoil(around, state, round, pass, turn)
    round.passes.push(pass)
    round.hashes.push(statementHash(pass))
  }
  round.phase = 'checking'
  work(state, round, { kind: 'check', record: epoch.record, key: epoch.groupKey, passes: round.passes }, turn)
}

/** The hash that the next pass must name. */
function previousHash(epoch: Epoch, round: Round): Uint8Array {
  return round.hashes.at(-1) ?? statementHash(saidBy(round, 'header', leaderOf(epoch.record, round.number))!)
}

function nextPass(epoch: Epoch, round: Round): Pass | undefined {
  const place = round.passes.length
  const pass = saidBy(round, 'pass', passerAt(epoch.record, round.number, place), place)
  return pass !== undefined && sameBytes(pass.previous, previousHash(epoch, round)) ? pass : undefined
}

// Nobody can shuffle points that are not in the group: this much is checked before the lap goes on.
function isWellFormed({ group }: Surroundings, epoch: Epoch, round: Round, pass: Pass): boolean {
  if (passClaim(group, epoch.record, epoch.groupKey, round.passes.at(-1), pass) === undefined) return false
  return pass.list.every(({ c1, c2 }) => group.decode(c1) !== undefined && group.decode(c2) !== undefined)
}

function spoil(around: Surroundings, state: MemberState, round: Round, pass: Pass, turn: SlotsTurn): void {
  round.spoiled = true
  const author = passerAt(state.epoch.record, round.number, pass.place)
  const before = round.passes[pass.place - 1]
  accuse(around, state, { kind: 'pass', statement: pass, before, ...agreement(state, author) }, turn)
}

/** Our turn: a worker shuffles and proves. */
function passOn(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  const place = round.passes.length
  const mine = passerAt(epoch.record, round.number, place) === epoch.position
  if (!mine || round.working || epoch.closed || saidBy(round, 'pass', epoch.position, place) !== undefined) return
  const before = round.passes.at(-1)
  const count = listLength(epoch.record, place)
  const list = before === undefined ? startList(around.group, epoch.hash, round.number, count) : passedOn(before)
  if (epoch.record.rotating && place === 0) round.wish = wishFor(state, round, count, turn)
  round.working = true
  const context = passContext(epoch.hash, round.number, place)
  const reencrypt = around.rules.reencrypts()
  work(state, round, { kind: 'shuffle', key: epoch.groupKey, list, context, follow: round.wish, reencrypt }, turn)
}

/** Rotating: the leader takes a slot if it wants one, else a dummy; where there is none, any (READINGS OMA 7). */
function wishFor(state: MemberState, round: Round, count: number, turn: SlotsTurn): number {
  const slots = round.slots.length
  if (state.waiting.length > 0 && state.seat === undefined) return turn.below(slots)
  return count > slots ? slots + turn.below(count - slots) : turn.below(count)
}

function work(state: MemberState, round: Round, asked: SlotsWork, turn: SlotsTurn): void {
  const id = ++state.works
  state.working.set(id, { epoch: state.epoch.record.number, round: round.number, kind: asked.kind })
  turn.do({ kind: 'emit', event: { kind: 'work', id, request: encodeWork(asked) } })
}

/** What a worker found. Work of an epoch that is over is thrown away. */
export function worked(around: Surroundings, state: MemberState, id: number, bytes: Uint8Array, turn: SlotsTurn): void {
  const { epoch } = state
  const asked = state.working.get(id)
  state.working.delete(id)
  const round = epoch.rounds.get(asked?.round ?? -1)
  const answer = decodeAnswer(bytes)
  if (asked?.epoch !== epoch.record.number || round === undefined || answer === undefined || !epoch.live) return
  round.working = false
  if (answer.kind === 'shuffled' && asked.kind === 'shuffle') {
    const { list, proof } = answer
    const taken = epoch.record.rotating && round.passes.length === 0 ? answer.followed : undefined
    const words = { place: round.passes.length, previous: previousHash(epoch, round), list, proof, taken }
    sayStep<Pass>(around, state, round, { kind: 'pass', round: round.number, ...words }, turn)
  } else if (answer.kind === 'checked' && asked.kind === 'check' && round.phase === 'checking') {
    const bad = around.rules.refusesBadLap() ? answer.bad[0] : undefined
    if (bad !== undefined) return spoil(around, state, round, round.passes[bad]!, turn)
    round.phase = 'sealing'
  }
  advanceRound(around, state, round, turn)
}

/** Rule 8: every slot of the round is free as far as we know, and no lease of an earlier epoch can be out. */
export function mayDeal(
  around: Surroundings,
  epoch: Epoch,
  slots: readonly number[],
  round: number,
  now: number,
): boolean {
  const { lease } = epoch.record
  if (now < epoch.quietUntil) return false
  return slots.every(slot => {
    const use = epoch.uses[slot]!
    if (use.round < 0 || use.round === round) return true
    return around.rules.mayReuse(use.closed, use.sharedAt, now, lease, driftOf(epoch.record))
  })
}

function advanceSeals(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  if (epoch.closed && !around.rules.sharesWhenClosed()) return
  if (saidBy(round, 'seal', epoch.position) === undefined) {
    if (!mayDeal(around, epoch, round.slots, round.number, turn.now)) return
    sayStep<Seal>(around, state, round, { kind: 'seal', round: round.number, passes: round.hashes }, turn)
    round.sealedAt = turn.now
  }
  const equal = epoch.record.members.filter((_member, author) => isEqualSeal(round, author)).length
  if (around.rules.mayShare(equal, epoch.record.members.length)) giveShares(around, state, round, turn)
}

export function isEqualSeal(round: Round, author: number): boolean {
  const seal = saidBy(round, 'seal', author)
  if (seal === undefined || seal.passes.length !== round.hashes.length) return false
  return seal.passes.every((hash, place) => sameBytes(hash, round.hashes[place]!))
}

function ticketOf(epoch: Epoch, round: Round, owner: number) {
  return dealtTicket(epoch.record, round.number, round.passes[0]!, round.passes.at(-1)!, owner)!
}

/** To each owner once, for the ticket dealt to it and no other point, and never for our own. */
function giveShares(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  round.phase = 'sharing'
  round.sharedAt = turn.now
  for (const slot of round.slots) epoch.uses[slot] = { round: round.number, sharedAt: turn.now, closed: false }
  for (const [owner, { name }] of epoch.record.members.entries()) {
    if (!around.rules.sharesWith(epoch.position, owner)) continue
    const words = shareWords(around, state, round, owner, ticketOf(epoch, round, owner).c1, turn)
    sayStep<Share>(around, state, round, words, turn, owner === epoch.position ? undefined : name)
  }
}

function shareWords(
  around: Surroundings,
  { self, epoch }: MemberState,
  round: Round,
  owner: number,
  point: Uint8Array,
  turn: SlotsTurn,
) {
  const where = { epoch: epoch.hash, round: round.number, author: self, owner }
  const keys = { secret: epoch.secret!, publicKey: epoch.keys[epoch.position]!.publicKey }
  const part = makeShare(around.group, keys, point, where, length => turn.bytes(length))
  return { kind: 'share', round: round.number, owner, lap: lapHash(round.hashes), ...part } as const
}

function advanceShares(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  const ticket = ticketOf(epoch, round, epoch.position)
  const lap = lapHash(round.hashes)
  for (const [author, key] of epoch.keys.entries()) {
    const share = saidBy(round, 'share', author, epoch.position)
    if (share === undefined || author === epoch.position || round.checked.has(author)) continue
    if (!sameBytes(share.lap, lap)) continue
    if (checkShare(around.group, key.publicKey, ticket.c1, share)) round.checked.add(author)
    else accuseShare(around, state, round, author, share, turn)
  }
  if (round.checked.size === epoch.record.members.length - 1) openTicket(around, state, round, turn)
}

function accuseShare(
  around: Surroundings,
  state: MemberState,
  round: Round,
  author: number,
  statement: Share,
  turn: SlotsTurn,
): void {
  const lap = { first: round.passes[0]!, last: round.passes.at(-1)!, passes: round.hashes }
  accuse(around, state, { kind: 'share', statement, ...lap, ...agreement(state, author) }, turn)
}

/** Our own share is computed here and leaves this function only inside the sum. */
function openTicket(around: Surroundings, state: MemberState, round: Round, turn: SlotsTurn): void {
  const { epoch } = state
  const { group } = around
  const ticket = ticketOf(epoch, round, epoch.position)
  const shares = [...round.checked].map(author => saidBy(round, 'share', author, epoch.position)!.value)
  shares.push(group.multiply(ticket.c1, epoch.secret!))
  const content = combine(group, ticket, shares)
  const slot = round.slots.find((_slot, place) =>
    group.equal(content, ticketElement(group, epoch.hash, round.number, place)),
  )
  round.phase = 'open'
  round.pause = around.settings.beat
  round.checkAt = Math.max(round.checkAt, turn.now + round.pause)
  takeSeat(around, state, round, slot, turn)
}

/** An owner says that our share did not come: everybody may see it. The point it names is nobody's wish. */
export function heardComplaint(
  around: Surroundings,
  state: MemberState,
  round: Round,
  complaint: Complaint,
  turn: SlotsTurn,
): void {
  const { epoch } = state
  const owner = epoch.record.members.findIndex(member => member.name === complaint.author)
  const given = saidBy(round, 'share', epoch.position, owner)
  if (complaint.accused !== epoch.position || given === undefined || epoch.secret === undefined) return
  const dealt = ticketOf(epoch, round, owner).c1
  const point = around.rules.pointToShare(dealt, complaint.point)
  const again = around.rules.sharesOnce() && sameBytes(point, dealt)
  if (again || around.group.decode(point) === undefined) {
    return sendToAll(around, state, given, turn)
  }
  sayStep<Share>(around, state, round, shareWords(around, state, round, owner, point, turn), turn)
}

/** Words about passes that do not fit to ours: show what we have, and whoever signed two versions is found out. */
export function compareLaps(
  around: Surroundings,
  state: MemberState,
  round: Round,
  said: Pass | Seal,
  turn: SlotsTurn,
): void {
  if (said.kind === 'pass') {
    const before = round.passes[said.place - 1]
    if (before !== undefined && !sameBytes(round.hashes[said.place - 1]!, said.previous)) {
      send(around, state, said.author, before, turn)
    }
    return
  }
  const place = round.hashes.findIndex(
    (hash, at) => said.passes[at] !== undefined && !sameBytes(hash, said.passes[at]!),
  )
  if (place >= 0) send(around, state, said.author, round.passes[place]!, turn)
}

/** Slots that we may deal now, in the order of the record. */
export function freeSlots(around: Surroundings, epoch: Epoch, now: number): number[] {
  const { record } = epoch
  const busy = new Set<number>()
  for (const round of epoch.rounds.values()) {
    if (round.sharedAt === NEVER) for (const slot of round.slots) busy.add(slot)
  }
  const free = record.slots
    .map((_name, slot) => slot)
    .filter(slot => !busy.has(slot) && mayDeal(around, epoch, [slot], epoch.next, now))
  const all = Math.min(record.slots.length, record.members.length)
  if (record.concurrent) return free.slice(0, all)
  const first = free.filter(slot => slot < all)
  return first.length === all ? first : []
}

// By then everybody's own wait is over. Before the first epoch there was nothing to wait for.
function dealsFrom(around: Surroundings, epoch: Epoch): number {
  return epoch.record.number === 0 ? epoch.liveAt : epoch.liveAt + quietFor(around, epoch.record)
}

/** Whether a round may begin: something is free, its leader leads no live round, and somebody asked if that is needed. */
export function mayOpen(around: Surroundings, state: MemberState, now: number): readonly number[] {
  const { epoch } = state
  if (!epoch.live || epoch.closed || now < dealsFrom(around, epoch)) return []
  if (around.settings.onDemand && !epoch.wanted && state.waiting.length === 0) return []
  const before = epoch.rounds.get(epoch.next - epoch.record.members.length)
  if (before !== undefined && before.phase !== 'over') return []
  return freeSlots(around, epoch, now)
}

export function openRound(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch } = state
  if (leaderOf(epoch.record, epoch.next) !== epoch.position) return
  const slots = mayOpen(around, state, turn.now)
  const round = slots.length === 0 ? undefined : roundFor(epoch, epoch.next)
  if (round === undefined || saidBy(round, 'header', epoch.position) !== undefined) return
  sayStep<Header>(around, state, round, { kind: 'header', round: round.number, slots }, turn)
  advanceRound(around, state, round, turn)
}
