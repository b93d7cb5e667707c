// The list of the laboratory's mutations stays true: each fits the file it names, once, and names an experiment that
// there is; and every experiment has one. `npm run lab:mutate` runs them.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { experiments } from '../../lab/index.ts'
import { readLabMutations, runBundle, runnable, verdictOf, withoutMutation } from './lab.mjs'
import { applied } from './mutations.mjs'

const root = join(import.meta.dirname, '../..')
const all = readLabMutations()
const names = experiments.map(({ name }) => name)

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

  it('leave no experiment without one', () => {
    expect(withoutMutation(names, all)).toEqual([])
  })
})

describe('npm run lab:mutate', () => {
  const red = { told: '{"judged":3,"outside":["t = 8"]}\n', wrong: '', code: 0, late: false }

  it('names an experiment that no mutation turns red', () => {
    expect(withoutMutation(['torus', 'nobody-broke-this'], [{ experiment: 'torus' }])).toEqual(['nobody-broke-this'])
  })
  it('leaves out what needs a program that is not there, and says so', () => {
    const one = { experiment: 'one-liar', why: 'a lie counts', needs: 'redis-server' }
    const other = { experiment: 'torus', why: 'a side is open' }
    expect(runnable([one, other], () => true)).toEqual({ run: [one, other], leftOut: [] })
    expect(runnable([one, other], () => false)).toEqual({
      run: [other],
      leftOut: ['left out one-liar: a lie counts (redis-server is not installed)'],
    })
  })
  it('takes the rows outside for noticed, and no rows for not noticed', () => {
    expect(verdictOf(red, {}).outside).toEqual(['t = 8'])
    expect(verdictOf({ ...red, told: 'words before\n{"judged":3,"outside":[]}\n' }, {}).outside).toEqual([])
  })
  it('takes code that stops for noticed only where the list says that it must', () => {
    const stopped = { told: '', wrong: 'at …\nError: a slot has one holder\n', code: 1, late: false }
    expect(verdictOf(stopped, { stops: true }).outside).toHaveLength(1)
    expect(verdictOf(stopped, {})).toEqual({ outside: [], failed: 'Error: a slot has one holder' })
  })
  it('takes code that does not end for noticed, and ends it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coterie-mutant-'))
    const file = join(folder, 'endless.mjs')
    writeFileSync(file, 'for (;;);')
    const ended = await runBundle(file, [], 300)
    rmSync(folder, { recursive: true })
    expect(ended.late).toBe(true)
    expect(verdictOf(ended, {}).outside).toEqual(['it did not end in time'])
  })
})
