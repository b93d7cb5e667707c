// Experiments of lab/filters that need nothing of Node: measured in the page's worker.

import { filterExperiments } from '../../lab/filters/index.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(...filterExperiments)
