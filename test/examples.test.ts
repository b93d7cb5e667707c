// Examples in README.md and docs/guide run. Those of the guide are run by test/e2e/first-hour against the package as it was
// built, a step of CI; here only in the long run. That all compile is looked at by compiled-examples.test.ts.

import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  compileErrors,
  documentedExamples,
  type Example,
  examplesOf,
  promised,
  runExample,
} from './support/examples.ts'
import { isLong } from './support/long.ts'

const root = join(import.meta.dirname, '..')
const programs = documentedExamples(root).filter(example => !example.ignored)

describe('the examples of the documentation', () => {
  for (const example of programs.filter(({ where }) => isLong || !where.startsWith('docs/guide'))) {
    it(`${example.where} runs, and prints what it says`, async () => {
      const output = await runExample(root, example)
      for (const said of promised(example.code)) expect(output).toMatch(said)
    })
  }
})

describe('the finder of examples', () => {
  const page = [
    'A sentence.',
    '```ts',
    "import { trust } from 'coterie/core'",
    'console.log(trust({ liars: 1 }).servers)',
    '```',
    'This one is not run: it needs a group.',
    '```ts ignore',
    'nonsense(',
    '```',
    '```sh',
    'ls',
    '```',
    '```ts',
    "import { trust } from 'coterie/core'",
    "trust({ liars: 'one' })",
    '```',
  ].join('\n')
  const found = examplesOf('page.md', page)
  const [right, ignored, wrong] = found as [Example, Example, Example]

  it('finds the programs of a page and nothing else', () => {
    expect(found.map(({ where, ignored: only }) => [where, only])).toEqual([
      ['page.md:2', false],
      ['page.md:7', true],
      ['page.md:13', false],
    ])
    expect(ignored.before).toBe('This one is not run: it needs a group.')
    expect(() => examplesOf('page.md', '```ts\nopen')).toThrow('page.md:1 is never closed')
  })
  it('accepts what is right and refuses what is wrong', async () => {
    expect(compileErrors(root, [right, wrong])).toEqual([
      "page.md:13: Type 'string' is not assignable to type 'number'.",
    ])
    expect(await runExample(root, right)).toBe('7\n')
    await expect(runExample(root, { ...right, code: 'throw new Error("no")' })).rejects.toThrow('no')
  })
})
