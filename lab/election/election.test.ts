// SRCEA and the LECTURE's elections: the experiments at small scale, every row within its tolerance.

import { describe, expect, test } from 'vitest'
import type { Experiment, Result } from '../experiment.ts'
import { aesBlock, srceaAttacks } from './attacks.ts'
import { contenders } from './cost.ts'
import { electionExperiments } from './index.ts'
import { attributesOf, electionCost, srceaCost } from './measure.ts'
import { SignedReceiver, sealSigned, signedGroup } from './signed.ts'
import { lines } from './table.ts'

const run = async (experiment: Experiment, seed = 1): Promise<Result> =>
  experiment.run({ scale: 'small', seed, progress: () => {} })

describe.each(electionExperiments)('$name', experiment => {
  test('every row is within its tolerance', async () => {
    const { rows, notes } = await run(experiment)
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.length).toBeGreaterThan(7)
    expect(notes.length).toBeGreaterThan(0)
  })
})

describe('SRCEA §4.2.1, figure 3', () => {
  test('every n from 4 to 24: 2(n-1), 4n-5, 5n-7', () => {
    for (let size = 4; size <= 24; size++) {
      expect([1, 2, 3].map(candidates => srceaCost(size, candidates as 1 | 2 | 3).messages)).toEqual([
        2 * (size - 1),
        4 * size - 5,
        5 * size - 7,
      ])
    }
  })

  test('attributes make as many candidates as asked for', () => {
    const of = attributesOf(2)
    expect([of('member-1'), of('member-2')]).toEqual([
      { distance: 0, joined: 1, failures: 1 },
      { distance: 2, joined: 0, failures: 0 },
    ])
  })
})

describe('LECTURE, "Election algorithms"', () => {
  test.each(lines)('$name, every n from 4 to 24: as the formula, and all agree', ({ algorithm, notices, messages }) => {
    for (let size = 4; size <= 24; size++) {
      const cost = electionCost(algorithm, { size, down: 1, notices })
      expect(cost.leader).toBeDefined()
      if (messages !== undefined) expect(cost.messages, `n = ${size}`).toBe(messages(size))
    }
  })
})

describe('SRCEA §4.2.2, table 1', () => {
  test('the printed columns add up to the printed totals', () => {
    const totals = contenders.map(({ paper }) => paper?.reduce((sum, one) => sum + one, 0).toFixed(2))
    // SRCEA-1: 46.09; SPLEA-1: 922.8; SPLEA-2: 570.27; SRCEA-2: 42.8; SRCEA-3: 46.26.
    expect(totals).toEqual(['922.80', '570.27', '46.09', '42.80', '46.26', undefined])
  })

  test.each(contenders)('$name: opens what it sealed', ({ prepare }) => {
    const message = Buffer.from('a vote of some twenty bytes')
    const steps = prepare(message)
    expect(steps.decrypt()).toEqual(message)
    expect(steps.check()).toBe(true)
  })
})

describe('SRCEA, attacks', () => {
  test('FIPS 197, appendix C.1: the block is AES', () => {
    const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
    const plain = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
    const sealed = aesBlock.encrypt(key, plain)
    expect(Buffer.from(sealed).toString('hex')).toBe('69c4e0d86a7b0430d8cdb78070b4c55a')
    expect(Buffer.from(aesBlock.decrypt(key, sealed))).toEqual(plain)
  })

  test('a signed message opens once, for its term, unchanged', () => {
    const group = signedGroup(3)
    const body = Buffer.from('a ballot')
    const message = sealSigned(group, group.members[1]!, body, 4, 1_000)
    const receiver = new SignedReceiver(group)
    expect(receiver.open(message, 5, 0)).toBeUndefined()
    expect(receiver.open({ ...message, author: 2 }, 4, 0)).toBeUndefined()
    expect(receiver.open({ ...message, sealed: Buffer.alloc(8) }, 4, 0)).toBeUndefined()
    expect(receiver.open(message, 4, 1_001)).toBeUndefined()
    expect(receiver.open(message, 4, 0)).toEqual(body)
    expect(receiver.open(message, 4, 0)).toBeUndefined()
  })

  test('another seed, still within', async () => {
    expect((await run(srceaAttacks, 2)).rows.filter(row => !row.within)).toEqual([])
  })
})
