// What `npm test` tries is a small instance of every check; what takes longer is for `npm run test:long`, which sets
// COTERIE_LONG=1. A check that was made smaller is never left out: it has fewer seeds, fewer steps or a smaller system.

/** Whether this is the long run. */
export const isLong = process.env.COTERIE_LONG === '1'

/** The first in `npm test`, the second in `npm run test:long`. */
export function sized<T>(usual: T, long: T): T {
  return isLong ? long : usual
}
