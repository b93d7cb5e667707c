// Seats without names, to play with.

import { slotsPlayground } from '../../src/play/slots.ts'
import { register } from '../registry.ts'

register(slotsPlayground)
