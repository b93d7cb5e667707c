// What tests, the simulator's commands and the lab may touch of the bandits' proof. No machine imports it.

export { type IdealParties, idealParties } from './ideal.ts'
export { tapes } from './tapes.ts'
export { idealRun, playTogether, type TogetherResult } from './together.ts'
export { openTwin } from './twin.ts'
