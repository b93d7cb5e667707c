// What modes with one key for all parties have in common.

import { openEvent, openTotals, sealTotals, signTotals } from '../../sealed.ts'
import type { Mode } from './mode.ts'

const NONCE_BYTES = 12

/** Bodies and totals under the epoch's key. */
export const underOneKey: Pick<Mode, 'tell' | 'open' | 'openTotals'> = {
  tell({ settings, turn }, { keys, record }, said) {
    const { number: epoch } = record
    const nonce = turn.bytes(NONCE_BYTES)
    const totals = signTotals(settings, epoch, said)
    return [{ kind: 'totals', epoch, nonce, sealed: sealTotals(settings, keys.body, epoch, nonce, totals) }]
  },
  open({ settings }, { keys, record }, frame) {
    return frame.kind === 'event' ? openEvent(settings, record.mode, keys.body, frame) : undefined
  },
  openTotals({ settings }, { keys }, frame) {
    if (frame.kind !== 'totals') return undefined
    return openTotals(settings, keys.body, frame.epoch, frame.nonce, frame.sealed)
  },
}
