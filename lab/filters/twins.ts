// Dumb twins for the arithmetic's tests: the structures as the thesis draws them, with arrays for rows and a true random
// function for a hash, and nothing shared with the code under test. Slow, small, obvious.

import type { Random } from '../../src/core/index.ts'

export interface TwinFilter {
  /** True: "duplicate". */
  stream(element: number): boolean
}

/** A random function, drawn as it is asked. */
function randomFunction(random: Random, rows: number, fingerprints: number) {
  const known = new Map<number, { row: number; print: number }>()
  return (element: number) => {
    let place = known.get(element)
    if (place === undefined) {
      place = { row: random.below(rows), print: random.below(fingerprints) }
      known.set(element, place)
    }
    return place
  }
}

export type TwinRule = 'QHT' | 'QHTD' | 'QQHTD'

export function twinTable(
  rule: TwinRule,
  rows: number,
  cells: number,
  fingerprints: number,
  random: Random,
): TwinFilter {
  const hash = randomFunction(random, rows, fingerprints)
  const table: number[][] = Array.from({ length: rows }, () => [])
  return {
    stream(element) {
      const { row, print } = hash(element)
      const held = table[row]!
      const found = held.includes(print)
      if (found && rule === 'QHT') return true
      if (held.length < cells) held.push(print)
      else if (rule === 'QQHTD') {
        held.shift()
        held.push(print)
      } else held[random.below(cells)] = print
      return found
    },
  }
}

/** Algorithm 6 over tables with one cell per row, one hash for all subfilters. */
export function twinQueue(
  subfilters: number,
  rows: number,
  fingerprints: number,
  window: number,
  random: Random,
): TwinFilter {
  const hash = randomFunction(random, rows, fingerprints)
  const capacity = Math.ceil(window / subfilters)
  const queue: number[][] = [[]]
  let counter = 0
  return {
    stream(element) {
      const { row, print } = hash(element)
      const found = queue.some(table => table[row] === print)
      queue[0]![row] = print
      counter++
      if (counter === capacity) {
        if (queue.length === subfilters) queue.pop()
        queue.unshift([])
        counter = 0
      }
      return found
    },
  }
}

export interface Counted {
  unseen: number
  falsePositives: number
  duplicates: number
  falseNegatives: number
}

/** Streams uniform elements through the twin and counts its errors over the window, leaving out the first `warm`. */
export function count(
  filter: TwinFilter,
  stream: { alphabet: number; window: number; length: number; warm?: number },
  random: Random,
  into: Counted = { unseen: 0, falsePositives: 0, duplicates: 0, falseNegatives: 0 },
): Counted {
  const last = new Map<number, number>()
  for (let position = 0; position < stream.length; position++) {
    const element = random.below(stream.alphabet)
    const before = last.get(element)
    const duplicate = before !== undefined && position - before <= stream.window
    const answer = filter.stream(element)
    last.set(element, position)
    if (position < (stream.warm ?? 0)) continue
    if (duplicate) {
      into.duplicates++
      if (!answer) into.falseNegatives++
    } else {
      into.unseen++
      if (answer) into.falsePositives++
    }
  }
  return into
}
