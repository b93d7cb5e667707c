// Experiments of lab/mutex that need nothing of Node: measured in the page's worker.

import { mutexExperiments } from '../../lab/mutex/index.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(...mutexExperiments)
