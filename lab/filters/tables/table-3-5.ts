import type { Experiment } from '../../experiment.ts'
import { sixFilters } from '../six-filters.ts'

export const table35: Experiment = {
  name: 'filters-table-3-5',
  title: 'Error rates of six filters on uniform streams',
  source: 'THESIS §3.8.2, table 3.5 (artificial streams)',
  run: options => sixFilters(options, ['error']),
}
