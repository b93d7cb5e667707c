// Thompson sampling: each arm draws how good it might be, given what it has seen, and the best draw is pulled.

import { beta } from '../arithmetic.ts'
import { GRID, type Policy } from './policy.ts'

const LIMIT = 2 ** 35

/** A draw from the beta distribution of an arm's own rewards. */
export const thompson: Policy = {
  name: 'thompson',
  bits: 35,
  index({ pulls, sum }, _all, chance) {
    const won = sum / GRID
    return Math.min(LIMIT - 1, Math.floor(beta(1 + won, 1 + pulls - won, chance) * LIMIT))
  },
}
