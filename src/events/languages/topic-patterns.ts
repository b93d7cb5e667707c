// Topic filters of MQTT and subjects of NATS, on the attribute `topic`.

import { topic } from '../build.ts'
import { type Filter, some } from '../canonical.ts'
import { refuse, shown } from '../refusals.ts'
import { isQueueName, type TopicDialect } from '../topics.ts'
import { finished } from './finished.ts'

/** The attribute that patterns of topics look at. */
export const TOPIC_ATTRIBUTE = 'topic'

/** A pattern on the topic of events. */
export function onTopic(pattern: string, dialect: TopicDialect, queue?: string): Filter {
  return finished(some(TOPIC_ATTRIBUTE, [[topic(pattern, 'the pattern', dialect)]]), queue)
}

/** What is given must be text. */
export function patternText(input: unknown, whose: string): string {
  return typeof input === 'string' ? input : refuse(`a ${whose} is text, and ${shown(input)} is none.`)
}

/** The name and the rest of `$share/NAME/FILTER`; undefined where it is no shared subscription. */
export function sharedOf(text: string): { readonly queue: string; readonly pattern: string } | undefined {
  if (!text.startsWith('$share/')) return undefined
  const [, queue, ...rest] = text.split('/')
  if (!isQueueName(queue) || rest.length === 0)
    return refuse(`${shown(text)} is no shared subscription: write $share/NAME/FILTER, NAME without + and #.`)
  return { queue, pattern: rest.join('/') }
}
