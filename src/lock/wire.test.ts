import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyMessage } from '../../test/support/lock.ts'
import { decode, encode, seededRandom } from '../core/index.ts'
import { RECORD_BYTES_MAX } from '../runtime/storage/storage.ts'
import {
  LIVES_MAX,
  lockVocabulary,
  NAME_BYTES_MAX,
  NODE_BYTES_MAX,
  STOPPED_LEASES_MAX,
  serverRecord,
  TOKEN_MAX,
  TTL_MAX,
} from './wire.ts'

describe('the words on the wire', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(anyMessage, body => {
        expect(decode(lockVocabulary, encode(lockVocabulary, body))).toEqual({ ok: true, value: body })
      }),
      { numRuns: 500 },
    )
  })
  it('keep their numbers for ever: append only', () => {
    const first = (hex: string) => Buffer.from(hex, 'hex')
    const words = [
      ['000161010305', { kind: 'try', name: 'a', attempt: 1, token: 3, ttl: 5 }],
      ['0101610301', { kind: 'release', name: 'a', token: 3, unused: true }],
      ['020161010305', { kind: 'renew', name: 'a', attempt: 1, token: 3, ttl: 5 }],
      ['0309', { kind: 'inspect', query: 9 }],
      ['040161010305', { kind: 'granted', name: 'a', attempt: 1, token: 3, held: 5 }],
      ['050161010301', { kind: 'locked', name: 'a', attempt: 1, remaining: 3, recovering: true }],
      ['0601610103', { kind: 'tooLow', name: 'a', attempt: 1, maximum: 3 }],
      ['070161010305', { kind: 'renewed', name: 'a', attempt: 1, token: 3, held: 5 }],
      ['0801610103', { kind: 'notRenewed', name: 'a', attempt: 1, token: 3 }],
      [
        '09090807060101610162030405010163',
        {
          kind: 'inspected',
          query: 9,
          uptime: 8,
          recovering: 7,
          held: 6,
          leases: [{ name: 'a', holder: 'b', token: 3, age: 4, remaining: 5, waiters: ['c'] }],
        },
      ],
      ['0a016101', { kind: 'full', name: 'a', attempt: 1 }],
      ['0b0161010305070b', { kind: 'wait', name: 'a', attempt: 1, token: 3, ttl: 5, ticket: 7, ping: 11 }],
      ['0c01610d05', { kind: 'yield', name: 'a', grant: 13, token: 5 }],
      ['0d016101030d0b05', { kind: 'given', name: 'a', attempt: 1, token: 3, grant: 13, ping: 11, held: 5 }],
      ['0e0161010b', { kind: 'queued', name: 'a', attempt: 1, ping: 11 }],
      ['0f01610d03', { kind: 'inquire', name: 'a', grant: 13, token: 3 }],
      ['10090161', { kind: 'force', query: 9, name: 'a' }],
      ['1109016203', { kind: 'forced', query: 9, holder: 'b', token: 3 }],
      ['1209', { kind: 'notAllowed', query: 9 }],
      ['130161010503026223', { kind: 'keep', name: 'a', attempt: 1, token: 5, ttl: 3, holder: 'b#' }],
      ['1409', { kind: 'askFloor', query: 9 }],
      ['150903', { kind: 'floor', query: 9, floor: 3 }],
      ['1601610103', { kind: 'tooHigh', name: 'a', attempt: 1, maximum: 3 }],
      ['1709', { kind: 'resetFloor', query: 9 }],
      ['18090305', { kind: 'floorReset', query: 9, floor: 3, was: 5 }],
      ['1909', { kind: 'account', query: 9 }],
      [
        '1a09030501070201016301620178' + '0161',
        {
          kind: 'accounted',
          query: 9,
          highest: 3,
          clock: 5,
          asking: true,
          names: 7,
          namesOfOne: 2,
          complaints: [{ client: 'c', server: 'b', what: 'x', name: 'a' }],
        },
      ],
      ['1b016201780161', { kind: 'complain', server: 'b', what: 'x', name: 'a' }],
    ] as const
    for (const [hex, value] of words) expect(decode(lockVocabulary, first(hex))).toEqual({ ok: true, value })
  })
  it('and so does what is on disk', () => {
    expect(Buffer.from(encode(serverRecord, { kind: 'first' })).toString('hex')).toBe('00')
    expect(Buffer.from(encode(serverRecord, { kind: 'running', reserved: 300, life: 2 })).toString('hex')).toBe(
      '01ac0202',
    )
    const leases = [{ name: 'a', holder: 'b', token: 3, remaining: 5 }]
    expect(Buffer.from(encode(serverRecord, { kind: 'stopped', floor: 9, life: 2, leases })).toString('hex')).toBe(
      '0209020101610162' + '0305',
    )
    expect(Buffer.from(encode(serverRecord, { kind: 'lost', life: 2 })).toString('hex')).toBe('0302')
  })
  it('the largest record of a clean stop fits into the store', () => {
    const lease = {
      name: 'n'.repeat(NAME_BYTES_MAX),
      holder: 'h'.repeat(NODE_BYTES_MAX),
      token: TOKEN_MAX,
      remaining: TTL_MAX,
    }
    const one = encode(serverRecord, { kind: 'stopped', floor: TOKEN_MAX, life: LIVES_MAX, leases: [lease] }).length
    expect(one * STOPPED_LEASES_MAX).toBeLessThan(RECORD_BYTES_MAX)
  })
  it.each([
    ['a name that is too long', { kind: 'full', name: 'x'.repeat(201), attempt: 1 }],
    ['a lease of more than a day', { kind: 'try', name: 'a', attempt: 1, token: 1, ttl: 86_400_001 }],
    ['a token above the limit', { kind: 'granted', name: 'a', attempt: 1, token: TOKEN_MAX + 1, held: 1 }],
  ] as const)('%s cannot be said', (_what, body) => expect(() => encode(lockVocabulary, body)).toThrow(RangeError))
  it('random bytes are refused or mean what they say', () => {
    const random = seededRandom(5)
    for (let i = 0; i < 20_000; i++) {
      const frame = random.bytes(random.below(40))
      if (frame.length > 0) frame[0] = random.below(30)
      const decoded = decode(lockVocabulary, frame)
      if (decoded.ok) expect(encode(lockVocabulary, decoded.value)).toEqual(frame)
    }
  })
})
