// What a node needs of the platform it runs on, the same in Node and in a browser tab: chance, a turn of the event loop,
// and what Node alone has, asked for only where it is. A file that says `import 'node:…'` cannot be loaded in a tab.

/** Random bytes are drawn from the platform in blocks of this size: a call for each few bytes costs a microsecond. */
const POOL_BYTES = 4096
/** Whole numbers below 2^48 are exact, and six bytes hold one. */
const DRAW_BYTES = 6
const DRAW_LIMIT = 2 ** 48

const pool = new Uint8Array(POOL_BYTES)
let used = POOL_BYTES

/** Bytes that nobody can foresee, from the platform's generator. */
export function randomBytes(length: number): Uint8Array {
  if (length > POOL_BYTES / 4) return drawnBytes(length)
  if (used + length > POOL_BYTES) {
    globalThis.crypto.getRandomValues(pool)
    used = 0
  }
  const bytes = pool.slice(used, used + length)
  // What was given out is not kept: a copy of this memory must not tell past keys.
  pool.fill(0, used, used + length)
  used += length
  return bytes
}

/** The platform gives at most 65,536 bytes at once. */
function drawnBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 65_536) globalThis.crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

/** A whole number from 0 to bound - 1, each as likely as the others; the bound is at most 2^48. */
export function randomBelow(bound: number): number {
  if (!(Number.isInteger(bound) && bound >= 1 && bound <= DRAW_LIMIT)) {
    throw new RangeError(`a random number is drawn below a whole number from 1 to 2^48, not ${bound}`)
  }
  // Above the largest multiple of the bound, small results would come more often: such a draw is thrown away.
  const fair = DRAW_LIMIT - (DRAW_LIMIT % bound)
  for (;;) {
    const bytes = randomBytes(DRAW_BYTES)
    const drawn = bytes.reduce((sum, byte) => sum * 256 + byte, 0)
    if (drawn < fair) return drawn % bound
  }
}

/** Runs after the timers and sockets that are due have had their turn: a microtask would starve them. */
export const soon: (run: () => void) => void =
  typeof globalThis.setImmediate === 'function' ? run => void setImmediate(run) : soonByMessage()

/** A tab has no `setImmediate`, and delays nested timers by 4 ms; a message to oneself is a turn without delay. */
function soonByMessage(): (run: () => void) => void {
  const waiting: (() => void)[] = []
  const { port1, port2 } = new MessageChannel()
  // The types are Node's, where it is an emitter; this line runs only in a tab.
  Object.assign(port1, { onmessage: () => waiting.shift()?.() })
  return run => {
    waiting.push(run)
    port2.postMessage(undefined)
  }
}

/** The timer does not keep the process alive. A tab has no such thing. */
export function inBackground<Timer>(timer: Timer): Timer {
  ;(timer as { unref?(): void }).unref?.()
  return timer
}

/** More than ten may listen to this signal, and that is no leak: Node would warn. */
export function allowManyListeners(signal: AbortSignal): void {
  globalThis.process?.getBuiltinModule?.('node:events').setMaxListeners(0, signal)
}
