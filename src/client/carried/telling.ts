// What a channel tells besides its events: to `told`, or, where nobody listens, what must not be swallowed, once.

import { callUser } from '../callback.ts'
import { thrownBy, Warning } from '../events/handling.ts'
import type { CarriedNews } from './options.ts'

/** Tells news of the channel of this name. */
export function tellerOf(
  channel: string,
  told: ((news: CarriedNews) => void) | undefined,
): (news: CarriedNews) => void {
  if (told !== undefined) return news => callUser(told, news)
  const [threw, refusing] = [new Warning(), new Warning()]
  const more = 'With `told` you hear of each.'
  return news => {
    if (news.kind === 'failed')
      threw.say(`Channel '${channel}' failed, or its handler threw: ${thrownBy(news.error)}. ${more}`)
    if (news.kind === 'carrier' && news.is === 'refusing')
      refusing.say(`Channel '${channel}': ${news.url} refuses: ${news.why}. ${more}`)
  }
}
