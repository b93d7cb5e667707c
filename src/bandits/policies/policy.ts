// A policy turns what an arm knows of itself into a whole number, its index; the largest index is pulled. Each arm computes
// its own, alone, with the number of all pulls so far, which everybody knows. The open algorithm compares the very same
// numbers, so "the same answer" means equality (protocols/bandits 1).

import type { Chance } from '../arithmetic.ts'

/** What an arm knows of itself. */
export interface ArmRecord {
  /** Pulls so far. */
  readonly pulls: number
  /** The sum of its rewards, in units of the grid, from the least reward. */
  readonly sum: number
}

/** How rewards are weighed against curiosity. */
export interface Policy {
  readonly name: string
  /** Every index is below 2^bits. */
  readonly bits: number
  /** `all`: pulls of all arms so far, at least 1; the arm was pulled at least once. `chance` is its own. */
  index(record: ArmRecord, all: number, chance: Chance): number
}

/** Rewards stand on a grid of 2^-20 of their range: sums are whole numbers, and the same on every machine. */
export const GRID = 2 ** 20
