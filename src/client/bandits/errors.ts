// How a run ends without its answer. Arms may have been pulled in each case.

import { CoterieError } from '../../core/index.ts'

/** An arm's source gave no reward, or one outside the range. Arms may have been pulled. */
export class ArmFailed extends CoterieError {
  override readonly name = 'ArmFailed'
  readonly outcome = 'may have happened'
}

/** A party of a private run found something that no honest party says, and stopped. Arms may have been pulled. */
export class TamperedRound extends CoterieError {
  override readonly name = 'TamperedRound'
  readonly outcome = 'may have happened'
}

/** The time was up, the signal fired or the group was closed before the answer came. Arms may have been pulled. */
export class RunEnded extends CoterieError {
  override readonly name = 'RunEnded'
  readonly outcome = 'may have happened'
}

/** The run did not begin: somebody that it needs declined, is not there, or did not answer in time. No arm was pulled. */
export class RunRefused extends CoterieError {
  override readonly name = 'RunRefused'
  readonly outcome = 'did not happen'
}
