// What holds between messages: an untouched member passes, and each broken line is noticed.

import { describe, expect, it } from 'vitest'
import { AssertionError, NOTHING_SAVED } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { roundFor } from './rounds.ts'
import type { MemberState, Round } from './state.ts'

const signatures = idealSignatures()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north', 'south'] }
const members = ['a', 'b', 'c'].map(name => ({ name, identity: signatures.signer(name).publicKey }))
const signer = signatures.signer('a')
const machine = slotsMember({ settings, members, group: insecureBareGroup(), signer, signatures })

function checked(change: (state: MemberState, round: Round) => void): () => void {
  const state = machine.init('a', [], NOTHING_SAVED)
  change(state, roundFor(state.epoch, 1)!)
  return () => machine.check!(state)
}

const favoured = { ballot: 3, signatures: [] }

describe('between messages', () => {
  it('a member that has just begun is whole', () => {
    expect(checked(() => {})).not.toThrow()
  })
  it.each<[string, (state: MemberState, round: Round) => void]>([
    ['a live epoch without our key', ({ epoch }) => (epoch.live = true)],
    ['closed without a signed successor', ({ epoch }) => (epoch.closed = true)],
    [
      'signed, and not closed',
      ({ epoch }) => {
        epoch.succession.lock = { record: epoch.record, favoured }
        epoch.succession.valid = epoch.succession.lock
      },
    ],
    [
      'locked on what is not known to be favoured',
      ({ epoch }) => {
        epoch.closed = true
        epoch.succession.lock = { record: epoch.record, favoured }
      },
    ],
    ['a favour in a ballot to come', ({ epoch }) => (epoch.succession.favouredIn = 1)],
    ['silent to itself', ({ epoch }) => epoch.silent.set(epoch.position, 0)],
    ['a seat of an epoch to come', state => (state.seat = { id: 1, epoch: 1, round: 1, slot: 0, deadline: 9 })],
    ['a seat that there is not', state => (state.seat = { id: 1, epoch: 0, round: 1, slot: 2, deadline: 9 })],
    ['too many requests', state => (state.waiting.length = 10_001)],
    ['work for another epoch', state => state.workUnderWay.set(1, { epoch: 7, round: 1, kind: 'check' })],
    ['a round that goes on without its header', (_, round) => (round.phase = 'checking')],
    [
      'a round that left its lap too early',
      (_, round) => {
        round.slots = [0]
        round.phase = 'checking'
      },
    ],
    ['a hash without its pass', (_, round) => round.hashes.push(new Uint8Array())],
    ['more live slots than dealt ones', (_, round) => (round.live = [0])],
    ['shares before seals', (_, round) => (round.sharedAt = 5)],
  ])('%s is noticed', (_, change) => {
    expect(checked(change)).toThrow(AssertionError)
  })
})
