// Topic filters of MQTT: eu/+/ACME, eu/#, $share/NAME/eu/#. See topics.ts for what they mean.

import type { Filter } from '../canonical.ts'
import type { Language } from './language.ts'
import { read, refuseWildcards } from './strangers.ts'
import { onTopic, patternText, sharedOf } from './topic-patterns.ts'

/** A topic filter of MQTT on the attribute `topic`. A shared subscription's name becomes the filter's queue. */
export function mqtt(filter: unknown): Filter {
  return read('mqtt', filter, () => readTopics(patternText(filter, 'topic filter of MQTT')))
}

function readTopics(text: string): Filter {
  refuseWildcards('mqtt', text)
  const shared = sharedOf(text)
  return shared === undefined ? onTopic(text, 'mqtt') : onTopic(shared.pattern, 'mqtt', shared.queue)
}

/** Topic filters of MQTT. */
export const mqttLanguage: Language = {
  name: 'mqtt',
  title: 'topic filters of MQTT: + # $share/NAME/…',
  form: 'text',
  example: 'eu/+/ACME',
  parse: mqtt,
}
