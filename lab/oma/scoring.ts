// How a game is scored (OMA appendix A): what each adversary guessed, how often it had a clue at all, and how far the
// share of its wins may be from what is expected.

import { seededRandom } from '../../src/core/index.ts'
import { type Row, row } from '../experiment.ts'
import {
  type Adversary,
  control,
  coordinatorPrior,
  equalCiphertexts,
  legendreSymbols,
  ownShare,
  positions,
  quotients,
  releaseLaps,
  timing,
} from './adversaries.ts'
import { type Sample, score, train } from './classifier.ts'
import { lapDifferences, releaseCiphertexts, releaseOrder, ticketOrder } from './order-adversaries.ts'
import { winTolerance } from './rates.ts'
import type { Game } from './view.ts'

/** Those that only listen. */
export const LISTENERS: readonly Adversary[] = [
  equalCiphertexts,
  positions,
  quotients,
  ownShare,
  legendreSymbols,
  releaseLaps,
  timing,
  coordinatorPrior,
  ticketOrder,
  releaseOrder,
  releaseCiphertexts,
  lapDifferences,
]
/** And the classifier. */
export const ADVERSARIES = LISTENERS.length + 1
export const CONFIDENCE = 0.99

/** What the adversaries guessed in one stratum. */
export interface Score {
  readonly guesses: Map<Adversary, Guess[]>
  readonly samples: Sample[]
}

/** What was guessed is kept, not the transcripts: forty thousand would fill the memory. */
export function note(scores: Map<string, Score>, game: Game): void {
  const [[among, [isAmong]], [not]] = strata([game])
  const stratum = isAmong === undefined ? not : among
  const kept: Score = scores.get(stratum) ?? {
    guesses: new Map([...LISTENERS, control].map(adversary => [adversary, []])),
    samples: [],
  }
  scores.set(stratum, kept)
  for (const [adversary, guesses] of kept.guesses) guesses.push(guessOf(adversary, game))
  kept.samples.push(sampleOf(game))
}

/** Every listening adversary against one level: no clue or one half in each stratum; the control wins always. */
export function fairRows(what: string, scores: ReadonlyMap<string, Score>, seed: number): readonly Row[] {
  const rows: Row[] = []
  for (const [stratum, { guesses, samples }] of [...scores].sort()) {
    for (const adversary of LISTENERS) {
      rows.push(fairRow(`${what}, ${stratum}: ${adversary.name}`, adversary, guesses.get(adversary)!))
    }
    const trials = Math.ceil(samples.length / 2)
    rows.push(row(`${what}, ${stratum}: classifier`, classified(samples), 0.5, twoSided(0.5, trials), 'won'))
    rows.push(row(`${what}, ${stratum}: ${control.name}`, wins(guesses.get(control)!, seed), 1, 0, 'won'))
  }
  return rows
}

/** Only games with a clue say anything: the rest would be the lab's own coin. */
export function fairRow(what: string, adversary: Adversary, guesses: readonly Guess[]): Row {
  const told = guesses.filter(({ guess }) => guess !== undefined)
  if (adversary.silent) return row(`${what}, never a clue in ${guesses.length} games`, told.length, 0, 0, 'clues')
  if (told.length === 0) return row(`${what}, no clue in ${guesses.length} games`, 0, null, null, 'clues')
  const right = told.filter(({ answer, guess }) => guess === answer).length / told.length
  const tolerance = twoSided(0.5, told.length)
  const named = `${what}, right where it has a clue (${told.length} of ${guesses.length})`
  if (tolerance >= 0.5) return row(named, right, null, null, 'won')
  return row(named, right, 0.5, tolerance, 'won')
}

/** Games with a weakness planted, and how often the guess is then right, a coin where there is no clue. */
export interface Weak {
  readonly played: readonly Game[]
  readonly rate: number
}

/**
 * A rate above one half means: there is a clue in 2·rate - 1 of the games, and where there is one it is right. A rate of
 * one half means that there is no clue, or that clues are worth a coin.
 */
export function plantedRows(what: string, adversary: Adversary, { played, rate }: Weak): readonly Row[] {
  const named = `${what}: ${adversary.name}`
  const guesses = guessesOf(adversary, played)
  if (rate === 0.5) return [fairRow(named, adversary, guesses)]
  const told = guesses.filter(({ guess }) => guess !== undefined)
  const right = told.filter(({ answer, guess }) => guess === answer).length / Math.max(1, told.length)
  const share = 2 * rate - 1
  return [
    row(`${named}, has a clue`, told.length / played.length, share, twoSided(share, played.length), 'of games'),
    row(`${named}, right where it has a clue (${told.length} of ${played.length})`, right, 1, 0, 'won'),
  ]
}

type Strata = readonly [readonly [string, readonly Game[]], readonly [string, readonly Game[]]]

export function strata(games: readonly Game[]): Strata {
  const among = ({ view }: Game) => view.coordinator !== undefined && view.honest.includes(view.coordinator)
  return [
    ['coordinator honest', games.filter(among)],
    ['coordinator curious', games.filter(game => !among(game))],
  ]
}

export interface Guess {
  readonly left: readonly [number, number]
  readonly answer: number
  readonly guess: number | undefined
}

function guessOf(adversary: Adversary, { view, answer }: Game): Guess {
  return { left: view.left, answer, guess: adversary.guess(view) }
}

export function guessesOf(adversary: Adversary, games: readonly Game[]): readonly Guess[] {
  return games.map(game => guessOf(adversary, game))
}

/** The share of games won; without a clue a coin is tossed. */
export function wins(guesses: readonly Guess[], seed: number): number {
  // Who has no clue in half of the games tosses other coins than who has none in all of them.
  const coin = seededRandom(seed, guesses.filter(({ guess }) => guess === undefined).length)
  const won = guesses.filter(({ left, answer, guess }) => (guess ?? left[coin.below(2)]) === answer)
  return won.length / guesses.length
}

export function sampleOf({ view, answer }: Game): Sample {
  return { features: view.features, lower: answer === view.left[0] }
}

/** Trained on every other game, tried on the rest. */
export function classified(samples: readonly Sample[]): number {
  const weights = train(samples.filter((_, place) => place % 2 === 1))
  const tried = samples.filter((_, place) => place % 2 === 0)
  return tried.filter(({ features, lower }) => score(weights, features) > 0 === lower).length / tried.length
}

/** Two-sided, at 99 % for all adversaries of a stratum together. */
export function twoSided(rate: number, trials: number): number {
  return winTolerance(rate, trials, (1 - CONFIDENCE) / ADVERSARIES)
}
