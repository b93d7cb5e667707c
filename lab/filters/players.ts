// Adversaries of the n-false-positive and n-false-negative games (THESIS definition 2.1.6). A player feeds the filter,
// sees each answer, and ends with one element: a duplicate that should pass as unseen, or the reverse. Players do not
// see the filter's memory. One who knows the hash has a copy to try things on: the same class with the same options,
// which is the whole secret of an unkeyed filter, and worth nothing against a keyed one.

import type { Random } from '../../src/core/index.ts'

export interface Player {
  /** Plays one game and says whether it was won. `ask` streams an element and tells the answer. */
  play(ask: (element: number) => boolean, random: Random): boolean
}

/** What a player may try at home. */
export interface Copy {
  stream(element: number): 'unseen' | 'duplicate'
  detect(element: number): boolean
  clear(): void
}

const HOME_TRIES = 100_000

const draw = (random: Random) => random.below(2 ** 31)

/** False negatives by knowing the hash: finds at home an element that pushes another one out. */
export function evictorAtHome(copy: Copy): Player {
  return {
    play(ask, random) {
      const victim = draw(random)
      let evictor = 0
      for (let attempt = 0; attempt < HOME_TRIES; attempt++) {
        evictor = draw(random)
        copy.clear()
        copy.stream(victim)
        copy.stream(evictor)
        if (!copy.detect(victim)) break
      }
      ask(victim)
      ask(evictor)
      return !ask(victim)
    },
  }
}

/** False positives by knowing the hash: finds at home two elements that look the same. */
export function twinAtHome(copy: Copy): Player {
  return {
    play(ask, random) {
      const first = draw(random)
      copy.clear()
      copy.stream(first)
      let twin = 0
      for (let attempt = 0; attempt < HOME_TRIES; attempt++) {
        twin = draw(random)
        if (twin !== first && copy.detect(twin)) break
      }
      ask(first)
      return ask(twin)
    },
  }
}

/** The best that theorem 3.9.2's proof knows: the element, w - 1 fresh others, the element again. n = w. */
export function flood(window: number): Player {
  return {
    play(ask, random) {
      const victim = draw(random)
      ask(victim)
      for (let sent = 1; sent < window; sent++) ask(fresh(random, victim))
      return !ask(victim)
    },
  }
}

/** The best that theorem 3.9.3's proof knows: fill with fresh elements, then one more. */
export function fill(inserted: number): Player {
  return {
    play(ask, random) {
      for (let sent = 0; sent < inserted; sent++) ask(draw(random))
      return ask(draw(random))
    },
  }
}

/**
 * Beyond n = w: learns by asking. The element, a candidate, the element again: "unseen" means that the candidate pushes it
 * out. With one cell per row it does so for ever, key or no key.
 */
export function learner(attemptsMax: number): Player {
  return {
    play(ask, random) {
      const victim = draw(random)
      ask(victim)
      for (let attempt = 0; attempt < attemptsMax; attempt++) {
        const candidate = fresh(random, victim)
        ask(candidate)
        if (ask(victim)) continue
        ask(candidate)
        return !ask(victim)
      }
      return false
    },
  }
}

/**
 * Against a queue: the element first in a subfilter, then fresh ones to the end of it, where the newest subfilter is empty
 * and can show no false twin. All within the window.
 */
export function floodOneSubfilter(capacity: number, subfilters: number): Player {
  return {
    play(ask, random) {
      // Whole turns first, so that the game starts at the beginning of a subfilter in a queue that is full.
      for (let sent = 0; sent < capacity * subfilters; sent++) ask(draw(random))
      const victim = draw(random)
      ask(victim)
      for (let sent = 1; sent < capacity; sent++) ask(fresh(random, victim))
      return !ask(victim)
    },
  }
}

/**
 * Theorem 4.7.1 with cL > w: the element itself in the oldest subfilter, then as many others as make the window. It is
 * new in the window, and still remembered.
 */
export function stayBehind(capacity: number, subfilters: number): Player {
  return {
    play(ask, random) {
      const victim = draw(random)
      ask(victim)
      for (let sent = 1; sent < capacity * subfilters - 1; sent++) ask(fresh(random, victim))
      return ask(victim)
    },
  }
}

/** Theorem 4.7.2 with w > (L-1)c: the element last in a subfilter, then as many others as make the queue drop it. */
export function dropped(capacity: number, subfilters: number): Player {
  return {
    play(ask, random) {
      const victim = draw(random)
      for (let sent = 1; sent < capacity; sent++) ask(fresh(random, victim))
      ask(victim)
      for (let sent = 0; sent < capacity * (subfilters - 1) + 1; sent++) ask(fresh(random, victim))
      return !ask(victim)
    },
  }
}

function fresh(random: Random, not: number): number {
  for (;;) {
    const element = draw(random)
    if (element !== not) return element
  }
}
