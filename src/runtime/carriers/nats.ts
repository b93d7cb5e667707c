// NATS as a carrier: a name is the subject c.NAME. Core NATS, at most once: what a secret channel needs it says itself.

import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import { optionsSchema, type Schema, textOf, Unavailable } from '../../core/index.ts'
import { brokerAddress, notReached } from './address.ts'
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
/** Refused subjects that nobody has asked about. */
const MUTE_MAX = 10_000

/** A NATS server as a carrier. */
export function nats(url: string, options: NatsOptions = {}): Carrier {
  natsSchema('nats', options)
  const address = brokerAddress(url, 'nats', ['nats', 'tls'], options)
  const { url: servers, isTls } = address
  return {
    url: servers,
    async open(hear, names, tell = () => {}) {
      const { connect } = await import('@nats-io/transport-node').catch(notInstalled('@nats-io/transport-node', '3'))
      const { user, password, token } = address.login
      const who = { ...(user && { user }), ...(password && { pass: password }), ...(token && { token }) }
      // Without `tls` the library believes a server that says it has none, and sends the password as it is.
      const how = { timeout: CONNECT_MS, maxReconnectAttempts: -1, ...(isTls && { tls: {} }) }
      // A password that was changed is known again later: it is dialled on, and the refusal is told.
      const connection = await connect({ servers, ignoreAuthErrorAbort: true, ...how, ...who }).catch(error => {
        throw notReached(address, 'NATS server', error)
      })
      return new NatsCarrier(connection, { url: servers, hear, tell }, names === 'plain' ? plainNames : letters)
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

interface About {
  readonly url: string
  readonly hear: Hear
  readonly tell: Tell
}

class NatsCarrier implements OpenCarrier {
  isConnected = true
  private readonly connection: NatsConnection
  private readonly about: About
  private readonly naming: Naming
  private readonly listening = new Map<string, readonly Subscription[]>()
  /** Names that the server does not let us listen to, and why. */
  private readonly denied = new Map<string, string>()
  /** What was told of refusals since the connection was made: each message would be refused anew. */
  private readonly refused = new Set<string>()
  private readonly admission = new Admission(() => performance.now())
  /** Subjects that the server did not let us send to since we asked, and why. */
  private readonly mute = new Map<string, string>()

  constructor(connection: NatsConnection, about: About, naming: Naming) {
    this.connection = connection
    this.about = about
    this.naming = naming
    void this.follow()
  }

  listen(name: string): void {
    if (this.listening.has(name)) return
    const callback = (error: Error | null, message: { subject: string; data: Uint8Array }) => {
      if (error === null) this.about.hear(this.naming.name(message.subject), message.data)
      else this.denied.set(name, error.message)
    }
    const subjects = this.naming.listened(name)
    this.listening.set(
      name,
      subjects.map(one => this.connection.subscribe(one, { callback })),
    )
  }

  leave(name: string): void {
    for (const one of this.listening.get(name) ?? []) one.unsubscribe()
    this.listening.delete(name)
    this.denied.delete(name)
  }

  send(name: string, body: Uint8Array): Promise<void> | undefined {
    // What the library takes while it is not connected, it throws away when it dials.
    if (!this.isConnected || this.connection.isClosed()) return undefined
    const subject = this.naming.subject(name)
    const key = subject.startsWith(PREFIX) && this.naming === letters ? PREFIX : subject
    return this.admission.pass(key, { ask: () => this.ask(subject, body), send: () => this.put(subject, body) })
  }

  private put(subject: string, body: Uint8Array): void {
    try {
      this.connection.publish(subject, body)
    } catch (error) {
      throw new Unavailable(`${this.about.url} does not take ${body.length} bytes: ${(error as Error).message}.`)
    }
  }

  /** A server answers in order: what it refuses, it refuses before it answers to the next word. */
  private ask(subject: string, body: Uint8Array): Promise<void> {
    this.put(subject, body)
    return this.answerTo(subject)
  }

  private async answerTo(subject: string): Promise<void> {
    this.mute.delete(subject)
    // A connection that broke has answered nothing.
    await this.connection.flush().catch(() => {})
    // What came before the answer is told on a way of its own.
    await new Promise(resolve => setImmediate(resolve))
    const why = this.mute.get(subject)
    this.mute.delete(subject)
    if (why !== undefined) throw mayNotSend(this.about.url, why)
  }

  async flush(): Promise<void> {
    const { url } = this.about
    if (!this.isConnected) throw isAway(url)
    // A server answers in order: what it refuses, it refuses before this answer.
    const answered = this.connection.flush().catch(() => {
      throw isAway(url)
    })
    await answerOf(url, answered)
    for (const why of this.denied.values()) throw mayNotListen(url, why)
  }

  async close(): Promise<void> {
    const { connection } = this
    if (connection.isClosed()) return
    // Without a connection nothing can be drained.
    const ended = (this.isConnected ? connection.drain() : connection.close()).catch(() => connection.close())
    await endedBy(ended, () => connection.close())
    this.admission.close()
  }

  private async follow(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'disconnect') this.turned('lost', 'the connection broke')
      else if (status.type === 'reconnect') this.turned('back', 'it is connected again')
      else if (status.type === 'error') this.refusal(status.error)
    }
  }

  private turned(is: 'lost' | 'back', why: string): void {
    this.isConnected = is === 'back'
    this.denied.clear()
    this.refused.clear()
    this.mute.clear()
    this.admission.forget()
    this.about.tell({ is, why })
  }

  private refusal(error: Error): void {
    const { operation = '', subject = '' } = error as { operation?: string; subject?: string }
    if (operation === 'publish' && this.mute.size < MUTE_MAX) this.mute.set(subject, error.message)
    // Dialled again, it may refuse the login that it took before.
    const what =
      operation === '' && /^(UserAuthenticationExpired|Authorization)Error$/.test(error.name) ? 'login' : operation
    if (what === '' || this.refused.has(what)) return
    this.refused.add(what)
    this.about.tell({ is: 'refusing', why: error.message })
  }
}
