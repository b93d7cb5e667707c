// The experiments on ordering at small scale, every row as expected.

import { describe, expect, test } from 'vitest'
import { orderingExperiments } from './index.ts'

describe.each(orderingExperiments)('$name', experiment => {
  test('every row is within its tolerance', async () => {
    const { rows, notes } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.filter(row => row.expected !== null).length).toBeGreaterThan(2)
    expect(notes.length).toBeGreaterThan(0)
  })
})
