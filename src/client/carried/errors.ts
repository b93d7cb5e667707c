// What can go wrong when something is published through a carrier.

import { CoterieError } from '../../core/index.ts'

/** The event was certainly not sent: the message says why. */
export class NotCarried extends CoterieError {
  override readonly name = 'NotCarried'
  readonly outcome = 'did not happen'
}
