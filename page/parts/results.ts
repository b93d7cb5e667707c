// What the experiments measured for this release, as data.

import reports from '../data/results.json' with { type: 'json' }
import { publish } from '../registry.ts'

publish('results', reports)
