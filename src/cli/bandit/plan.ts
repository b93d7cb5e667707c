// What `coterie bandit plan` shows: what a run would cost, and who must not work together.

import { type Algorithm, ARMS_MAX, scheduleOf } from '../../bandits/index.ts'
import { SettingsError } from '../../core/index.ts'
import { print } from '../output.ts'

export interface PlanLine {
  readonly arms?: number
  readonly budget?: number
  readonly algorithm?: string
  readonly batch?: number
  readonly json?: boolean
}

/** Around the tags of a box: its proof, a check, two tokens, and the seal. */
const BOX_OVERHEAD_BYTES = 120
const TAG_BYTES = 8
/** Bits that order ties, below an index. */
const TIE_BITS = 8
/** Three flushes to disk, one after the other, and four messages; measured on one machine, with signatures. */
const ROUND_MS = 20

/** What a run would cost. */
export interface Plan {
  readonly pulls: number
  readonly rounds: number
  readonly messages: number
  readonly bytes: number
  readonly seconds: number
  readonly told: readonly string[]
}

export async function showPlan(line: PlanLine): Promise<void> {
  const { arms, budget, algorithm = 'successive-rejects', batch = 0 } = line
  if (arms === undefined || budget === undefined)
    throw new SettingsError('how many arms and pulls? --arms and --budget.')
  if (arms > ARMS_MAX) throw new SettingsError(`a private run has at most ${ARMS_MAX} arms, not ${arms}.`)
  const plan = planOf(arms, { algorithm: algorithm as Algorithm, budget, batch })
  print(line.json, plan, () =>
    [
      `${plan.rounds} ${plan.rounds === 1 ? 'round' : 'rounds'}, at most ${plan.pulls} pulls, ${plan.messages} messages, ${size(plan.bytes)}`,
      `about ${Math.ceil(plan.seconds)} s beside the pulls, at ${ROUND_MS} ms a round: your disks and network decide`,
      ...plan.told,
    ].join('\n'),
  )
}

export function planOf(
  arms: number,
  { algorithm, budget, batch }: { readonly algorithm: Algorithm; readonly budget: number; readonly batch: number },
): Plan {
  const course = scheduleOf({ algorithm, arms: { length: arms }, budget, batch })
  const box = BOX_OVERHEAD_BYTES + TAG_BYTES * (arms - 1) * (course.bits + TIE_BITS)
  return {
    pulls: course.spent,
    rounds: course.rounds,
    messages: course.rounds * (2 * arms + 2),
    // To the shuffler, and again to the comparator.
    bytes: course.rounds * 2 * arms * box,
    seconds: (course.rounds * ROUND_MS) / 1000,
    told: [
      'shuffler and comparator must not work together: they would see the order of all arms in every round',
      'the comparator and an arm must not either: they would see what every arm compared, without names',
      arms === 2
        ? 'with two arms, an arm learns nearly everything about the other from its own pulls'
        : 'an arm learns from its own pulls how good the best of the others is',
      'every party keeps a signed log: an auditor with all of them names who lied (--no-audit and --privacy thesis keep none)',
      'with --privacy thesis whoever shuffles alone sees who is pulled in each round, and from that nearly all rewards',
    ],
  }
}

function size(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
