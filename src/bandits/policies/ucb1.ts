// UCB1: the mean so far, and a bonus that grows with the time since an arm was tried (THESIS §2.2.3, algorithm 2).

import { ln } from '../arithmetic.ts'
import { GRID, type Policy } from './policy.ts'

/** Binary places of an index. The mean is at most 1 and the bonus below 6.8 for 2^24 pulls: 35 bits in all. */
const PLACES = 2 ** 32

/** Upper confidence bounds: regret grows with the logarithm of the pulls. */
export const ucb1: Policy = {
  name: 'ucb1',
  bits: 36,
  index({ pulls, sum }, all) {
    return Math.floor((sum / (GRID * pulls) + Math.sqrt((2 * ln(all)) / pulls)) * PLACES)
  },
}
