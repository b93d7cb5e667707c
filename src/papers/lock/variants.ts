// The locks that the lab can choose from, by name.

import { type TrustSettings, trust } from '../../core/index.ts'
import { lockScenario } from '../../lock/proof/scenario.ts'
import type { AnyScenario } from '../../simulator/index.ts'
import { type PrintedScenarioOptions, printedScenario } from './scenario.ts'

/** Which lock is run. */
export type LockVariant =
  /** Our rule: safe in every run. */
  | 'product'
  /** BACKOFF figure 1: safe in synchronous runs. */
  | 'printed'

/** A scenario for each variant of the lock. */
export const lockVariants: Readonly<
  Record<LockVariant, (settings: TrustSettings & PrintedScenarioOptions) => AnyScenario>
> = {
  product: settings => lockScenario(trust(settings)),
  printed: settings => printedScenario(settings),
}
