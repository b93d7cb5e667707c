// What the browser test runs in the tab: every filter of the shared cases, exactly as shipped.

import { seededRandom } from '../../src/core/random.ts'
import { restore } from '../../src/filters/index.ts'
import { FILTER_CASES, FILTER_KEY } from '../support/filter-cases.ts'

export interface Outcome {
  readonly name: string
  /** Promises that did not hold, in words. */
  readonly broken: readonly string[]
  /** One letter for each answer: u or d. */
  readonly answers: string
  /** The state at the end, in hexadecimal digits. */
  readonly state: string
}

const ELEMENTS = 2000
const ALPHABET = 400

/** The shared suite in brief: numbers and strings streamed, restored half-way, promises checked beside a dumb twin. */
export function runFilters(): Outcome[] {
  return FILTER_CASES.map(({ name, make, sizes, foundAtOnce, neverMissed, exact }) => {
    const broken: string[] = []
    const random = seededRandom(11)
    let filter = make(sizes[0]!, { key: FILTER_KEY })
    if (filter.bitsUsed > sizes[0]!) broken.push('it uses more bits than it was given')
    const past: string[] = []
    let answers = ''
    for (let turn = 0; turn < ELEMENTS; turn++) {
      const number = random.below(ALPHABET)
      const element = number % 2 === 0 ? number : `é${number}`
      const said = filter.stream(element)
      const inWindow = past.slice(neverMissed === Infinity ? 0 : -Math.max(1, neverMissed)).includes(String(element))
      if (neverMissed > 0 && inWindow && said === 'unseen') broken.push(`it missed ${element} at ${turn}`)
      if (exact && !inWindow && said === 'duplicate') broken.push(`it invented ${element} at ${turn}`)
      if (foundAtOnce && !filter.detect(element)) broken.push(`it lost ${element} at once at ${turn}`)
      past.push(String(element))
      answers += said[0]
      if (turn === ELEMENTS / 2) filter = restore(filter.snapshot(), { key: FILTER_KEY })
    }
    return { name, broken, answers, state: hex(filter.snapshot()) }
  })
}

/** A filter that draws its own key does so in a browser, too: two of them differ. */
export function runFreshKeys(): boolean {
  const state = () => {
    const filter = FILTER_CASES[0]!.make(4096, {})
    for (let element = 0; element < 100; element++) filter.stream(element)
    return hex(filter.snapshot())
  }
  return new Set([state(), state()]).size === 2
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
