import { expect, it } from 'vitest'
import { eventExperiments } from './index.ts'
import { topicShare } from './workloads.ts'

it.each(eventExperiments)('$name: every row lies where it should', async experiment => {
  const { rows } = await experiment.run({ scale: 'small', seed: 1, progress: () => {} })
  expect(rows.filter(row => !row.within)).toEqual([])
  expect(rows.filter(row => row.expected !== null).length).toBeGreaterThan(3)
})

it('the chance of a topic follows from its levels: a longer one matches more filters that end in #, fewer that do not', () => {
  // By hand, for three levels: exact 0.22³ × 0.8 / 3; open after two and three levels.
  expect(topicShare(3)).toBeCloseTo((0.22 ** 3 * 0.8 + (0.22 ** 2 + 0.22 ** 3) * 0.2) / 3, 12)
})
