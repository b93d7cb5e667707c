// One seed, one run: in Node and in a browser tab.

import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasBrowser, withPage } from '../support/browser.ts'
import { hashes } from './simulator-entry.ts'

const ENTRY = fileURLToPath(new URL('./simulator-entry.ts', import.meta.url))
const SEEDS = Array.from({ length: 20 }, (_, place) => place + 1)

describe.skipIf(!hasBrowser)('the simulator in Chromium', () => {
  it('gives the same trace hashes as in Node', async () => {
    const here = hashes(7, 1, SEEDS)
    expect(new Set(here).size).toBe(SEEDS.length)
    const there = await withPage(ENTRY, page =>
      page.evaluate(seeds => {
        const { module } = globalThis as unknown as { module: { hashes: typeof hashes } }
        return module.hashes(7, 1, seeds)
      }, SEEDS),
    )
    expect(there).toEqual(here)
  })
})
