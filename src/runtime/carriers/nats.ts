// NATS as a carrier: a name is the subject c.NAME. Core NATS, at most once: what a secret channel needs it says itself.

import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { optionsSchema, type Schema, textOf, Unavailable } from '../../core/index.ts'
import { CARRIED_PREFIX, type Carrier, checkUrl, type Hear, notInstalled } from './carrier.ts'

/** Who one is for a NATS server. */
export interface NatsOptions {
  readonly user?: string
  readonly password?: string
  readonly token?: string
}

const natsSchema: Schema<NatsOptions> = optionsSchema<NatsOptions>({
  user: textOf('a name'),
  password: textOf('a password'),
  token: textOf('a token'),
})
const PREFIX = `${CARRIED_PREFIX}.`
const CONNECT_MS = 5_000

/** A NATS server as a carrier. */
export function nats(url: string, options: NatsOptions = {}): Carrier {
  natsSchema('nats', options)
  const servers = checkUrl(url, 'nats', ['nats', 'tls'])
  return {
    url: servers,
    async open(hear, names) {
      const { connect } = await import('@nats-io/transport-node').catch(notInstalled('@nats-io/transport-node', '3'))
      const { user, password, token } = options
      const who = { ...(user && { user }), ...(password && { pass: password }), ...(token && { token }) }
      const connection = await connect({ servers, timeout: CONNECT_MS, maxReconnectAttempts: -1, ...who }).catch(
        error => {
          throw new Unavailable(
            `${servers} cannot be reached: ${(error as Error).message}. Check that the NATS server runs.`,
          )
        },
      )
      return opened(connection, hear, names === 'plain' ? plainNames : letters)
    },
  }
}

/** What a name is called here, and a subject there. */
interface Naming {
  /** A name that is listened to may stand for several subjects. */
  listened(name: string): readonly string[]
  subject(name: string): string
  name(subject: string): string
}

const letters: Naming = {
  listened: name => [PREFIX + name],
  subject: name => PREFIX + name,
  name: subject => subject.slice(PREFIX.length),
}

const plainNames: Naming = {
  // As in MQTT, a/# has a itself.
  listened: name =>
    name.endsWith('/#') ? [dotted(name.slice(0, -2)), `${dotted(name.slice(0, -1))}>`] : [dotted(name)],
  subject: dotted,
  name: subject => subject.replaceAll('.', '/'),
}

function dotted(topic: string): string {
  return topic.replaceAll('/', '.')
}

function opened(connection: NatsConnection, hear: Hear, { listened, subject, name: nameOf }: Naming) {
  const listening = new Map<string, readonly Subscription[]>()
  return {
    listen(name: string) {
      if (listening.has(name)) return
      const callback = (error: Error | null, message: { subject: string; data: Uint8Array }) => {
        if (error === null) hear(nameOf(message.subject), message.data)
      }
      listening.set(
        name,
        listened(name).map(one => connection.subscribe(one, { callback })),
      )
    },
    leave(name: string) {
      for (const one of listening.get(name) ?? []) one.unsubscribe()
      listening.delete(name)
    },
    send(name: string, body: Uint8Array) {
      if (!connection.isClosed()) connection.publish(subject(name), body)
    },
    flush: () => connection.flush(),
    async close() {
      if (!connection.isClosed()) await connection.drain()
    },
  }
}
