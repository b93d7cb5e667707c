// What tests, the simulator's commands and the lab may touch of the bandits' proof. No machine imports it.

export { type AmongResult, type AmongShape, type Lying, playAmong } from './among.ts'
export { type ArithmeticRun, playArithmetic, quickBlocks, quickTools } from './arithmetic-path.ts'
export { type IdealParties, idealParties } from './ideal.ts'
export type { Kill } from './kills.ts'
export { banditLiars, subtleBanditLiars } from './liars.ts'
export { memberRunScenario } from './member-scenario.ts'
export { type Counted, countingTools } from './plain.ts'
export { brokenBanditRules, plantedBanditBugs } from './planted.ts'
export { type PlantedView, plantedViews } from './planted-views.ts'
export {
  chiSquareLimit,
  leaks,
  type RecordedShape,
  Recording,
  type Shown,
  type Told,
  told,
  type Viewer,
} from './recorded.ts'
export { plantedBanditRuns as plantedRuns } from './runs.ts'
export { type BanditPlan, type BanditScenarioShape, banditScenario } from './scenario.ts'
export { tapes } from './tapes.ts'
export { type ThesisLiar, thesisLiars } from './thesis-liars.ts'
export { type ThesisPlan, type ThesisScenarioShape, thesisScenario } from './thesis-scenario.ts'
export { playTimed, type Said, type TimedResult, type TimedShape } from './timed.ts'
export { idealRun, playTogether, type TogetherResult } from './together.ts'
export { openTwin } from './twin.ts'
export { comparatorView, type ViewDistances, type ViewShape } from './view.ts'
