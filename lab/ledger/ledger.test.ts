// THESIS chapter 5: the experiments at small scale, every row within its tolerance.

import { describe, expect, it } from 'vitest'
import { ledgerExperiments } from './index.ts'

describe.each(ledgerExperiments)('$name', experiment => {
  it('every row is within its tolerance', async () => {
    const { rows, notes } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
    expect(rows.filter(row => !row.within)).toEqual([])
    expect(rows.some(row => row.expected !== null)).toBe(true)
    expect(notes.length).toBeGreaterThan(0)
  })
})
