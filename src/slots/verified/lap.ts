// The lap (protocols/slots 3): each member in its turn shuffles the list and proves it; when it is complete, all check
// all of it. Shuffling and checking is done by a worker (shuffle-work.ts).

import { sameBytes } from '../../core/index.ts'
import { accuse, agreement } from './accusing.ts'
import { leaderOf, listLength, passClaim, passContext, passedOn, passerAt, startList } from './proofs.ts'
import { answer, saidBy, sayStep } from './saying.ts'
import { encodeShuffleWork, type ShuffleAnswer, type ShuffleWork } from './shuffle-work.ts'
import type { Epoch, Round, SlotsScene } from './state.ts'
import { type Pass, type Seal, statementHash } from './wire.ts'

/** Takes the passes that are there, in order; makes ours when it is our turn; has a complete lap checked. */
export function advanceLap(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  const { members } = epoch.record
  while (round.passes.length < members.length) {
    const pass = nextPass(epoch, round)
    if (pass === undefined) return passOn(scene, round)
    if (!isWellFormed(scene, round, pass)) return spoil(scene, round, pass)
    round.passes.push(pass)
    round.hashes.push(statementHash(pass))
  }
  round.phase = 'checking'
  giveToWorker(scene, round, { kind: 'check', record: epoch.record, key: epoch.groupKey, passes: round.passes })
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
function isWellFormed(scene: SlotsScene, round: Round, pass: Pass): boolean {
  const { epoch } = scene.state
  const { group } = scene
  const basis = { record: epoch.record, key: epoch.groupKey, before: round.passes.at(-1) }
  if (passClaim(group, basis, pass) === undefined) return false
  return pass.list.every(({ c1, c2 }) => group.decode(c1) !== undefined && group.decode(c2) !== undefined)
}

/** A pass does not hold: the round ends here, and its author is accused. */
export function spoil(scene: SlotsScene, round: Round, pass: Pass): void {
  const { state } = scene
  round.spoiled = true
  const author = passerAt(state.epoch.record, round.number, pass.place)
  const before = round.passes[pass.place - 1]
  accuse(scene, { kind: 'pass', statement: pass, before, ...agreement(state, author) })
}

/** Our turn: a worker shuffles and proves. */
function passOn(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  const place = round.passes.length
  const mine = passerAt(epoch.record, round.number, place) === epoch.position
  if (!mine || round.shuffling || epoch.closed || saidBy(round, 'pass', epoch.position, place) !== undefined) return
  const before = round.passes.at(-1)
  const count = listLength(epoch.record, place)
  const list = before === undefined ? startList(scene.group, epoch.hash, round.number, count) : passedOn(before)
  if (epoch.record.rotating && place === 0) round.wish = wishFor(scene, round, count)
  round.shuffling = true
  const context = passContext(epoch.hash, round.number, place)
  const reencrypt = scene.rules.reencrypts()
  giveToWorker(scene, round, { kind: 'shuffle', key: epoch.groupKey, list, context, follow: round.wish, reencrypt })
}

/** Rotating: the leader takes a slot if it wants one, else a dummy; where there is none, any (readings OMA 7). */
function wishFor(scene: SlotsScene, round: Round, count: number): number {
  const { state, turn } = scene
  const slots = round.slots.length
  if (state.waiting.length > 0 && state.seat === undefined) return turn.below(slots)
  return count > slots ? slots + turn.below(count - slots) : turn.below(count)
}

function giveToWorker(scene: SlotsScene, round: Round, asked: ShuffleWork): void {
  const { state, turn } = scene
  const id = ++state.workCount
  state.workUnderWay.set(id, { epoch: state.epoch.record.number, round: round.number, kind: asked.kind })
  turn.do({ kind: 'emit', event: { kind: 'work', id, request: encodeShuffleWork(asked) } })
}

/** Our shuffled list goes on. */
export function passShuffled(scene: SlotsScene, round: Round, answer: ShuffleAnswer & { kind: 'shuffled' }): void {
  const { epoch } = scene.state
  const { list, proof, followed } = answer
  const taken = epoch.record.rotating && round.passes.length === 0 ? followed : undefined
  const words = { place: round.passes.length, previous: previousHash(epoch, round), list, proof, taken }
  sayStep<Pass>(scene, round, { kind: 'pass', round: round.number, ...words })
}

/** Words about passes that do not fit to ours: show what we have, and a member that signed two versions is found out. */
export function compareLaps(scene: SlotsScene, round: Round, said: Pass | Seal): void {
  if (said.kind === 'pass') {
    const before = round.passes[said.place - 1]
    if (before !== undefined && !sameBytes(round.hashes[said.place - 1]!, said.previous)) {
      answer(scene, said.author, before)
    }
    return
  }
  const place = round.hashes.findIndex(
    (hash, at) => said.passes[at] !== undefined && !sameBytes(hash, said.passes[at]!),
  )
  if (place >= 0) answer(scene, said.author, round.passes[place]!)
}
