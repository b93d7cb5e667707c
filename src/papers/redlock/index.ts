// The rule of the popular lock on several Redis servers, as machines to step through. README.md says what it promises and what not.

export {
  type RedlockCommand,
  type RedlockEvent,
  type RedlockMessage,
  type RedlockSettings,
  redlockClient,
  redlockDefaults,
  redlockServer,
  redlockVocabulary,
} from './redlock.ts'
export { type RedlockAct, type RedlockPlan, redlockPalette, redlockScenario } from './scenario.ts'
