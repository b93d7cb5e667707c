// Which numbers of one author were seen: a sliding window without false negatives (PROTOCOLS D). A number is taken once;
// what is older than the window is refused, seen or not.

export interface Window {
  readonly boot: number
  /** The largest number seen. */
  highest: number
  /** Bit i: highest - i was seen. */
  seen: bigint
}

/** Numbers an event may be late by: gossip reorders, but not by more than an author may have under way. */
export const WINDOW = 64

export function isFresh(window: Window | undefined, boot: number, number: number): boolean {
  if (window === undefined || boot > window.boot) return true
  if (boot < window.boot || number <= window.highest - WINDOW) return false
  return number > window.highest || (window.seen & (1n << BigInt(window.highest - number))) === 0n
}

export function marked(window: Window | undefined, boot: number, number: number): Window {
  if (window === undefined || boot > window.boot) return { boot, highest: number, seen: 1n }
  if (number <= window.highest) return { ...window, seen: window.seen | (1n << BigInt(window.highest - number)) }
  const shift = BigInt(Math.min(WINDOW, number - window.highest))
  return { boot, highest: number, seen: ((window.seen << shift) | 1n) & ((1n << BigInt(WINDOW)) - 1n) }
}
