export { printedSlots } from './member.ts'
export { type PrintedMessage, printedVocabulary } from './messages.ts'
export { type PrintedRules, printedRules } from './rules.ts'
export { type PrintedSettings, printedDefaults } from './settings.ts'
export type { PassSecret, PrintedEvent, PrintedState } from './state.ts'
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
