import { refuse, suggestion } from '../refusals.ts'
import { cloudEventsLanguage } from './cloud-events.ts'
import { eventBridgeLanguage } from './event-bridge.ts'
import type { Language } from './language.ts'
import { mqttLanguage } from './mqtt.ts'
import { natsLanguage } from './nats.ts'
import { ownLanguage } from './own.ts'
import { pubSubLanguage } from './pub-sub.ts'
import { snsLanguage } from './sns.ts'

export { cloudEvents } from './cloud-events.ts'
export { eventBridge } from './event-bridge.ts'
export { flatten } from './flatten.ts'
export type { Language } from './language.ts'
export { mqtt } from './mqtt.ts'
export { nats } from './nats.ts'
export { pubSub } from './pub-sub.ts'
export { sns } from './sns.ts'
export { looksLike } from './strangers.ts'

/** All languages in which a filter may be written: one line for each. */
export const languages: readonly Language[] = [
  ownLanguage,
  snsLanguage,
  eventBridgeLanguage,
  pubSubLanguage,
  cloudEventsLanguage,
  mqttLanguage,
  natsLanguage,
]

/** The language of this name. Throws `InvalidFilter` with those that there are. */
export function languageNamed(name: string): Language {
  const names = languages.map(language => language.name)
  const found = languages.find(language => language.name === name)
  return found ?? refuse(`there is no language '${name.slice(0, 64)}': ${names.join(', ')}.${suggestion(name, names)}`)
}
