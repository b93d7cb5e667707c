// Has this message come before? A security decision, so there are no false negatives: for each author the last boot, the
// highest counter, and a bitmap of the window below it. What is in the bitmap is a replay, what is older than the window
// is refused unread, and so is everything of an earlier boot. (A filter that forgets may never decide this.)

/** So many messages of one author may overtake each other before the slowest is refused. */
export const REPLAY_WINDOW = 1_024
const WORD_BITS = 32
const WORDS = REPLAY_WINDOW / WORD_BITS

/** What is known of one author: plain data. */
export interface ReplayWindow {
  readonly boot: number
  readonly highest: number
  /** Bit c mod 1,024 is set if counter c came; only counters of the window count. */
  readonly seen: readonly number[]
}

export type Admission =
  | { readonly fresh: true; readonly window: ReplayWindow }
  | { readonly fresh: false; readonly why: 'replayed' | 'too old' | 'an earlier boot' }

/** Only for what is known to come from the author: check the signature first, or anybody moves the window. */
export function admit(window: ReplayWindow | undefined, boot: number, counter: number): Admission {
  if (window === undefined || boot > window.boot) {
    return { fresh: true, window: marked({ boot, highest: counter, seen: new Array(WORDS).fill(0) }, counter) }
  }
  if (boot < window.boot) return { fresh: false, why: 'an earlier boot' }
  if (counter > window.highest) return { fresh: true, window: marked(slid(window, counter), counter) }
  if (counter <= window.highest - REPLAY_WINDOW) return { fresh: false, why: 'too old' }
  if (isMarked(window, counter)) return { fresh: false, why: 'replayed' }
  return { fresh: true, window: marked(window, counter) }
}

const wordOf = (counter: number) => Math.floor((counter % REPLAY_WINDOW) / WORD_BITS)
const bitOf = (counter: number) => 1 << (counter % WORD_BITS)

function isMarked(window: ReplayWindow, counter: number): boolean {
  return (window.seen[wordOf(counter)]! & bitOf(counter)) !== 0
}

function marked(window: ReplayWindow, counter: number): ReplayWindow {
  const word = wordOf(counter)
  return { ...window, seen: window.seen.with(word, window.seen[word]! | bitOf(counter)) }
}

/** The places of counters that now enter the window belonged to counters that leave it: cleared. */
function slid(window: ReplayWindow, highest: number): ReplayWindow {
  if (highest - window.highest >= REPLAY_WINDOW) return { ...window, highest, seen: new Array(WORDS).fill(0) }
  const seen = [...window.seen]
  for (let counter = window.highest + 1; counter <= highest; counter++) {
    const word = wordOf(counter)
    seen[word]! &= ~bitOf(counter)
  }
  return { ...window, highest, seen }
}
