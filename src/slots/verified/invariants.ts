// What holds between messages, whatever came: a broken line is a bug of ours and stops the node.

import { assert } from '../../core/index.ts'
import { takesPart } from './epoch.ts'
import { CHAIN_MAX } from './links.ts'
import { positionOf } from './record.ts'
import { OUTBOX_MAX } from './saying.ts'
import { WAITING_MAX } from './seats.ts'
import { type Epoch, type MemberState, NEVER, type Round } from './state.ts'

/** What holds at every level: epochs, succession, requests. */
export function checkMember(state: MemberState): void {
  const { self, chain, epoch, waiting, seat, outboxTo, workUnderWay } = state
  const { record } = epoch
  assert(chain.length <= CHAIN_MAX, 'the chain of epochs is longer than is kept')
  assert(chain.length === 0 || chain.at(-1)!.record.number === record.number, 'the chain does not end in our epoch')
  assert(epoch.position === positionOf(record, self), 'our position is not that of the record')
  assert(epoch.secret === undefined || takesPart(epoch), 'a key of an epoch that we have no part in')
  assert(!epoch.live || epoch.secret !== undefined, 'an epoch is live without our key')
  assert(!epoch.live || epoch.keys.length === record.members.length, 'an epoch is live without all keys')
  assert(!epoch.silent.has(epoch.position), 'a member calls itself silent')
  assert(waiting.length <= WAITING_MAX, 'more requests wait than may')
  for (const words of outboxTo.values()) assert(words <= OUTBOX_MAX, 'more words wait for one member than may')
  assert(seat === undefined || seat.epoch <= record.number, 'a seat of an epoch to come')
  assert(seat === undefined || seat.slot < record.slots.length, 'a seat in a slot that there is not')
  for (const work of workUnderWay.values()) assert(work.epoch === record.number, 'work for an epoch that is over')
  checkSuccession(epoch)
}

function checkSuccession({ closed, succession }: Epoch): void {
  const { lock, valid, favouredIn, ballot } = succession
  assert(closed === (lock !== undefined), 'an epoch is closed exactly when we signed a successor')
  assert(favouredIn <= ballot, 'we favoured something in a ballot that we are not in yet')
  const latest = valid?.favoured.ballot ?? NEVER
  assert(lock === undefined || latest >= lock.favoured.ballot, 'we are locked on what we do not know to be favoured')
}

/** What holds of each round at level `verified`. */
export function checkRounds({ epoch }: MemberState): void {
  const members = epoch.record.members.length
  for (const round of epoch.rounds.values()) {
    const { slots, passes, hashes, live, checked } = round
    assert(slots.length > 0 || (round.phase === 'lap' && passes.length === 0), 'a round goes on without a header')
    assert(passes.length === hashes.length && passes.length <= members, 'each pass has its hash')
    assert(round.phase === 'lap' || passes.length === members, 'a round left the lap before all had passed')
    assert(live.length <= slots.length, 'more slots are live than were dealt')
    assert(checked.size < members, 'more shares than other members')
    checkTimes(round)
  }
}

function checkTimes({ phase, sealedAt, sharedAt }: Round): void {
  const given = phase === 'sharing' || phase === 'open' || phase === 'over'
  assert(given === (sharedAt !== NEVER), 'shares were given exactly in rounds that are past their seals')
  assert(sharedAt === NEVER || (sealedAt !== NEVER && sealedAt <= sharedAt), 'we gave shares before we sealed')
}
