// A carrier: a broker that is asked to carry bytes under names, and trusted with nothing else. One interface, one file a
// broker; their client libraries are optional packages, loaded when a carrier is opened.

import { SettingsError, Unavailable } from '../../core/index.ts'

/** How long a broker's answer is waited for. It is not trusted: it may say that it is there, and never answer. */
export const ANSWER_MS = 10_000
/** How long a broker may take to let go of a connection. Then it is broken. */
const CLOSE_MS = 2_000

/** What a carrier calls when something came. */
export type Hear = (name: string, body: Uint8Array) => void

/** What a carrier tells of itself: its connection broke, is there again, or the broker does not let us listen or send. */
export interface CarrierNews {
  readonly is: 'lost' | 'back' | 'refusing'
  readonly why: string
}

/** What a carrier calls when there is news of itself. */
export type Tell = (news: CarrierNews) => void

/** A connection to a broker. It is made again by itself when it breaks; what is sent meanwhile is lost. */
export interface OpenCarrier {
  /** False while the connection is broken. */
  readonly isConnected: boolean
  listen(name: string): void
  leave(name: string): void
  /**
   * Throws where the broker could not take it. A promise where the broker was asked whether we may send: it rejects where we may not.
   * Without one it let us a moment ago, or cannot say.
   */
  send(name: string, body: Uint8Array): Promise<void> | undefined | void
  /**
   * Everything sent before has left this process, and the broker has said that it listens for us to all that was asked for: what is
   * sent by whoever hears of it comes. Rejects where the broker is away, does not answer, or lets us not listen.
   */
  flush(): Promise<void>
  close(): Promise<void>
}

/** A broker that can be opened: made by `nats` or `mqttBroker`. */
export interface Carrier {
  /** Its address, for people. */
  readonly url: string
  /** Connects, or says why it could not. Names are letters of a secret channel, or topics with levels as MQTT writes them. */
  open(hear: Hear, names?: 'letters' | 'plain', tell?: Tell): Promise<OpenCarrier>
}

/** Why nothing can be asked of a broker now. */
export function isAway(url: string): Unavailable {
  return new Unavailable(`${url} is not connected. It is dialled again by itself: try again, and check that it runs.`)
}

/** A broker's answer to what must be answered; rejects where none comes in time. */
export async function answerOf<Answer>(url: string, answer: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    const why = `${url} is connected, and has not answered in ${ANSWER_MS} ms. Try again, and check that it runs.`
    timer = setTimeout(() => reject(new Unavailable(why)), ANSWER_MS)
  })
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer))
}

/** Ends a connection in good order; where the broker has no part in it, by force. */
export async function endedBy(ending: Promise<unknown>, force: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(() => resolve(void force()), CLOSE_MS)
  })
  await Promise.race([ending, late]).finally(() => clearTimeout(timer))
}

/** Why nothing is heard under a name. */
export function mayNotListen(url: string, why: string): Unavailable {
  return new Unavailable(`${url} does not let this client listen: ${why}. Check what its user may subscribe to there.`)
}

/** Why nothing that is sent under a name reaches anybody. */
export function mayNotSend(url: string, why: string): Unavailable {
  return new Unavailable(`${url} does not let this client send: ${why}. Check what its user may publish there.`)
}

/** Everything said so far has reached one of these, at least. Rejects where none is left that listens for us. */
export async function flushAll(open: readonly OpenCarrier[]): Promise<void> {
  const tried = await Promise.allSettled(open.map(one => one.flush()))
  const failed = tried.find(one => one.status === 'rejected')
  if (failed !== undefined && tried.every(one => one.status === 'rejected')) throw failed.reason
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
