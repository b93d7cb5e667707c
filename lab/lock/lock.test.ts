// The lock's experiments at small scale, every row as expected.

import { describe, expect, test } from 'vitest'
import { lockLabExperiments } from './index.ts'

describe.each(lockLabExperiments)('$name', experiment => {
  test('every row is within its tolerance', async () => {
    const { rows, notes } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows).toHaveLength(6)
    expect(notes.length).toBeGreaterThan(0)
  })
})
