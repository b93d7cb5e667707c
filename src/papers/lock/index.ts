// The lock as printed in BACKOFF, for the lab and for `coterie sim`. README.md says what it promises and what not.

export { type PrintedClient, printedClient } from './client.ts'
export { printedAlwaysYes, printedLiars } from './liars.ts'
export { printedPalette } from './palette.ts'
export { type PrintedAct, type PrintedPlan, type PrintedScenarioOptions, printedScenario } from './scenario.ts'
export { type PrintedServer, printedServer } from './server.ts'
export { type LockVariant, lockVariants } from './variants.ts'
export {
  type PrintedCommand,
  type PrintedEvent,
  type PrintedMessage,
  type PrintedSettings,
  printedVocabulary,
} from './wire.ts'
