// An MQTT broker as a carrier: a name is the topic c/NAME. Version 5, quality of service 0: what a secret channel needs it
// says itself. Only what asks whether we may send goes with quality 1: a broker answers to nothing else.

import type { MqttClient } from 'mqtt'
import { optionsSchema, type Schema, textOf } from '../../core/index.ts'
import { type BrokerAddress, brokerAddress, notReached } from './address.ts'
import { Admission } from './admission.ts'
import {
  answerOf,
  CARRIED_PREFIX,
  type Carrier,
  endedBy,
  type Hear,
  isAway,
  mayNotListen,
  mayNotSend,
  notInstalled,
  type OpenCarrier,
  type Tell,
} from './carrier.ts'

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
  const address = brokerAddress(url, 'mqttBroker', ['mqtt', 'mqtts', 'ws', 'wss'], options)
  return {
    url: address.url,
    async open(hear, names, tell = () => {}) {
      const prefix = names === 'plain' ? '' : PREFIX
      const { connect } = await import('mqtt').catch(notInstalled('mqtt', '5'))
      const { user, password } = address.login
      const who = { ...(user && { username: user }), ...(password && { password }) }
      // What is sent while the broker is away would wait without a bound.
      // A password that was changed is known again later: it is dialled on, and the refusal is told.
      const dialled = { connectTimeout: CONNECT_MS, reconnectOnConnackError: true }
      const how = { protocolVersion: 5, queueQoSZero: false, ...dialled } as const
      const client = connect(address.url, { ...how, ...who })
      await connected(client, address)
      return new MqttCarrier(client, { url: address.url, prefix, hear, tell })
    },
  }
}

function connected(client: MqttClient, address: BrokerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      client.end(true)
      reject(notReached(address, 'MQTT broker', error))
    }
    const timer = setTimeout(() => fail(new Error(`no answer in ${CONNECT_MS} ms`)), CONNECT_MS)
    // Not once: an error that nobody hears would end the process.
    client.on('error', fail)
    client.once('connect', () => {
      clearTimeout(timer)
      client.off('error', fail)
      resolve()
    })
  })
}

interface About {
  readonly url: string
  readonly prefix: string
  readonly hear: Hear
  readonly tell: Tell
}

class MqttCarrier implements OpenCarrier {
  private readonly client: MqttClient
  private readonly about: About
  /** Topics whose subscription the broker has not answered yet. */
  private readonly asked = new Map<string, Promise<void>>()
  /** Topics that the broker does not let us listen to, and why. */
  private readonly denied = new Map<string, string>()
  private readonly admission = new Admission(() => performance.now())
  private sent: Promise<unknown> = Promise.resolve()
  private wasConnected = true
  /** That we may not send was told. */
  private isMute = false

  constructor(client: MqttClient, about: About) {
    this.client = client
    this.about = about
    const { prefix, hear } = about
    // A broker that goes away comes back by itself.
    client.on('error', error => this.refusedAgain(error))
    client.on('close', () => this.turned(false, 'the connection broke'))
    client.on('connect', () => this.turned(true, 'it is connected again'))
    client.on('message', (topic, body) => {
      if (topic.startsWith(prefix)) hear(topic.slice(prefix.length), body)
    })
  }

  get isConnected(): boolean {
    return this.client.connected
  }

  listen(name: string): void {
    const topic = this.about.prefix + name
    const answered = new Promise<void>(resolve => {
      this.client.subscribe(topic, { qos: 0 }, error => {
        if (this.asked.get(topic) === answered) this.asked.delete(topic)
        // With a broken connection it is asked for again by itself; what the broker has answered is its last word.
        if (error !== null && this.isConnected) this.refusal(topic, error.message)
        resolve()
      })
    })
    this.asked.set(topic, answered)
  }

  leave(name: string): void {
    const topic = this.about.prefix + name
    this.asked.delete(topic)
    this.denied.delete(topic)
    this.client.unsubscribe(topic)
  }

  send(name: string, body: Uint8Array): Promise<void> | undefined {
    if (!this.isConnected) return undefined
    const { prefix } = this.about
    const topic = prefix + name
    // Letters of secret channels are drawn at random: no broker has rights for each.
    return this.admission.pass(prefix || topic, { ask: () => this.ask(topic, body), send: () => this.put(topic, body) })
  }

  private put(topic: string, body: Uint8Array): void {
    this.sent = new Promise(resolve => {
      this.client.publish(topic, body as Buffer, { qos: 0 }, resolve)
    })
  }

  private ask(topic: string, body: Uint8Array): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => {
      this.client.publish(topic, body as Buffer, { qos: 1 }, error => {
        const code = (error as { code?: unknown } | undefined)?.code
        // Without a code it is no answer: the connection broke, and the message is sent again when it is back.
        if (typeof code === 'number') this.mute(error!.message)
        if (typeof code === 'number') return reject(mayNotSend(this.about.url, error!.message))
        this.isMute = false
        resolve()
      })
    })
    this.sent = answered.catch(() => {})
    return answered
  }

  private mute(why: string): void {
    if (!this.isMute) this.about.tell({ is: 'refusing', why })
    this.isMute = true
  }

  async flush(): Promise<void> {
    const { client } = this
    const { url } = this.about
    if (!this.isConnected) throw isAway(url)
    let broke = () => {}
    const gone = new Promise<never>((_, reject) => {
      broke = () => reject(isAway(url))
      client.once('close', broke)
    })
    // Somebody else may hear of it first.
    gone.catch(() => {})
    try {
      await answerOf(url, Promise.race([Promise.all([this.sent, ...this.asked.values()]), gone]))
    } finally {
      client.off('close', broke)
    }
    for (const why of this.denied.values()) throw mayNotListen(url, why)
  }

  async close(): Promise<void> {
    this.wasConnected = false
    // A connection that breaks while it is ended in good order is never said to have ended.
    const closed = new Promise<void>(resolve => this.client.once('close', () => resolve()))
    const ended = Promise.race([this.client.endAsync(!this.isConnected), closed])
    // The library waits for each answer that is owed, and then for the broker to hang up; and it ends only once.
    await endedBy(ended, () => this.client.stream.destroy())
    this.admission.close()
  }

  /** A broker that is away is dialled every second: only the first failure is news. */
  private turned(isConnected: boolean, why: string): void {
    if (isConnected === this.wasConnected) return
    this.wasConnected = isConnected
    this.isMute = false
    this.admission.forget()
    this.about.tell({ is: isConnected ? 'back' : 'lost', why })
  }

  /** Dialled again, it may refuse the login that it took before. */
  private refusedAgain({ code, message }: { readonly code?: unknown; readonly message: string }): void {
    if (typeof code !== 'number' || this.isMute) return
    this.mute(message)
  }

  private refusal(topic: string, why: string): void {
    if (this.denied.size === 0) this.about.tell({ is: 'refusing', why })
    this.denied.set(topic, why)
  }
}
