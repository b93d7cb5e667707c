// The electorate (protocols/election): one successor for a number, one member at a time, terms above all that were
// granted.

import { describe, expect, it } from 'vitest'
import { idealSignatures } from '../../crypto/index.ts'
import { electionRules } from '../rules.ts'
import { type Electorate, TERMS_PER_LIST } from '../wire.ts'
import { approvalBytes, approves, firstElectorate, floorOf, successionFault, successorOf } from './electorate.ts'

const signatures = idealSignatures()
const voter = (id: string) => ({ id, key: signatures.signer(id).publicKey, sealKey: signatures.signer(id).publicKey })
const first = firstElectorate(['c', 'a', 'b'].map(voter))

describe('quorums', () => {
  it('two of one list, and one of a list and one of the next, share an honest member', () => {
    for (let liars = 0; liars <= 5; liars++) {
      for (let members = 3 * liars + 1; members <= 40; members++) {
        const q = electionRules.quorum(members, liars, members)
        const next = electionRules.quorum(members + 1, liars, members + 1)
        expect(2 * q - members).toBeGreaterThan(liars)
        expect(q + next - (members + 1)).toBeGreaterThan(liars)
        expect(q).toBeLessThanOrEqual(members - liars)
      }
    }
  })
})

describe('a successor', () => {
  const added = successorOf(first, { add: voter('d') })

  it('has one member more or less, in order, admitted by its own number', () => {
    expect(successionFault(first, added)).toBeUndefined()
    expect(added.members.map(({ id, admitted }) => [id, admitted])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 2],
    ])
    expect(successionFault(first, successorOf(first, { remove: 'a' }))).toBeUndefined()
    expect(successionFault(first, successorOf(first, { failures: [{ member: 'b', count: 2 }] }))).toBeUndefined()
  })

  const change = (part: Partial<Electorate>): Electorate => ({ ...added, ...part })
  const refusals: [string, Electorate, string][] = [
    ['another number', change({ number: 3 }), 'the number does not follow'],
    ['of another list', change({ previous: new Uint8Array(32) }), 'it follows another list'],
    ['nobody', change({ members: [] }), 'it is empty'],
    ['out of order', change({ members: [...added.members].reverse() }), 'not in order'],
    ['one in and one out', change({ members: added.members.slice(1) }), 'more than one member comes or goes'],
    [
      'a newcomer that claims seniority',
      change({ members: added.members.map(one => ({ ...one, admitted: 1 })) }),
      'a newcomer with a past',
    ],
    [
      'an old member with another key',
      change({ members: added.members.map(one => (one.id === 'a' ? { ...one, key: new Uint8Array(32) } : one)) }),
      'a member is changed',
    ],
    [
      'a member that claims an earlier admission',
      change({ members: added.members.map(one => (one.id === 'b' ? { ...one, admitted: 0 } : one)) }),
      'a member is changed',
    ],
  ]
  it.each(refusals)('is refused: %s', (_what, next, why) => expect(successionFault(first, next)).toBe(why))

  it('failures never go back', () => {
    const failed = successorOf(first, { failures: [{ member: 'b', count: 2 }] })
    const members = failed.members.map(one => ({ ...one, failures: 0 }))
    expect(successionFault(failed, { ...successorOf(failed, {}), members })).toBe('a member is changed')
  })
})

describe('an approval', () => {
  const next = successorOf(first, { remove: 'c' })
  const sign = (signer: string, term: number) => {
    return { signer, term, signature: signatures.signer(signer).sign(approvalBytes(next, term)) }
  }
  it('is a signature of a member of the old list, over the new list and the highest term', () => {
    expect(approves(first, 0, next, sign('a', 7), signatures)).toBe(true)
    expect(approves(first, 0, next, { ...sign('a', 7), term: 3 }, signatures)).toBe(false)
    expect(approves(first, 0, next, { ...sign('a', 7), signer: 'b' }, signatures)).toBe(false)
    expect(approves(first, 0, next, sign('stranger', 7), signatures)).toBe(false)
    expect(approves(first, 0, successorOf(first, { remove: 'b' }), sign('a', 7), signatures)).toBe(false)
  })
  it('with a term out of reach is a lie that would end all terms', () => {
    expect(approves(first, 5, next, sign('a', 5 + TERMS_PER_LIST), signatures)).toBe(true)
    expect(approves(first, 5, next, sign('a', 6 + TERMS_PER_LIST), signatures)).toBe(false)
  })
  it('terms under the new list are above all of them', () => {
    expect(floorOf([sign('a', 7), sign('b', 9), sign('c', 2)])).toBe(9)
    expect(floorOf([])).toBe(0)
  })
})
