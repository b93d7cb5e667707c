// From a checked lap to an open ticket (protocols/slots 4 to 6): seals, shares by position, complaints, and each owner
// opens its own.

import { sameBytes } from '../../core/index.ts'
import { combine } from '../../crypto/index.ts'
import { accuse, agreement } from './accusing.ts'
import { mayDeal, overtakes } from './dealing.ts'
import { checkShare, dealtTicket, lapHash, makeShare, ticketElement } from './proofs.ts'
import { saidBy, sayStep, sendToAll } from './saying.ts'
import { takeSeat } from './seats.ts'
import type { Epoch, Round, SlotsScene } from './state.ts'
import type { Complaint, Seal, Share } from './wire.ts'

export function advanceSeals(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  if (epoch.closed && !scene.rules.sharesWhenClosed()) return
  if (saidBy(round, 'seal', epoch.position) === undefined) {
    if (!mayDeal(scene, round.slots, round.number)) return
    if (overtakes(epoch, round) && !scene.rules.mayOvertake()) return
    sayStep<Seal>(scene, round, { kind: 'seal', round: round.number, passes: round.hashes })
    round.sealedAt = scene.turn.now
  }
  const equal = epoch.record.members.filter((_member, author) => isEqualSeal(round, author)).length
  if (scene.rules.mayShare(equal, epoch.record.members.length)) giveShares(scene, round)
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
function giveShares(scene: SlotsScene, round: Round): void {
  const { turn } = scene
  const { epoch } = scene.state
  round.phase = 'sharing'
  round.sharedAt = turn.now
  for (const slot of round.slots) epoch.uses[slot] = { round: round.number, sharedAt: turn.now, closed: false }
  for (const [owner, { name }] of epoch.record.members.entries()) {
    if (!scene.rules.sharesWith(epoch.position, owner)) continue
    const words = shareWords(scene, round, owner, ticketOf(epoch, round, owner).c1)
    sayStep<Share>(scene, round, words, owner === epoch.position ? undefined : name)
  }
}

function shareWords(scene: SlotsScene, round: Round, owner: number, point: Uint8Array) {
  const { self, epoch } = scene.state
  const where = { epoch: epoch.hash, round: round.number, author: self, owner }
  const keys = { secret: epoch.secret!, publicKey: epoch.keys[epoch.position]!.publicKey }
  const part = makeShare(scene.group, keys, point, where, length => scene.turn.bytes(length))
  return { kind: 'share', round: round.number, owner, lap: lapHash(round.hashes), ...part } as const
}

export function advanceShares(scene: SlotsScene, round: Round): void {
  const { epoch } = scene.state
  const ticket = ticketOf(epoch, round, epoch.position)
  const lap = lapHash(round.hashes)
  for (const [author, key] of epoch.keys.entries()) {
    const share = saidBy(round, 'share', author, epoch.position)
    if (share === undefined || author === epoch.position || round.checked.has(author)) continue
    if (!sameBytes(share.lap, lap)) continue
    if (checkShare(scene.group, key.publicKey, ticket.c1, share)) round.checked.add(author)
    else accuseShare(scene, round, author, share)
  }
  if (round.checked.size === epoch.record.members.length - 1) openTicket(scene, round)
}

function accuseShare(scene: SlotsScene, round: Round, author: number, statement: Share): void {
  const { state } = scene
  const lap = { first: round.passes[0]!, last: round.passes.at(-1)!, passes: round.hashes }
  accuse(scene, { kind: 'share', statement, ...lap, ...agreement(state, author) })
}

/** Our own share is computed here and leaves this function only inside the sum. */
function openTicket(scene: SlotsScene, round: Round): void {
  const { group, turn } = scene
  const { epoch } = scene.state
  const ticket = ticketOf(epoch, round, epoch.position)
  const shares = [...round.checked].map(author => saidBy(round, 'share', author, epoch.position)!.value)
  shares.push(group.multiply(ticket.c1, epoch.secret!))
  const content = combine(group, ticket, shares)
  const slot = round.slots.find((_slot, place) =>
    group.equal(content, ticketElement(group, epoch.hash, round.number, place)),
  )
  round.phase = 'open'
  round.pause = scene.settings.beat
  round.checkAt = Math.max(round.checkAt, turn.now + round.pause)
  takeSeat(scene, round, slot)
}

/** An owner says that our share did not come: everybody may see it. The point it names is nobody's wish. */
export function answerComplaint(scene: SlotsScene, round: Round, complaint: Complaint): void {
  const { epoch } = scene.state
  const owner = epoch.record.members.findIndex(member => member.name === complaint.author)
  const given = saidBy(round, 'share', epoch.position, owner)
  if (complaint.accused !== epoch.position || given === undefined || epoch.secret === undefined) return
  const dealt = ticketOf(epoch, round, owner).c1
  const point = scene.rules.pointToShare(dealt, complaint.point)
  const again = scene.rules.sharesOnce() && sameBytes(point, dealt)
  if (again || scene.group.decode(point) === undefined) {
    return sendToAll(scene, given)
  }
  sayStep<Share>(scene, round, shareWords(scene, round, owner, point))
}
