import type { Experiment } from '../../experiment.ts'
import { sixFilters } from '../six-filters.ts'

export const table34: Experiment = {
  name: 'filters-table-3-4',
  title: 'False positives and false negatives of six filters on uniform streams',
  source: 'THESIS §3.8.2, table 3.4 (artificial streams)',
  run: options => sixFilters(options, ['falsePositive', 'falseNegative']),
}
