// A guard for any work in one process: it decides on the token and runs the work as one step.
//
// Why deciding alone is not enough: A (token 1) is let pass and stops before its write; B (token 2) is let pass and
// writes; A wakes and writes. Each decision was right, and the stale write got through. So the work belongs inside:
// on one resource one piece of work runs at a time, from its decision to its end.

import { called, checkValue, objectWith, Unavailable, whole } from '../core/index.ts'
import { checkResource, checkToken, type Token } from './decision.ts'
import { demandPass } from './errors.ts'
import type { TokenStore } from './store.ts'

/** Lets work pass only with a token that no larger one has overtaken. */
export interface Guard {
  /** Runs `work` if no larger token has passed for this resource, else rejects with StaleToken and does not run it. */
  run<T>(resource: string, token: Token, work: () => Promise<T> | T): Promise<T>
}

/** Of one resource. More means that the work hangs or that somebody floods it; each one holds memory. */
const WAITING_MAX = 1_000
const WORK = called('that does what the token fences')
const STORE = objectWith(['admit'], 'a store of tokens, such as memoryTokens()')

/**
 * A guard over a store of tokens. It protects what this process alone writes: two processes with one store would each
 * decide rightly and still write in the wrong order. Work that never ends holds its resource for ever, on purpose: it
 * may still write.
 */
export function createGuard(store: TokenStore, waitingMax = WAITING_MAX): Guard {
  checkValue('store', STORE, store)
  checkValue('waitingMax', whole(1), waitingMax)
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>()
  return {
    async run(resource, given, work) {
      checkResource(resource)
      const token = checkToken(given)
      checkValue('work', WORK, work)
      const line = lines.get(resource) ?? { last: Promise.resolve(), waiting: 0 }
      if (line.waiting >= waitingMax) {
        throw new Unavailable(`'${resource}': ${waitingMax} writes wait for one that has not ended. Try again later.`)
      }
      lines.set(resource, line)
      line.waiting++
      const mine = line.last.then(async () => {
        demandPass(resource, token, await store.admit(resource, token))
        return work()
      })
      // The next caller waits for the end, good or bad.
      line.last = mine.catch(() => {})
      try {
        return await mine
      } finally {
        line.waiting--
        if (line.waiting === 0) lines.delete(resource)
      }
    },
  }
}
