// The open algorithm on the same tapes, with the same order of ties and the same chance: what a private run must have
// pulled, round by round.

import { chanceOf } from '../arm/playing.ts'
import type { ArmState } from '../arm/state.ts'
import { tieRanks } from '../encoding.ts'
import { type OpenOptions, type OpenRun, playOpen, type Source, sequentialHalving, successiveRejects } from '../open.ts'
import { thompson, ucb1 } from '../policies/index.ts'
import type { BanditRun, BanditTools } from '../settings.ts'

/** What the arms drew, which only they know. */
export type ArmSecrets = Pick<ArmState, 'secret' | 'keys'>

/** The open run that a private run must equal; `best` for a search. */
export function openTwin(
  run: BanditRun,
  tools: BanditTools,
  arms: readonly ArmSecrets[],
  sources: readonly Source[],
): OpenRun & { readonly best?: number } {
  const { arms: armsKey, run: bound } = arms[0]!.keys!
  const blocks = tools.blocks(armsKey)
  const options: OpenOptions = {
    rewards: run.rewards,
    batch: run.batch,
    record: true,
    ties: (arm, all) => tieRanks(arms.length, all, blocks)[arm]!,
    chance: (arm, all) => chanceOf(tools, arms[arm]!.secret, bound, all),
  }
  switch (run.algorithm) {
    case 'ucb1':
      return playOpen(ucb1, sources, run.budget, options)
    case 'thompson':
      return playOpen(thompson, sources, run.budget, options)
    case 'successive-rejects':
      return successiveRejects(sources, run.budget, options)
    case 'sequential-halving':
      return sequentialHalving(sources, run.budget, options)
  }
}
