// BACKOFF §4, lemma 1 holds in synchronous runs only. A client counts Δ from when the last answer it needed came; if
// that one was late, the servers that answered in time have long said FREE to somebody else. §5 ("making mutex safe")
// lets clients disregard late answers. Ours counts the lease from before the request was sent.

import { encode } from '../../src/core/index.ts'
import {
  type ClientEvent,
  lockClient,
  lockDefaults,
  lockServer,
  lockVocabulary,
  serverRecord,
} from '../../src/lock/index.ts'
import { calm, ExclusionChecker, World } from '../../src/simulator/index.ts'
import { type Experiment, type RunOptions, row } from '../experiment.ts'
import { twoHolders } from './two-holders.ts'

const SEEDS = { small: 200, full: 1_000 }

const seen = twoHolders({
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

const SLOW_RUNS = { small: 20, full: 500 }
const LEASE_MS = 1_000
/** Up to four tenths of a lease each way: an answer may be worth much less than it says. */
const SLOW = { ...calm, delayMin: 1_000, delaySpread: 400_000 }

/** Four clients want our lock and keep it until it runs out, where every message is slow: how often two believe. */
function slowAnswers(seed: number): number {
  const world = new World({ seed, network: SLOW })
  const exclusion = new ExclusionChecker()
  world.listen((node, heard) => {
    const event = heard as ClientEvent
    if (event.kind !== 'acquired') return
    const until = world.whenClockShows(node, event.deadline)
    exclusion.acquired(event.name, node.spec.id, event.token, world.now, until)
  })
  const servers = ['server-1', 'server-2', 'server-3']
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  for (const id of servers) {
    world.add({ id, protocol: lockServer(lockDefaults), peers: [], vocabulary: lockVocabulary, saved })
    world.start(id)
  }
  for (let place = 1; place <= 4; place++) {
    const id = `client-${place}`
    world.add({ id, protocol: lockClient(lockDefaults), peers: servers, vocabulary: lockVocabulary, returns: false })
    world.start(id)
    const wish = { kind: 'acquire', id: 1, name: 'a', ttl: LEASE_MS, wait: true, fair: false, renew: false }
    world.command(id, { ...wish, strategy: 'exponential', hint: place })
  }
  world.run(20 * LEASE_MS * 1_000)
  return exclusion.violations().length
}

export const errataLate: Experiment = {
  ...seen,
  async run(options: RunOptions) {
    const { rows, pictures, notes } = await seen.run(options)
    let violations = 0
    for (let run = 0; run < SLOW_RUNS[options.scale]; run++) violations += slowAnswers(options.seed * 1_000 + run)
    const slow = row('ours, every message slow: violations', violations, 0, 0, `in ${SLOW_RUNS[options.scale]} runs`)
    return { rows: [...rows, slow], pictures, notes }
  },
}
