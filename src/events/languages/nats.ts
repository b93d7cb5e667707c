// Subjects of NATS: eu.*.ACME, eu.>. See topics.ts for what they mean.

import type { Filter } from '../canonical.ts'
import type { Language } from './language.ts'
import { onTopic, patternText } from './topic-patterns.ts'

/** A subject of NATS on the attribute `topic`, whose levels have dots between them. */
export function nats(subject: unknown): Filter {
  return onTopic(patternText(subject, 'subject of NATS'), 'nats')
}

/** Subjects of NATS. */
export const natsLanguage: Language = {
  name: 'nats',
  title: 'subjects of NATS: * >',
  form: 'text',
  example: 'eu.*.ACME',
  parse: nats,
}
