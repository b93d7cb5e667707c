// The lock's experiments at small scale, every row as expected.

import { describe, expect, test } from 'vitest'
import { lockLabExperiments } from './index.ts'
import { stall } from './stalled-loop.ts'

describe.each(lockLabExperiments)('$name', experiment => {
  test('every row is within its tolerance', async () => {
    const { rows, notes } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows).toHaveLength(6)
    expect(notes.length).toBeGreaterThan(0)
  })
})

test('a worker that does not renew turns its first row red, and tells no lies', async () => {
  const { rows } = await stall([1_000], 0, () => {})
  const [held, , lies] = rows
  expect(held).toMatchObject({ what: 'worker: held after the block', measured: 0, within: false })
  expect(lies).toMatchObject({ measured: 0, within: true })
})
