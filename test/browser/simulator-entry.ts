// What the browser test runs in the tab: the simulator and the lock, exactly as shipped.

import { trust } from '../../src/core/index.ts'
import { lockScenario } from '../../src/lock/proof/index.ts'
import { runOnce } from '../../src/simulator/index.ts'

export function hashes(servers: number, liars: number, seeds: readonly number[]): string[] {
  const scenario = lockScenario(trust({ servers, liars }))
  return seeds.map(seed => runOnce(scenario, seed).traceHash)
}
