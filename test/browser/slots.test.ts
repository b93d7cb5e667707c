// A browser tab plays whole rounds of slots, with WebAssembly and in pure TypeScript (issue: slots, speed). How long they
// take, `npm run bench -- slots --browser` measures.

import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasBrowser, withPage } from '../support/browser.ts'
import type { Game, play } from './slots-entry.ts'

const ENTRY = fileURLToPath(new URL('./slots-entry.ts', import.meta.url))

describe.skipIf(!hasBrowser)('slots in Chromium', () => {
  for (const arithmetic of ['WebAssembly', 'TypeScript'] as const) {
    it(`five members share three slots, arithmetic in ${arithmetic}`, async () => {
      const game: Game = { arithmetic, members: 5, slots: 3, rounds: 1 }
      const played = await withPage(ENTRY, page =>
        page.evaluate(given => {
          const { module } = globalThis as unknown as { module: { play: typeof play } }
          return module.play(given)
        }, game),
      )
      expect([...played.slots].sort()).toEqual(['slot-1', 'slot-2', 'slot-3'])
      expect(played.cheats).toBe(0)
    })
  }
})
