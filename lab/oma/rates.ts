// How often an adversary wins with a weakness planted, by counting cases. Two honest members; the pair of tickets
// that is left to them is one of all pairs with equal chance.

import { legendre } from '../../src/crypto/groups/residues.ts'
import { SMALL_MODULUS } from '../../src/papers/slots/index.ts'

/** n and m of the game: one dummy, so that half of all pairs are two slots. */
export const MEMBERS = 4
export const SLOTS = 3

function pairs(count: number): readonly (readonly [number, number])[] {
  const all: [number, number][] = []
  for (let low = 0; low < count; low++) for (let high = low + 1; high < count; high++) all.push([low, high])
  return all
}

/** Always right where the clue tells the two apart, a coin elsewhere. */
function rateWhere(tells: (low: number, high: number) => boolean): number {
  const all = pairs(MEMBERS)
  const told = all.filter(([low, high]) => tells(low, high)).length / all.length
  return told + (1 - told) / 2
}

/** readings OMA 12: the coordinator wanted a slot. With (m - 1)/(n - 1) the other one has a slot too: a coin. */
export function rotatingRate(slots: number, members: number): number {
  return 1 - (slots - 1) / (2 * (members - 1))
}

/** Ticket k is the number k + 2: told apart if one is a square and the other is not. */
export function legendreRate(): number {
  const symbol = (ticket: number) => legendre(BigInt(ticket + 2), SMALL_MODULUS)
  return rateWhere((low, high) => symbol(low) !== symbol(high))
}

/** readings OMA 13: told apart if both are slots. */
export function vectorRate(): number {
  return rateWhere((_low, high) => high < SLOTS)
}

/** Lemma 9: the release says who holds; told apart if one has a slot and the other a dummy. */
export function releaseRate(): number {
  return rateWhere((low, high) => low < SLOTS && high >= SLOTS)
}

/**
 * Tickets that keep their order, with the list known and one honest member before and one after `between` others: they
 * tell if one of the others' tickets lies between the two, and two of between + 2 lie side by side with 2/(between + 2).
 */
export function orderRate(between: number): number {
  return 1 - 1 / (between + 2)
}

/**
 * How far the share of wins may be from the rate, two-sided: the smallest distance that is exceeded with a chance of
 * at most `doubt`. The binomial distribution itself, since small runs have a dozen games to a stratum.
 */
export function winTolerance(rate: number, trials: number, doubt: number): number {
  if (rate === 0 || rate === 1) return 0
  const chances = binomial(rate, trials)
  const distances = chances.map((_, won) => Math.abs(won / trials - rate))
  const order = chances.map((_, won) => won).sort((a, b) => distances[b]! - distances[a]!)
  let beyond = 0
  for (const won of order) {
    beyond += chances[won]!
    if (beyond > doubt) return distances[won]! + ROUNDING
  }
  return 1
}

/** A share that is as far as allowed must not fail for the last digit of a float. */
const ROUNDING = 1e-9

/** The chance of each number of wins, by logarithms: the first of 20,000 would be 0. */
function binomial(rate: number, trials: number): readonly number[] {
  let logarithm = trials * Math.log(1 - rate)
  const chances = [Math.exp(logarithm)]
  for (let won = 1; won <= trials; won++) {
    logarithm += Math.log((trials - won + 1) / won) + Math.log(rate / (1 - rate))
    chances.push(Math.exp(logarithm))
  }
  return chances
}
