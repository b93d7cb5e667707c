// The list of mutations fits the code: each has its one place and its tests, and says why it is a bug. Whether the tests
// notice is `npm run mutate`.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applied, readMutations } from './mutations.mjs'

const root = join(import.meta.dirname, '../..')
const mutations = readMutations()

describe('mutations', () => {
  it('have names of their own', () => {
    const ids = mutations.map(({ id }) => id)
    expect(ids.filter((id, place) => ids.indexOf(id) !== place)).toEqual([])
    expect(ids.length).toBeGreaterThan(0)
  })
  it.each(mutations)('$id fits the code, and names tests that are there', mutation => {
    const text = readFileSync(join(root, mutation.file), 'utf8')
    expect(applied(mutation, text)).not.toBe(text)
    expect(mutation.why).toMatch(/^.{10,}$/)
    expect(mutation.tests.filter(test => !existsSync(join(root, test)))).toEqual([])
    expect(mutation.tests.length).toBeGreaterThan(0)
  })
})
