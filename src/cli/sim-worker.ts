// One worker thread of `coterie sim`: a stretch of seeds.

import { type RunResult, runOnce } from '../simulator/index.ts'
import { type ScenarioOptions, scenarioFor } from './scenarios.ts'

export interface Stretch {
  readonly options: ScenarioOptions
  readonly firstSeed: number
  readonly count: number
}

export type SeedResult = Omit<RunResult, 'trace' | 'drawn'>

export default function runStretch({ options, firstSeed, count }: Stretch): SeedResult[] {
  const scenario = scenarioFor(options)
  const results: SeedResult[] = []
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { trace: _trace, drawn: _drawn, ...result } = runOnce(scenario, seed)
    results.push(result)
  }
  return results
}
