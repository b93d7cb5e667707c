// BACKOFF §4 needs n > 5b servers. One fewer, and two quorums of n - f share only 2b honest servers: b may refuse the
// one client, the other b the other, and both enter.

import { twoHolders } from './two-holders.ts'

const SEEDS = { small: 300, full: 1_000 }

export const errata5b = twoHolders({
  name: 'errata-backoff-5b',
  title: 'With n = 5b servers the printed lock has two holders, with n = 5b + 1 it has not.',
  source: 'BACKOFF §4, lemma 1',
  flawed: {
    what: 'printed, n = 5b = 5',
    variant: 'printed',
    settings: { servers: 5, liars: 1, unsafe: true },
    seeds: SEEDS,
  },
  sound: [
    { what: 'printed, n = 5b + 1 = 6', variant: 'printed', settings: { servers: 6, liars: 1 }, seeds: SEEDS },
    { what: 'ours, n = 5', variant: 'product', settings: { servers: 5, liars: 1 }, seeds: { small: 20, full: 300 } },
  ],
  // Two round trips: all that the clients and servers said to each other.
  told: (_hold, delayMax) => 4 * delayMax,
})
