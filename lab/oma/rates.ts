// How often an adversary wins with a weakness planted, by counting cases. Two honest members; the pair of tickets that is
// left to them is one of all pairs with equal chance.

import { legendre } from '../../src/crypto/groups/residues.ts'
import { SMALL_MODULUS } from '../../src/slots/printed/index.ts'

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

/** READINGS OMA 12: the coordinator wanted a slot. With (m - 1)/(n - 1) the other one has a slot too: a coin. */
export function rotatingRate(slots: number, members: number): number {
  return 1 - (slots - 1) / (2 * (members - 1))
}

/** Ticket k is the number k + 2: told apart if one is a square and the other is not. */
export function legendreRate(): number {
  const symbol = (ticket: number) => legendre(BigInt(ticket + 2), SMALL_MODULUS)
  return rateWhere((low, high) => symbol(low) !== symbol(high))
}

/** READINGS OMA 13: told apart if both are slots. */
export function vectorRate(): number {
  return rateWhere((_low, high) => high < SLOTS)
}
