// What came of a run, in one line: the command prints it, and tests compare it between engines.

import type { Play } from '../simulator/index.ts'

/** In one line. */
export function verdictOf(play: Play): string {
  const { question, violations } = play
  if (question !== undefined) {
    const words = question.answers.map(({ word }) => `${word.letter} (${word.name})`).join(', ')
    return `${question.node} is asked by ${question.from} and has no word left; it could say ${words}`
  }
  if (violations.length > 0) return `broken: ${violations.map(({ what }) => what).join('; ')}`
  if (play.stopped === 'events') return 'stopped here: more events than a run that is played may have'
  if (play.stopped === 'patience') return 'stopped here: it took too long'
  return 'no promise was broken'
}
