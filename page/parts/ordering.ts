// Objects in one order, to play with.

import { orderingPlayground } from '../../src/play/ordering.ts'
import { register } from '../registry.ts'

register(orderingPlayground)
