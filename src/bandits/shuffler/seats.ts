// A permutation of the arms, drawn from the shuffler's secret for one attempt at one round.

import { remainder } from '../encoding.ts'
import { drawnBytes } from '../party.ts'
import type { BanditTools } from '../settings.ts'

const DRAW_BYTES = 8

/** For each arm its slot. 64 bits for a place among at most 32: the bias is below 2^-58. */
export function seats(
  tools: BanditTools,
  secret: Uint8Array,
  { round, attempt }: { readonly round: number; readonly attempt: number },
  arms: number,
): readonly number[] {
  const bytes = drawnBytes(tools, secret, ['seats', round, attempt], arms * DRAW_BYTES)
  const view = new DataView(bytes.buffer)
  const slots = Array.from({ length: arms }, (_, slot) => slot)
  for (let last = arms - 1; last > 0; last--) {
    const chosen = remainder(view.getUint32(last * DRAW_BYTES), view.getUint32(last * DRAW_BYTES + 4), last + 1)
    ;[slots[last], slots[chosen]] = [slots[chosen]!, slots[last]!]
  }
  return slots
}
