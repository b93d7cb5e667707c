export { type PrintedOptions, type PrintedSlots, printedSlots } from './member.ts'
export { type PrintedMessage, printedVocabulary } from './messages.ts'
export { type PlantedErratum, plantedErrata } from './planted.ts'
export { type PrintedRules, printedRules } from './rules.ts'
export { type PrintedScenarioOptions, printedSlotsScenario } from './scenario.ts'
export { type PrintedFairness, type PrintedLevel, type PrintedSettings, printedDefaults } from './settings.ts'
export type { PassSecret, PrintedCommand, PrintedEvent, PrintedState } from './state.ts'
export {
  bareTickets,
  generatorFrom,
  SMALL_MODULUS,
  squareOf,
  squareTickets,
  type Tickets,
  tableTickets,
  ticketOfSquare,
} from './tickets.ts'
