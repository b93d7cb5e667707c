// BACKOFF §4, lemma 1 holds in synchronous runs only. A client counts Δ from when the last answer it needed came; if
// that one was late, the servers that answered in time have long said FREE to somebody else. §5 ("making mutex safe")
// lets clients disregard late answers. Ours counts the lease from before the request was sent.

import { twoHolders } from './two-holders.ts'

const SEEDS = { small: 200, full: 1_000 }

export const errataLate = twoHolders({
  name: 'errata-backoff-late',
  title: 'When messages may be late the printed lock has two holders; ours has not.',
  source: 'BACKOFF §4, lemma 1; §5, making mutex safe',
  flawed: {
    what: 'printed, late messages',
    variant: 'printed',
    settings: { servers: 6, liars: 1, late: true },
    seeds: SEEDS,
  },
  sound: [
    { what: 'printed, none late', variant: 'printed', settings: { servers: 6, liars: 1 }, seeds: SEEDS },
    {
      what: 'ours, late and lost messages',
      variant: 'product',
      settings: { servers: 6, liars: 1 },
      seeds: { small: 20, full: 300 },
    },
  ],
  told: (hold, delayMax) => 4 * hold + 4 * delayMax,
})
