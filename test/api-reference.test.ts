import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
// @ts-expect-error a script of the documentation, without types
import { apiReference } from '../docs/reference/write-api.mjs'

const written = () => readFile(new URL('../docs/reference/api.md', import.meta.url), 'utf8')

it('the reference of the programming interface is current (npm run docs)', { timeout: 60_000 }, async () => {
  expect(await written()).toBe(apiReference())
})

it('every name says what it is for', async () => {
  const names = (await written()).split('\n### ').slice(1)
  expect(names.length).toBeGreaterThan(40)
  for (const name of names) {
    expect(name).toMatch(/```ts\n\/\*\*/)
  }
})
