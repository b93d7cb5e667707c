// What can go wrong with events, in sentences that say whether it may have happened.

import { CoterieError } from '../../core/index.ts'

/** An event, a subscription or a question was refused: nothing happened. */
export class EventRefused extends CoterieError {
  override readonly name = 'EventRefused'
  readonly outcome = 'did not happen'

  constructor(channel: string, why: string) {
    super(`channel '${channel}' refused: ${why} Nothing happened.`)
  }
}

/** Not accepted in time: the event may be delivered, to some or to all. */
export class EventUnanswered extends CoterieError {
  override readonly name = 'EventUnanswered'
  readonly outcome = 'may have happened'

  constructor(channel: string, why: string) {
    super(`channel '${channel}' gave no receipt: ${why} The event may have been published, and may still be delivered.`)
  }
}

/** A subscription ended that was not closed: another process opened its name later, or the node below ended. */
export class SubscriptionLost extends CoterieError {
  override readonly name = 'SubscriptionLost'
  readonly outcome = 'did not happen'

  constructor(channel: string, name: string, why: string) {
    super(`the subscription ${name === '' ? '' : `'${name}' `}to channel '${channel}' ended: ${why}`)
  }
}
