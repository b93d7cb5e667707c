// Redlock's rule, to play with.

import { redlockPlayground } from '../../src/play/redlock.ts'
import { register } from '../registry.ts'

register(redlockPlayground)
