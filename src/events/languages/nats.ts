// Subjects of NATS: eu.*.ACME, eu.>. See topics.ts for what they mean.

import type { Filter } from '../canonical.ts'
import type { Language } from './language.ts'
import { read, refuseWildcards } from './strangers.ts'
import { onTopic, patternText } from './topic-patterns.ts'

/** A subject of NATS on the attribute `topic`, whose levels have dots between them. */
export function nats(subject: unknown): Filter {
  return read('nats', subject, () => {
    const text = patternText(subject, 'subject of NATS')
    refuseWildcards('nats', text)
    return onTopic(text, 'nats')
  })
}

/** Subjects of NATS. */
export const natsLanguage: Language = {
  name: 'nats',
  title: 'subjects of NATS: * >',
  form: 'text',
  example: 'eu.*.ACME',
  parse: nats,
}
