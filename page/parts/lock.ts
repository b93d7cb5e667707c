// The lock that ships: to play with, and to explore in a worker, every schedule of a small system.

import { lockExplorer } from '../../src/play/explorers/lock.ts'
import { lockPlayground } from '../../src/play/lock.ts'
import { register, registerExplorer } from '../registry.ts'

register(lockPlayground)
registerExplorer(lockExplorer)
