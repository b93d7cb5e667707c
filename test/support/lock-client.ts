// One lock client driven by hand, and four servers whose answers the test gives.

import type { ClientState } from '../../src/lock/client/state.ts'
import {
  type ClientCommand,
  type ClientEvent,
  type LockMessage,
  lockClient,
  lockDefaults,
} from '../../src/lock/index.ts'
import { Puppet } from './machine.ts'

export const SERVERS = ['s1', 's2', 's3', 's4']
/** Four servers, one may lie: three grants make a holder. */
const settings = {
  ...lockDefaults,
  liars: 1,
  drift: 0.01,
  ttlMax: 10_000,
  answerMax: 500,
  backoffBase: 2,
  backoffMax: 500,
}
export const BELIEF = Math.floor((1_000 * 0.99) / 1.01)

type Answering = 'granted' | 'locked' | 'recovering' | 'renewed' | 'notRenewed' | 'full' | number

export class Client extends Puppet<ClientState, LockMessage, ClientCommand, ClientEvent> {
  constructor() {
    super(lockClient(settings), SERVERS)
    this.start()
  }

  acquire(id = 1, wish: Partial<ClientCommand & { kind: 'acquire' }> = {}) {
    return this.command({ kind: 'acquire', id, name: 'a', ttl: 1_000, wait: true, renew: true, hint: 100, ...wish })
  }

  get acquisition() {
    return this.state.acquisitions.get('a')!
  }

  /** A server answers the attempt under way; a number is a token that it has granted already. */
  answers(from: string, what: Answering) {
    return this.hear(from, answer(what, this.acquisition.attempt, this.acquisition.token))
  }

  /** Acquires the lock with three grants. */
  holds(id = 1, wish: Partial<ClientCommand & { kind: 'acquire' }> = {}) {
    this.acquire(id, wish)
    return ['s1', 's2', 's3'].flatMap(server => this.answers(server, 'granted'))
  }
}

export function answer(what: Answering, attempt: number, token: number): LockMessage {
  const to = { name: 'a', attempt }
  if (typeof what === 'number') return { kind: 'tooLow', ...to, maximum: what }
  switch (what) {
    case 'granted':
    case 'renewed':
      return { kind: what, ...to, token, held: 10_000 }
    case 'notRenewed':
      return { kind: what, ...to, token }
    case 'locked':
    case 'recovering':
      return { kind: 'locked', ...to, remaining: 800, recovering: what === 'recovering' }
    case 'full':
      return { kind: 'full', ...to }
  }
}
