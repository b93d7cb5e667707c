// The list of the laboratory's mutations stays true: each fits the file it names, once, and names an experiment that
// there is; and every experiment has one. `npm run lab:mutate` runs them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { experiments } from '../../lab/index.ts'
import { readLabMutations } from './lab.mjs'
import { applied } from './mutations.mjs'

const root = join(import.meta.dirname, '../..')
const all = readLabMutations()
const names = experiments.map(({ name }) => name)

/** Experiments that nothing has been seen to turn red yet. This list may only become shorter. */
const WITHOUT_MUTATION: readonly string[] = [
  'caie',
  'errata-baselines',
  'errata-bound',
  'errata-oma-coordinator',
  'errata-oma-decoding',
  'errata-oma-release',
  'errata-oma-rounds',
  'errata-queue-fn',
  'filters-figure-3-3',
  'filters-figure-3-4',
  'filters-figure-3-5',
  'filters-figure-4-1',
  'filters-figure-4-2',
  'filters-figure-4-3',
  'filters-figure-4-5',
  'filters-figure-4-6',
  'filters-figure-4-7',
  'filters-figure-4-8',
  'filters-figure-4-9',
  'filters-games',
  'filters-table-3-1',
  'filters-table-3-2',
  'filters-table-3-3',
  'filters-table-3-4',
  'filters-table-3-5',
  'filters-table-3-6',
  'strong-or',
  'third-party',
  'token-cost',
  'trivial-token',
  'utilisation',
]

describe('the laboratory’s mutations', () => {
  it.each(all.map((mutation, place) => [`${mutation.area}, ${mutation.why}`, mutation, place] as const))(
    'fit their file, once, and change it: %s',
    (_what, mutation, place) => {
      const source = readFileSync(join(root, mutation.file), 'utf8')
      expect(applied({ id: `mutation ${place}`, tests: [], ...mutation }, source)).not.toBe(source)
      expect(source.split(mutation.old)).toHaveLength(2)
      expect(mutation.why).not.toBe('')
    },
  )

  it('name experiments that there are', () => {
    expect(all.filter(({ experiment }) => !names.includes(experiment)).map(({ experiment }) => experiment)).toEqual([])
  })

  it('change each thing once only', () => {
    const changes = all.map(({ experiment, file, old, new: next }) => JSON.stringify([experiment, file, old, next]))
    expect(new Set(changes).size).toBe(changes.length)
  })

  it('leave no experiment without one, but those that are listed', () => {
    const mutated = new Set(all.map(({ experiment }) => experiment))
    const without = names.filter(name => !mutated.has(name))
    expect(without.filter(name => !WITHOUT_MUTATION.includes(name))).toEqual([])
    expect(WITHOUT_MUTATION.filter(name => !names.includes(name))).toEqual([])
  })
})
