// What the lock benchmark measures, and what it should reach.

import type { Measures, Target } from '../support/report.ts'
import { CONTENDERS } from './measures.ts'

export const MEASURES: Measures = {
  aloneP50: 'lock + release, one client, p50 ms',
  aloneP95: 'lock + release, one client, p95 ms',
  keys: '16 names at once, pairs/s',
  ...Object.fromEntries(CONTENDERS.map(count => [`contended${count}`, `${count} clients meet, ms an entry`])),
  again: '8 clients in a loop, ms an entry',
  holderKilled: 'holder killed, 5 s lease, ms to the next',
  killP95Ratio: 'server killed, p95 after / before',
  killGap: 'server killed, longest pair, ms',
  calmGap: 'longest pair before that, ms',
  restMb: 'largest server, MB',
  heldMb: 'the same with all names held, MB',
}

export const TARGETS: readonly Target[] = [
  { measure: 'aloneP50', service: /-3$/, peer: 'redlock', most: 0.75 },
  { measure: 'aloneP50', service: /-6/, peer: 'redlock', most: 1.2 },
  { measure: 'aloneP50', service: /./, peer: 'etcd', most: 0.15 },
  { measure: 'aloneP50', service: /./, peer: 'zookeeper', most: 0.15 },
  { measure: 'aloneP95', service: /-liar$/, peer: 'coterie-6', most: 2 },
  { measure: 'keys', service: /-3$/, peer: 'redlock', least: 5 },
  { measure: 'keys', service: /-6/, peer: 'redlock', least: 2 },
  ...CONTENDERS.map(count => ({ measure: `contended${count}`, service: /./, most: 1.5 })),
  { measure: 'holderKilled', service: /./, most: 5_100 },
  { measure: 'killP95Ratio', service: /./, most: 2 },
  { measure: 'killGap', service: /./, most: 50 },
  { measure: 'heldMb', service: /./, most: 150 },
]
