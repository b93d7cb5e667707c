// Filter policies of Amazon SNS, for attributes and, with nested objects, for bodies.

import type { Filter } from '../canonical.ts'
import { finished } from './finished.ts'
import type { Language } from './language.ts'
import { readPattern } from './patterns.ts'
import { read } from './strangers.ts'

/** A filter policy of Amazon SNS, as a filter of ours. None of its limits on keys and combinations applies. */
export function sns(policy: unknown): Filter {
  return read('sns', policy, () => finished(readPattern(policy, 'filter policy')))
}

/** Filter policies of Amazon SNS. */
export const snsLanguage: Language = {
  name: 'sns',
  title: 'filter policies of Amazon SNS',
  form: 'data',
  example: { price: [{ numeric: ['<', 10] }], $or: [{ a: ['x'] }, { b: [{ exists: false }] }] },
  parse: sns,
}
