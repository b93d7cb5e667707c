// Experiments of lab/backoff that need nothing of Node: measured in the page's worker.

import { backoffExperiments } from '../../lab/backoff/index.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(...backoffExperiments)
