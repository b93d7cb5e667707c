import { expect, it } from 'vitest'
import { fuzzSocket } from '../../../test/fuzz/socket.ts'
import { seededRandom } from '../../core/index.ts'
import { decodeGreeting, encodeGreeting } from './greeting.ts'

const SEED = 7

it('four thousand mutated frames hurt nobody but their sender', async () => {
  const report = await fuzzSocket(4_000, SEED)
  expect(report.frames).toBeGreaterThanOrEqual(4_000)
  expect(report.delivered).toBeGreaterThan(1_000)
  expect(report.endedByNode).toBeGreaterThan(0)
  expect(Object.keys(report.refusalsByReason).length).toBeGreaterThan(1)
})

it('a greeting is decoded or refused, never thrown at', () => {
  const random = seededRandom(SEED)
  const good = encodeGreeting({ kind: 'hello', version: 1, group: 'g7k2', instance: '00000000deadbeef', settings: '' })
  let refused = 0
  for (let i = 0; i < 20_000; i++) {
    const frame = random.chance(0.5) ? random.bytes(random.below(40)) : Uint8Array.from(good)
    if (frame.length > 0) frame[random.below(frame.length)] = random.below(256)
    const decoded = decodeGreeting(frame)
    if (!decoded.ok) refused++
    // One value, one encoding: what is accepted is what we would have written.
    else expect(encodeGreeting(decoded.value)).toEqual(frame)
  }
  expect(refused).toBeGreaterThan(5_000)
})
