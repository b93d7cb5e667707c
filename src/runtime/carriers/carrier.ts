// A carrier: a broker that is asked to carry bytes under names, and trusted with nothing else. One interface, one file a
// broker; their client libraries are optional packages, loaded when a carrier is opened.

import { SettingsError } from '../../core/index.ts'

/** What a carrier calls when something came. */
export type Hear = (name: string, body: Uint8Array) => void

/** A connection to a broker. It is made again by itself when it breaks; what was sent meanwhile may be lost. */
export interface OpenCarrier {
  listen(name: string): void
  leave(name: string): void
  send(name: string, body: Uint8Array): void
  /** Everything sent before has left this process. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A broker that can be opened: made by `nats` or `mqttBroker`. */
export interface Carrier {
  /** Its address, for people. */
  readonly url: string
  /** Connects, or says why it could not. Names are letters of a secret channel, or topics with levels as MQTT writes them. */
  open(hear: Hear, names?: 'letters' | 'plain'): Promise<OpenCarrier>
}

/** A name is letters, digits, - and _ only: it means the same in a subject and in a topic. */
export const CARRIED_PREFIX = 'c'

/**
 * What to say where the package is not there: `import('mqtt').catch(notInstalled('mqtt', '5'))`. A bundler that sees the `catch` right
 * behind the import lets the package be missing.
 */
export function notInstalled(name: string, version: string): (error: unknown) => never {
  return error => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new SettingsError(
      `this carrier needs the package ${name}, which is not installed. Install it: npm install ${name}@${version}.`,
    )
  }
}

/** Refuses what is no address of this kind of broker. */
export function checkUrl(url: unknown, call: string, schemes: readonly string[]): string {
  const scheme = typeof url === 'string' ? /^([a-z]+):\/\/./.exec(url)?.[1] : undefined
  if (scheme !== undefined && schemes.includes(scheme)) return url as string
  throw new SettingsError(
    `${call} takes the address of a broker, such as ${schemes[0]}://127.0.0.1, not ${JSON.stringify(url) ?? 'nothing'}.`,
  )
}
