// What the objects benchmark measures, and what it should reach.

import type { Measures, Target } from '../support/report.ts'

export const MEASURES: Measures = {
  warmP50: 'put of 100 bytes, one by one, p50 ms',
  warmP95: 'put of 100 bytes, one by one, p95 ms',
  coldP50: 'put by another client than before, p50 ms',
  inFlight: '64 in flight over 8 processes, puts/s',
  watchP50: 'put to watcher, p50 ms',
  quietGap: 'no server killed, longest put, ms',
  serverKilledGap: 'a server killed, longest put, ms',
  clientKilledGap: 'the busiest client killed, longest put, ms',
}

export const TARGETS: readonly Target[] = [
  { measure: 'warmP50', service: /-3$/, peer: 'zookeeper', most: 0.75 },
  { measure: 'coldP50', service: /-3$/, peer: 'zookeeper', most: 1.0 },
  { measure: 'inFlight', service: /-3$/, peer: 'zookeeper', least: 4 },
  { measure: 'inFlight', service: /-7-liar$/, peer: 'zookeeper', least: 2 },
  { measure: 'watchP50', service: /-3$/, peer: 'etcd', most: 1.0 },
  { measure: 'serverKilledGap', service: /./, most: 50 },
  { measure: 'clientKilledGap', service: /./, most: 300 },
]
