// An MQTT broker as a carrier: a name is the topic c/NAME. Version 5, quality of service 0: what a secret channel needs it
// says itself. Only what asks whether we may send goes with quality 1: a broker answers to nothing else, and some take nothing else than 0.

import type { IConnackPacket, MqttClient } from 'mqtt'
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
/**
 * How often a broker may break the connection instead of an answer. The library sends again what was not answered: one that breaks it at
 * what this client may not send would break each, once a second, and nothing would be heard any more.
 */
const CUTS_MAX = 2

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
      const packet = await connected(client, address)
      return new MqttCarrier(client, { url: address.url, prefix, hear, tell }, packet)
    },
  }
}

function connected(client: MqttClient, address: BrokerAddress): Promise<IConnackPacket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      client.end(true)
      reject(notReached(address, 'MQTT broker', error))
    }
    const timer = setTimeout(() => fail(new Error(`no answer in ${CONNECT_MS} ms`)), CONNECT_MS)
    // Not once: an error that nobody hears would end the process.
    client.on('error', fail)
    client.once('connect', packet => {
      clearTimeout(timer)
      client.off('error', fail)
      resolve(packet)
    })
  })
}

/** A message that asks whether we may send. */
interface Asking {
  id: number
  cuts: number
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
  /** Not answered yet. */
  private readonly asking = new Set<Asking>()
  /** The broker has greeted us on this connection. */
  private isGreeted = true
  /** A broker may take quality 0 only: it breaks the connection of who asks. */
  private answers: boolean

  constructor(client: MqttClient, about: About, packet: IConnackPacket) {
    this.client = client
    this.about = about
    this.answers = hasAnswers(packet)
    const { prefix, hear } = about
    // A broker that goes away comes back by itself.
    client.on('error', error => this.refusedAgain(error))
    client.on('close', () => {
      this.cut()
      this.turned(false, 'the connection broke')
    })
    client.on('packetreceive', packet => {
      if (packet.cmd === 'connack' && packet.reasonCode === 0) this.greeted()
    })
    client.on('connect', packet => {
      this.answers = hasAnswers(packet)
      this.turned(true, 'it is connected again')
    })
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
    if (!this.answers) return this.put(topic, body)
    // Letters of secret channels are drawn at random: no broker has rights for each.
    return this.admission.pass(prefix || topic, { ask: () => this.ask(topic, body), send: () => this.put(topic, body) })
  }

  private put(topic: string, body: Uint8Array): undefined {
    this.sent = new Promise(resolve => {
      this.client.publish(topic, body as Buffer, { qos: 0 }, resolve)
    })
  }

  private ask(topic: string, body: Uint8Array): Promise<void> {
    const asking: Asking = { id: 0, cuts: 0 }
    const answered = new Promise<void>((resolve, reject) => {
      const heard = (error?: Error) => {
        this.asking.delete(asking)
        const why = asking.cuts < CUTS_MAX ? refusalIn(error) : 'it breaks the connection instead of an answer'
        if (why === undefined) {
          this.isMute = false
          return resolve()
        }
        this.mute(why)
        reject(mayNotSend(this.about.url, why))
      }
      const cbStorePut = () => {
        asking.id = this.client.getLastMessageId()
        this.asking.add(asking)
      }
      this.client.publish(topic, body as Buffer, { qos: 1, cbStorePut }, heard)
    })
    this.sent = answered.catch(() => {})
    return answered
  }

  /** The connection broke, and some answers have not come. A broker that is away has broken nothing. */
  private cut(): void {
    if (!this.isGreeted) return
    this.isGreeted = false
    for (const one of this.asking) one.cuts++
  }

  /** Behind this the library sends again what was not answered, and then says that it is connected. */
  private greeted(): void {
    this.isGreeted = true
    for (const { cuts, id } of [...this.asking]) if (cuts >= CUTS_MAX) this.client.removeOutgoingMessage(id)
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

function hasAnswers({ properties }: IConnackPacket): boolean {
  return properties?.maximumQoS !== 0
}

/** Why the broker does not take a message. Without a code it is no answer: the connection broke, and it is sent again when it is back. */
function refusalIn(error: Error | undefined): string | undefined {
  return typeof (error as { code?: unknown } | undefined)?.code === 'number' ? error!.message : undefined
}
