// What `connect` and `join` take for metrics, said without loading what measures.

import type { Rule } from '../core/index.ts'

export const metricsRule: Rule = {
  must: '{ registry }, with a Registry of prom-client',
  fits: value => typeof value === 'object' && value !== null,
}
