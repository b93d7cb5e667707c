// NATS as a carrier: a name is the subject c.NAME. Core NATS, at most once: what a secret channel needs it says itself.

import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { optionsSchema, type Schema, textOf, Unavailable } from '../../core/index.ts'
import { CARRIED_PREFIX, type Carrier, checkUrl, notInstalled } from './carrier.ts'

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
    async open(hear) {
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
      return opened(connection, hear)
    },
  }
}

function opened(connection: NatsConnection, hear: (name: string, body: Uint8Array) => void) {
  const listening = new Map<string, Subscription>()
  return {
    listen(name: string) {
      if (listening.has(name)) return
      const callback = (error: Error | null, message: { data: Uint8Array }) => {
        if (error === null) hear(name, message.data)
      }
      listening.set(name, connection.subscribe(PREFIX + name, { callback }))
    },
    leave(name: string) {
      listening.get(name)?.unsubscribe()
      listening.delete(name)
    },
    send(name: string, body: Uint8Array) {
      if (!connection.isClosed()) connection.publish(PREFIX + name, body)
    },
    flush: () => connection.flush(),
    async close() {
      if (!connection.isClosed()) await connection.drain()
    },
  }
}
