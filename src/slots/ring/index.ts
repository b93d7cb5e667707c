// The door of the ring, for ../trusting, for the papers and for the lab.

export { type RingMember, type RingOptions, ringMeans, ringMember } from './machine.ts'
export { enterRound } from './rounds.ts'
export { type RingRules, ringRules } from './rules.ts'
export { RING_MAX, type RingLevel, type RingSettings, ringDefaults } from './settings.ts'
export {
  allKeys,
  checkRingState,
  isJustBefore,
  newRing,
  type RingEvent,
  type RingState,
  type RingTimer,
  type RingTurn,
  ringTimers,
} from './state.ts'
export { type Tickets, tableTickets, ticketsOf } from './tickets.ts'
export type { PassSecret } from './tokens.ts'
export { type RingMessage, ringVocabulary } from './wire.ts'
