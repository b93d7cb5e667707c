// Every filter in a browser tab: it keeps its promises there, and answers as in Node for the same key and stream.

import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasBrowser, withPage } from '../support/browser.ts'
import { FILTER_CASES } from '../support/filter-cases.ts'
import { runFilters, type runFreshKeys } from './filters-entry.ts'

const ENTRY = fileURLToPath(new URL('./filters-entry.ts', import.meta.url))

describe.skipIf(!hasBrowser)('filters in Chromium', () => {
  it('keep their promises, and answer as in Node', async () => {
    const here = runFilters()
    const [there, keysDiffer] = await withPage(ENTRY, page =>
      page.evaluate(() => {
        const { module } = globalThis as unknown as {
          module: { runFilters: typeof runFilters; runFreshKeys: typeof runFreshKeys }
        }
        return [module.runFilters(), module.runFreshKeys()] as const
      }),
    )
    expect(there).toHaveLength(FILTER_CASES.length)
    expect(there.flatMap(({ name, broken }) => broken.map(what => `${name}: ${what}`))).toEqual([])
    for (const [place, outcome] of there.entries()) {
      expect(outcome.answers).toMatch(/u.*d/)
      expect(outcome).toEqual(here[place])
    }
    expect(keysDiffer).toBe(true)
  })
})
