// The lecture's algorithms for mutual exclusion, to play with.

import { mutexPlaygrounds } from '../../src/play/mutex.ts'
import { register } from '../registry.ts'

register(...mutexPlaygrounds)
