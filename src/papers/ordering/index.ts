export { printedOrderingClient } from './client.ts'
export {
  type PrintedOrderingEvent,
  printedOrderingDefaults,
  printedOrderingVocabulary,
} from './messages.ts'
export { printedOrderingScenario } from './scenario.ts'
export { printedOrderingServer } from './server.ts'
