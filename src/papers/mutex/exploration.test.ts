// Every schedule of a small group (LECTURE, "Mutual exclusion"): each order of messages, each loss, a repeated message,
// a crash with a restart. And the same with members that take part again after they forgot: the explorer finds why not.

import { describe, expect, test } from 'vitest'
import { exploreMutex, exploreMutexBug, mutexSystems, plantedMutexSystems } from './exploration.ts'

describe('every schedule of a small group', () => {
  test.each(Object.entries(mutexSystems))('%s', name => {
    const result = exploreMutex(name)
    expect(result.broken).toBeUndefined()
    expect(result.complete).toBe(true)
    expect(Object.values(result.sometimes)).toEqual([true, true, true])
  })

  test.each(Object.keys(plantedMutexSystems).filter(name => name.endsWith('-forgets')))(
    'finds two inside if a restarted member takes part: %s',
    name => {
      const result = exploreMutexBug(name)
      expect(result.broken?.property).toBe('never two inside')
      expect(result.broken?.story.some(line => line.includes('crashes'))).toBe(true)
      // The mark of an earlier life is what prevents it.
      expect(exploreMutexBug(name, false)).toMatchObject({ complete: true, broken: undefined })
    },
  )

  test('finds two inside if one coordinator of three, m = 2, resets: 2m - N = 1', () => {
    expect(exploreMutexBug('decentralised-one-reset').broken?.property).toBe('never two inside')
  })
})
