// Has this message come before? A security decision, so there are no false negatives (protocols/filters): for each author
// the last boot, the highest counter, and a bitmap of the window below it. What is in the bitmap is a replay. What is older
// than the window is refused unread, and so is everything of an earlier boot. A filter that forgets may never decide this.

import { assert } from '../core/index.ts'

/** How far messages of one author may overtake each other before the slowest is refused. */
export const REPLAY_WINDOW = 1_024
const WORD_BITS = 32

/** What is known of one author: plain data. */
export interface ReplayWindow {
  readonly boot: number
  readonly highest: number
  /** Bit c modulo the width is set if counter c came; only counters of the window count. Its length gives the width. */
  readonly seen: readonly number[]
}

/** Whether a message is new; if so, the window that has it. */
export type Admission =
  | { readonly fresh: true; readonly window: ReplayWindow }
  | { readonly fresh: false; readonly why: 'replayed' | 'too old' | 'an earlier boot' }

/**
 * Whether the message is fresh, and the window after it. Keep that window only if the message comes from the author: check
 * the signature first, or anybody moves the window. The width counts for an author's first window, and is kept.
 */
export function admit(
  window: ReplayWindow | undefined,
  boot: number,
  counter: number,
  width = REPLAY_WINDOW,
): Admission {
  if (window === undefined || boot > window.boot) {
    const empty = emptyWindow(boot, counter, window === undefined ? width : widthOf(window))
    return { fresh: true, window: marked(empty, counter) }
  }
  if (boot < window.boot) return { fresh: false, why: 'an earlier boot' }
  if (counter > window.highest) return { fresh: true, window: marked(slid(window, counter), counter) }
  if (counter <= window.highest - widthOf(window)) return { fresh: false, why: 'too old' }
  if (isMarked(window, counter)) return { fresh: false, why: 'replayed' }
  return { fresh: true, window: marked(window, counter) }
}

function emptyWindow(boot: number, highest: number, width: number): ReplayWindow {
  assert(width > 0 && width % WORD_BITS === 0, `a window is whole words wide: ${width}`)
  return { boot, highest, seen: new Array(width / WORD_BITS).fill(0) }
}

const widthOf = ({ seen }: ReplayWindow) => seen.length * WORD_BITS
const wordOf = (window: ReplayWindow, counter: number) => Math.floor((counter % widthOf(window)) / WORD_BITS)
const bitOf = (counter: number) => 1 << (counter % WORD_BITS)

function isMarked(window: ReplayWindow, counter: number): boolean {
  return (window.seen[wordOf(window, counter)]! & bitOf(counter)) !== 0
}

function marked(window: ReplayWindow, counter: number): ReplayWindow {
  const word = wordOf(window, counter)
  return { ...window, seen: window.seen.with(word, window.seen[word]! | bitOf(counter)) }
}

/** The places of counters that now enter the window belonged to counters that leave it: cleared. */
function slid(window: ReplayWindow, highest: number): ReplayWindow {
  const width = widthOf(window)
  if (highest - window.highest >= width) return emptyWindow(window.boot, highest, width)
  const seen = [...window.seen]
  for (let counter = window.highest + 1; counter <= highest; counter++) {
    seen[wordOf(window, counter)]! &= ~bitOf(counter)
  }
  return { ...window, highest, seen }
}
