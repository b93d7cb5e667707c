// What can go wrong when something is published through a carrier.

import { CoterieError } from '../../core/index.ts'

/** The event was certainly not sent: the message says why. */
export class NotCarried extends CoterieError {
  override readonly name = 'NotCarried'
  readonly outcome = 'did not happen'
}

/** Sent now it would be lost, and who is told that it certainly did not happen can try again. */
export const NOT_CONNECTED = 'none of its carriers is connected now; they are dialled again by themselves.'
