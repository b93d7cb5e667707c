// An MQTT broker as a carrier: a name is the topic c/NAME. Version 5, quality of service 0: what a secret channel needs it
// says itself.

import type { MqttClient } from 'mqtt'
import { optionsSchema, type Schema, textOf, Unavailable } from '../../core/index.ts'
import { CARRIED_PREFIX, type Carrier, checkUrl, notInstalled } from './carrier.ts'

/** Who one is for an MQTT broker. */
export interface MqttOptions {
  readonly user?: string
  readonly password?: string
}

const mqttSchema: Schema<MqttOptions> = optionsSchema<MqttOptions>({
  user: textOf('a name'),
  password: textOf('a password'),
})
const PREFIX = `${CARRIED_PREFIX}/`
const CONNECT_MS = 5_000

/** An MQTT broker as a carrier. */
export function mqttBroker(url: string, options: MqttOptions = {}): Carrier {
  mqttSchema('mqttBroker', options)
  const address = checkUrl(url, 'mqttBroker', ['mqtt', 'mqtts', 'ws', 'wss'])
  return {
    url: address,
    async open(hear, names) {
      const prefix = names === 'plain' ? '' : PREFIX
      const { connect } = await import('mqtt').catch(notInstalled('mqtt', '5'))
      const { user, password } = options
      const who = { ...(user && { username: user }), ...(password && { password }) }
      const client = connect(address, { protocolVersion: 5, connectTimeout: CONNECT_MS, ...who })
      await connected(client, address)
      // A broker that goes away comes back by itself; an error is told by what is missed.
      client.on('error', () => {})
      client.on('message', (topic, body) => {
        if (topic.startsWith(prefix)) hear(topic.slice(prefix.length), body)
      })
      return opened(client, prefix)
    },
  }
}

function connected(client: MqttClient, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      client.end(true)
      const why = error.message || (error as { code?: string }).code || 'no answer'
      reject(new Unavailable(`${address} cannot be reached: ${why}. Check that the MQTT broker runs.`))
    }
    const timer = setTimeout(() => fail(new Error(`no answer in ${CONNECT_MS} ms`)), CONNECT_MS)
    client.once('error', fail)
    client.once('connect', () => {
      clearTimeout(timer)
      client.off('error', fail)
      resolve()
    })
  })
}

function opened(client: MqttClient, prefix: string) {
  let sent: Promise<unknown> = Promise.resolve()
  return {
    listen(name: string) {
      client.subscribe(prefix + name, { qos: 0 })
    },
    leave(name: string) {
      client.unsubscribe(prefix + name)
    },
    send(name: string, body: Uint8Array) {
      sent = new Promise(resolve => {
        client.publish(prefix + name, body as Buffer, { qos: 0 }, resolve)
      })
    },
    async flush() {
      await sent
    },
    close: () => client.endAsync(),
  }
}
