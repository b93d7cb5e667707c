// What accusations cost: evidence is checked as long as its bringer has brought none that proves nothing, and only where it is of an
// epoch that we know. A check takes half a second where 64 members are concerned; here its signatures are counted.

import { describe, expect, it } from 'vitest'
import { NOTHING_SAVED, seededRandom } from '../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { slotsDefaults } from '../settings.ts'
import { encodeEvidence } from './evidence.ts'
import { slotsMember } from './machine.ts'
import { type EpochRecord, firstRecord, recordHash } from './record.ts'
import { type SlotsMessage, signedBytes } from './wire.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const signatures = idealSignatures()
const group = insecureBareGroup()
const settings = { ...slotsDefaults, name: 'desks', slots: ['north'], liars: 1 }
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
const first = firstRecord(settings, members, group.name)

type Words = Record<string, unknown> & { kind: string }

function by(author: string, words: Words, record = first): SlotsMessage {
  const unsigned = { round: 0, ...words, author, epoch: recordHash(record), signature: new Uint8Array() }
  const said = unsigned as unknown as SlotsMessage
  return { ...said, signature: signatures.signer(author).sign(signedBytes(said)) }
}

/** A header of the leader's that may be, with a number of its own, as proof of a cheat. */
function harmless(round: number, record: EpochRecord = first): Uint8Array {
  const statement = by(names[round % names.length]!, { kind: 'header', round, slots: [0] }, record)
  return encodeEvidence({ kind: 'header', record, statement })
}
/** Two headers of one round. */
function proof(author: string, round: number): Uint8Array {
  const [statement, other] = [[0], []].map(slots => by(author, { kind: 'header', round, slots }))
  return encodeEvidence({ kind: 'versions', record: first, statement: statement!, other: other! })
}

/** Member c. How many signatures it checks for what it hears. */
function member() {
  let checked = 0
  const counting = {
    ...signatures,
    verify(...[key, bytes, signature]: Parameters<typeof signatures.verify>) {
      checked++
      return signatures.verify(key, bytes, signature)
    },
  }
  const machine = slotsMember({ settings, members, group, signer: signatures.signer('c'), signatures: counting })
  const state = machine.init('c', names, NOTHING_SAVED)
  const random = seededRandom(1)
  const caught: string[] = []
  const step = (input: Parameters<typeof machine.step>[1]) => {
    machine.step(state, input, {
      now: settings.settle,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      do(effect) {
        if (effect.kind === 'emit' && effect.event.kind === 'cheat') caught.push(effect.event.member)
      },
    })
    machine.check!(state)
  }
  step({ kind: 'start' })
  const accuses = (author: string, evidence: Uint8Array) => {
    checked = 0
    const body = by(author, { kind: 'accuse', evidence })
    step({ kind: 'message', from: author, body })
    return checked
  }
  return { state, caught, accuses }
}

describe('accusations', () => {
  it('of one that brought evidence which proves nothing are not looked at any more; those of others are', () => {
    const { state, caught, accuses } = member()
    expect(accuses('e', harmless(1))).toBe(2)
    for (let round = 2; round < 100; round++) expect(accuses('e', harmless(round))).toBe(1)
    expect(accuses('e', proof('d', 1))).toBe(1)
    expect([...state.epoch.falseAccusers]).toEqual(['e'])
    expect(accuses('a', proof('d', 1))).toBe(3)
    expect(caught).toEqual(['d'])
  })
  it('that nobody can read are of that kind', () => {
    const { state, accuses } = member()
    expect(accuses('e', new Uint8Array(50))).toBe(1)
    expect([...state.epoch.falseAccusers]).toEqual(['e'])
  })
  it('of one that is known, or in an epoch that is not, are not checked, and nobody is blamed for them', () => {
    const { state, caught, accuses } = member()
    expect(accuses('a', proof('d', 1))).toBe(3)
    expect(accuses('b', proof('d', 2))).toBe(1)
    const madeUp = { ...first, number: 7 }
    for (let round = 1; round < 10; round++) expect(accuses('e', harmless(round, madeUp))).toBe(1)
    expect([caught, state.epoch.falseAccusers.size]).toEqual([['d'], 0])
  })
})
