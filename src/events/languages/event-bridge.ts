// Event patterns of Amazon EventBridge (and of Event Ruler). An event is flat here: `detail.state` is one attribute. What
// is left out is the consistency of lists of objects: that two fields are asked of one object of a list. An event with
// such a list has no flat form, and `flatten` refuses it.

import type { Filter } from '../canonical.ts'
import { refuse } from '../refusals.ts'
import { isPlainObject } from '../values.ts'
import { finished } from './finished.ts'
import type { Language } from './language.ts'
import { readPattern } from './patterns.ts'
import { read } from './strangers.ts'

/** An event pattern of Amazon EventBridge, as a filter of ours. */
export function eventBridge(pattern: unknown): Filter {
  return read('eventbridge', pattern, () => readEvents(pattern))
}

function readEvents(pattern: unknown): Filter {
  if (isPlainObject(pattern) && Object.keys(pattern).length === 0)
    refuse('the event pattern is empty: it asks nothing.')
  return finished(readPattern(pattern, 'event pattern'))
}

/** Event patterns of Amazon EventBridge. */
export const eventBridgeLanguage: Language = {
  name: 'eventbridge',
  title: 'event patterns of Amazon EventBridge, without the consistency of lists of objects',
  form: 'data',
  example: { source: ['aws.ec2'], detail: { state: ['running', { prefix: 'stop' }] } },
  parse: eventBridge,
}
