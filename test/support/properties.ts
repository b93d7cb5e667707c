// How property tests draw: from one pinned seed, so that a run replays. vitest.config.ts imports this before every file that
// uses fast-check. A property that fails prints the seed and the path to its counterexample.
//
// COTERIE_FUZZ_SEED=17 npm test draws others; test/fuzz/long does so with a fresh seed each time.

import fc from 'fast-check'

/** Any number: what matters is that it stays. */
const SEED_DEFAULT = 1_729

function seedFrom(text: string | undefined): number {
  if (text === undefined || text === '') return SEED_DEFAULT
  const seed = Number(text)
  if (!Number.isSafeInteger(seed)) throw new RangeError(`COTERIE_FUZZ_SEED is no whole number: ${text}`)
  return seed
}

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: seedFrom(process.env.COTERIE_FUZZ_SEED),
  // Left alone, a list of "at most 120" has at most ten: what goes wrong in the eleventh step would never be drawn.
  defaultSizeToMaxWhenMaxSpecified: true,
})
