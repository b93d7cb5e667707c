// Experiments of lab/ordering that need nothing of Node: measured in the page's worker.

import { orderingExperiments } from '../../lab/ordering/index.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(...orderingExperiments)
