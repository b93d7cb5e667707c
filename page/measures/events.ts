// Experiments of lab/events that need nothing of Node: measured in the page's worker.

import { eventsRouting } from '../../lab/events/routing.ts'
import { eventsTrees } from '../../lab/events/trees.ts'
import { registerMeasures } from '../measured.ts'

registerMeasures(eventsRouting, eventsTrees)
