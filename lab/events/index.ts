// LECTURE, "Distributed event matching".

import type { Experiment } from '../experiment.ts'
import { eventsMatching } from './matching.ts'
import { eventsTopics } from './topics.ts'

export const eventExperiments: readonly Experiment[] = [eventsMatching, eventsTopics]
