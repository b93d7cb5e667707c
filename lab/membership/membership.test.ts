// Membership's experiments at small scale, every row within its tolerance.

import { expect, test } from 'vitest'
import { membershipExperiments } from './index.ts'

test.each(membershipExperiments)('$name: every row is within its tolerance', async experiment => {
  const { rows, notes } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
  expect(rows.filter(row => !row.within)).toEqual([])
  expect(rows.length).toBeGreaterThan(5)
  expect(notes.length).toBeGreaterThan(0)
})
