// A run whose parties all sit in this process.

import { ARMS_MAX, pullsOf, rejectPhases, scheduleOf } from '../../bandits/index.ts'
import { SettingsError } from '../../core/index.ts'
import { RunEnded } from './errors.ts'
import { type OpenPlayed, playInTheOpen } from './in-the-open.ts'
import type { Asked, BanditPrivacy } from './options.ts'
import type { BanditResult, BestArmResult, Follower, Played, RunShape } from './run.ts'
import { Sources } from './sources.ts'
import type { AskedValues } from './thesis-options.ts'
import { told, toldOfValues } from './told.ts'

/** What was played becomes an answer. */
export type Answering<Result> = (played: Played, sources: Sources, common: BanditResult) => Result

/** What is played, by functions of this process. Throws a sentence for a budget or a number of arms that cannot be. */
export function runHere<Result extends BanditResult>(asked: Asked, answer: Answering<Result>): RunShape<Result> {
  const { options, names, algorithm, batch } = asked
  const { name, budget, privacy = 'blind' } = options
  const course = scheduleOf({ algorithm, arms: names, budget, batch })
  if (privacy !== 'open') checkSize(names)
  // Refused now rather than at the first pull.
  new Sources(asked, AbortSignal.abort())
  const common = { spent: course.spent, rounds: course.rounds, told: told(asked) }
  return {
    name,
    budget,
    wait: options,
    async play(follower) {
      const sources = new Sources(asked, follower.signal)
      const played = await PLAYERS[privacy](asked, sources, follower)
      return answer(played, sources, common)
    },
  }
}

function playOpen(asked: Asked, sources: Sources, follower: Follower): Promise<OpenPlayed> {
  const { names, algorithm, batch, options } = asked
  return playInTheOpen({
    algorithm,
    batch,
    arms: names.length,
    budget: options.budget,
    pull: async (arm, number) => {
      if (follower.isOver()) throw new RunEnded('the run is over.')
      return sources.pull(arm, number)
    },
    round: (round, spent) => follower.round(round, spent),
    chance: Math.random,
  })
}

/** Machines and seals are loaded with the first run that needs them. */
async function playBlind(asked: Asked, sources: Sources, follower: Follower): Promise<Played> {
  const blind = await import('./blind.ts')
  return blind.playBlind(asked, sources, follower)
}

async function playThesis(asked: Asked, sources: Sources, follower: Follower): Promise<Played> {
  const thesis = await import('./thesis.ts')
  return thesis.playThesisRing(asked, asked.options.protocol ?? 'ucb-ds2', sources, follower)
}

const PLAYERS: Readonly<
  Record<BanditPrivacy, (asked: Asked, sources: Sources, follower: Follower) => Promise<Played>>
> = {
  blind: playBlind,
  thesis: playThesis,
  open: playOpen,
}

/** A search at the level of the thesis. */
export function searchValues(asked: AskedValues): RunShape<BestArmResult> {
  const { options, names } = asked
  const { name, budget } = options
  const phases = rejectPhases(names.length, budget)
  const common = { spent: pullsOf(phases), rounds: phases.length, told: toldOfValues() }
  return {
    name,
    budget,
    wait: options,
    async play(follower) {
      const thesis = await import('./thesis.ts')
      const { best } = await thesis.playThesisRejects(asked, follower)
      return { best: names[best!]!, ...common }
    },
  }
}

function checkSize(names: readonly string[]): void {
  if (names.length <= ARMS_MAX) return
  const why = "each round costs their square. Use privacy: 'open'"
  throw new SettingsError(`a private run has at most ${ARMS_MAX} arms, not ${names.length}: ${why}.`)
}
