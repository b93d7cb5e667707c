// Sequential models for the linearizability checker: what a correct single copy would answer.

import type { Model } from './model.ts'

/** What registers and queues hold. */
export type Value = string | number | null

/** What is asked of registers. */
export type RegisterCall =
  | { readonly kind: 'read'; readonly key: string }
  | { readonly kind: 'write'; readonly key: string; readonly value: Value }
  /** Writes where the value is the expected one; answers whether it did. */
  | { readonly kind: 'swap'; readonly key: string; readonly expected: Value; readonly value: Value }

/** Registers by key. A read answers the value, a write null, a swap true or false. */
export const registers: Model<Value, RegisterCall, Value | boolean> = {
  initial: null,
  partition: call => call.key,
  reads: call => call.kind === 'read',
  hint(call, result) {
    switch (call.kind) {
      case 'read':
        return { from: result as Value }
      case 'write':
        return { to: call.value, sets: true }
      case 'swap':
        return result === true ? { from: call.expected, to: call.value, sets: true } : { to: call.value }
    }
  },
  step(state, call) {
    switch (call.kind) {
      case 'read':
        return [{ state, result: state }]
      case 'write':
        return [{ state: call.value, result: null }]
      case 'swap':
        return state === call.expected ? [{ state: call.value, result: true }] : [{ state, result: false }]
    }
  },
}

/** What is asked of a counter. */
export type CounterCall = { readonly kind: 'read' } | { readonly kind: 'add'; readonly by: number }

/** One counter that only grows: `by` is above 0. An addition answers the sum, as if it had read what it wrote. */
export const counter: Model<number, CounterCall, number> = {
  initial: 0,
  reads: call => call.kind === 'read',
  forward: true,
  hint(call, result) {
    if (result === undefined) return undefined
    return call.kind === 'read' ? { from: result } : { from: result - call.by, to: result }
  },
  step(state, call) {
    const sum = call.kind === 'add' ? state + call.by : state
    return [{ state: sum, result: sum }]
  },
}

/** What is asked of a queue. */
export type QueueCall = { readonly kind: 'put'; readonly value: Value } | { readonly kind: 'take' }

/** First in, first out. A put answers null, and so does a take from an empty queue. */
export const queue: Model<readonly Value[], QueueCall, Value> = {
  initial: [],
  step(state, call) {
    if (call.kind === 'put') return [{ state: [...state, call.value], result: null }]
    const [first = null, ...rest] = state
    return [{ state: rest, result: first }]
  },
}
