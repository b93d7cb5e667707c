// The lecture's algorithms for mutual exclusion, to play with and to explore.

import { mutexExplorer } from '../../src/play/explorers/mutex.ts'
import { mutexPlaygrounds } from '../../src/play/mutex.ts'
import { register, registerExplorer } from '../registry.ts'

register(...mutexPlaygrounds)
registerExplorer(mutexExplorer)
