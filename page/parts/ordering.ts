// Objects in one order, to play with and to explore.

import { orderingExplorer } from '../../src/play/explorers/ordering.ts'
import { orderingPlayground } from '../../src/play/ordering.ts'
import { register, registerExplorer } from '../registry.ts'

register(orderingPlayground)
registerExplorer(orderingExplorer)
