// Every example of README.md and docs/guide compiles; one that is not run says why. As types are, it is part of `npm run check`.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileErrors, documentedExamples } from './support/examples.ts'

const root = join(import.meta.dirname, '..')
const all = documentedExamples(root)

describe('the examples of the documentation', () => {
  it('are found', () => expect(all.length).toBeGreaterThan(20))
  it('compile', () => {
    const programs = all.filter(example => !example.ignored)
    expect(compileErrors(root, programs)).toEqual([])
  })
  it('that are not run say why', () => {
    const silent = all.filter(({ ignored, before }) => ignored && !/\bnot run\b/.test(before))
    expect(silent.map(({ where }) => `${where}: the sentence before it should say why it is not run`)).toEqual([])
  })
})
