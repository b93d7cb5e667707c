// THESIS chapters 6 and 7: the experiments at small scale, every row within its tolerance.

import { describe, expect, it } from 'vitest'
import { banditExperiments } from './index.ts'

describe.each(banditExperiments)('$name', experiment => {
  it('every row is within its tolerance', async () => {
    const { rows, notes } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.some(row => row.expected !== null)).toBe(true)
    expect(notes.length).toBeGreaterThan(0)
  })
})
