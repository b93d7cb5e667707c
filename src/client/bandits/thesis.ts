// Runs at the level of the thesis, with all nodes in this process: UCB-DS and UCB-DS2 on sources, SR-secured on values.

import { setImmediate } from 'node:timers/promises'
import type { RingLevel } from '../../bandits/index.ts'
import { playRing, rejectsByPhase } from '../../bandits/machines.ts'
import { gcmSeals, newPaillier, secretBelow } from '../../runtime/printed-tools.ts'
import { RunEnded } from './errors.ts'
import type { Asked } from './options.ts'
import type { Follower, Played } from './run.ts'
import type { Sources } from './sources.ts'
import type { AskedValues } from './thesis-options.ts'

/** Plays UCB-D, UCB-DS or UCB-DS2 to the end. */
export async function playThesisRing(
  asked: Asked,
  level: RingLevel,
  sources: Sources,
  follower: Follower,
): Promise<Played> {
  const { names, options } = asked
  const { budget, name } = options
  let round = 0
  const run = playRing({
    level,
    budget,
    arms: names.length,
    seals: gcmSeals(name),
    sums: await newPaillier(),
    below: secretBelow,
    // After the last ring there is nothing to compare for.
    decided: () => {
      round = Math.min(round + 1, budget - names.length)
    },
  })
  let told = 0
  for (let step = run.next(); ; ) {
    if (step.done) return { best: undefined, steps: step.value.steps }
    if (follower.isOver()) throw new RunEnded('the run is over.')
    const { arm, number } = step.value
    const steps = await sources.pull(arm, number)
    step = run.next(steps)
    if (round > told) follower.round(round, names.length + round)
    told = round
  }
}

/** Plays SR-secured to the end, breathing after each phase. */
export async function playThesisRejects(
  { options, names, values, epsilon }: AskedValues,
  follower: Follower,
): Promise<Played> {
  const run = rejectsByPhase({
    values: names.map((_, place) => values[place]!),
    epsilon,
    budget: options.budget,
    seals: gcmSeals(options.name),
    sums: await newPaillier(),
    below: secretBelow,
  })
  for (;;) {
    if (follower.isOver()) throw new RunEnded('the run is over.')
    const step = run.next()
    if (step.done) return { best: step.value.best, steps: undefined }
    follower.round(step.value.phase, step.value.spent)
    await setImmediate()
  }
}
