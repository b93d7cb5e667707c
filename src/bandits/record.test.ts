// What an arm saves is read back, and is not what it saved before a part of the keys came.

import { expect, it } from 'vitest'
import { decode, encode } from '../core/index.ts'
import { type ArmRecord, armRecord } from './wire.ts'

const bytes = (value: number, length = 32) => new Uint8Array(length).fill(value)

it('after every change of keys, pulls and rounds', () => {
  const shares = [bytes(0, 0), bytes(0, 0), bytes(0, 0)]
  let record: ArmRecord = {
    secret: bytes(1),
    runKey: bytes(0, 0),
    shares,
    pulls: 0,
    sum: 0,
    target: 1,
    isIn: true,
    turns: 0,
    attempt: 0,
    slot: 0,
    claim: bytes(0, 0),
    stopped: '',
    lost: 0,
  }
  const check = () => expect(decode(armRecord, encode(armRecord, record))).toEqual({ ok: true, value: record })
  check()
  record = { ...record, runKey: bytes(2) }
  check()
  for (const place of [1, 2]) {
    // The list stays the same, and a part of it comes.
    shares[place] = bytes(place + 2, 200)
    check()
    record = { ...record, pulls: place, sum: 5 * place, turns: place }
    check()
  }
  record = { ...record, secret: bytes(9), stopped: 'an arm gives no rewards' }
  check()
})
