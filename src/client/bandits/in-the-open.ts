// A run that hides nothing, on functions that may take their time: the same course and the same numbers as a private one.

import { type Algorithm, type Schedule, scheduleOf } from '../../bandits/index.ts'

/** What is played, how an arm is pulled, and who is told of rounds. */
export interface OpenPlay {
  readonly algorithm: Algorithm
  readonly arms: number
  readonly budget: number
  readonly batch: number
  /** Gives the steps of that pull. */
  pull(arm: number, number: number): Promise<number>
  round(round: number, spent: number): void
  chance(): number
}

/** What came of it. */
export interface OpenPlayed {
  readonly best: number | undefined
  readonly steps: number
  readonly pulls: readonly number[]
}

interface Arm {
  readonly place: number
  pulls: number
  sum: number
  isIn: boolean
}

/** Plays to the end. Of two equal arms the first wins. */
export async function playInTheOpen(play: OpenPlay): Promise<OpenPlayed> {
  const course = courseOf(play)
  const arms = Array.from({ length: play.arms }, (_, place): Arm => ({ place, pulls: 0, sum: 0, isIn: true }))
  const pull = async (arm: Arm, times: number) => {
    for (let time = 0; time < times; time++) {
      arm.sum += await play.pull(arm.place, arm.pulls + 1)
      arm.pulls++
    }
  }
  for (const arm of arms) await pull(arm, course.first)
  let winners = arms
  for (let round = 0; round < course.rounds; round++) {
    const { all, stay, pulls } = course.at(round)!
    const index = new Map(arms.map(arm => [arm, indexOf(course, arm, all, play)]))
    const order = [...arms].sort((a, b) => index.get(b)! - index.get(a)! || a.place - b.place)
    winners = order.slice(0, stay)
    if (course.policy === undefined) for (const arm of arms) arm.isIn = winners.includes(arm)
    for (const arm of arms) if (winners.includes(arm)) await pull(arm, pulls)
    play.round(round + 1, course.at(round + 1)?.all ?? course.spent)
  }
  return {
    best: course.policy === undefined ? winners[0]!.place : undefined,
    steps: arms.reduce((sum, arm) => sum + arm.sum, 0),
    pulls: arms.map(arm => arm.pulls),
  }
}

function courseOf({ algorithm, arms, budget, batch }: OpenPlay): Schedule {
  return scheduleOf({ algorithm, arms: { length: arms }, budget, batch })
}

function indexOf({ policy }: Schedule, { pulls, sum, isIn }: Arm, all: number, { chance }: OpenPlay): number {
  if (policy === undefined) return isIn ? 1 + sum : 0
  return policy.index({ pulls, sum }, all, chance)
}
