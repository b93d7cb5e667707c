// Which filter for this memory and this window? The arithmetic knows the error of each structure before anything is
// streamed, so the choice is a search over a few hundred shapes, least expected cost first. What misses nothing and
// never errs (the exact window) is taken whenever it fits; then come short hashes, then tables and queues of tables.
// The expectation is for a uniform stream; skewed ones, whose duplicates come sooner, fare better.

import { optimalSubfilters, queuingRates } from './arithmetic/queuing.ts'
import { checkWhole, parameterError } from './arithmetic/refusal.ts'
import { type ErrorRates, tableShape } from './arithmetic/shapes.ts'
import { shortHashBits, shortHashFalsePositive } from './arithmetic/short-hash.ts'
import { tableRates } from './arithmetic/table.ts'
import { BITS_MAX, filterOptions, WINDOW_MAX } from './refusals.ts'
import { exactWindowBits } from './structures/exact-window.ts'

/** What is known of the stream, and how much memory there is. */
export interface AdviceRequest {
  /** Memory for cells. */
  readonly bits: number
  /** How far back a duplicate counts, in elements. */
  readonly window: number
  /** How many different elements there can be, if that is known; they are then the integers below it. */
  readonly alphabet?: number | undefined
  /** The weights of the two error rates, in any unit. By default both count the same; 0 says that one does not matter. */
  readonly cost?: { readonly falsePositive: number; readonly falseNegative: number } | undefined
}

/** A structure of this package with the options that build it (`of` describes the subfilters of a queue). */
export type Suggestion =
  | { readonly structure: 'ExactWindow'; readonly options: { window: number; alphabet: number } }
  | { readonly structure: 'ShortHashFilter'; readonly options: { bits: number; window: number } }
  | { readonly structure: 'QuotientHashTable'; readonly options: TableOptions }
  | { readonly structure: 'QueuedQuotientHashTableWithDuplicates'; readonly options: TableOptions }
  | {
      readonly structure: 'QueueOf'
      readonly options: { bits: number; window: number; subfilters: number }
      readonly of: { readonly structure: 'QuotientHashTable'; readonly cells: 1; readonly fingerprintBits: number }
    }

/** The options of a table that is advised. */
export interface TableOptions {
  readonly bits: number
  readonly cells: number
  readonly fingerprintBits: number
}

/** A structure with its sizes, and the errors to expect of it. */
export type Choice = Suggestion & { readonly expected: ErrorRates }

/** Which structure to use, and what the others would do. */
export interface Advice {
  readonly choice: Choice
  /** The best of every other structure, best first. */
  readonly others: readonly Choice[]
  /** True: the exact window fits, and is the choice. */
  readonly exactFits: boolean
  /** What the exact window would take; null if the alphabet is not known. */
  readonly exactBits: number | null
  /** The choice and the reason, for people. */
  readonly sentence: string
}

/** Wider fingerprints leave too few rows to matter; narrower than two bits they cannot say "empty". */
const FINGERPRINT_BITS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16]
/** More cells mean a longer memory of a row and a slower walk through it. */
const CELLS = [2, 4, 8, 16]
const SUBFILTERS_MAX = 64
/** A hash below this is called a duplicate by every few hundred elements of any window. */
const HASH_BITS_LEAST = 8

const checkRequest = filterOptions<AdviceRequest>({ bits: true, window: true, alphabet: true, cost: true })

/** The structure that errs least for this stream in this memory. */
export function advise(request: AdviceRequest): Advice {
  const { bits, window, alphabet } = checkRequest('advise', request)
  check(request)
  const exactBits = alphabet === undefined ? null : exactWindowBits(window, { alphabet })
  const exactFits = exactBits !== null && exactBits <= bits
  const choices: Choice[] = [shortHash(bits, window), table(request), queuedTable(request), queue(request)].filter(
    candidate => candidate !== null,
  )
  if (exactFits) {
    choices.push({ structure: 'ExactWindow', options: { window, alphabet: alphabet! }, expected: NO_ERROR })
  }
  if (choices.length === 0)
    throw parameterError('bits', bits, 'two bits hold one cell of the smallest table, so 2 or more work')
  const cost = costOf(request)
  // Nothing errs less than the exact window; where a short hash does as well to sixteen digits, exact is still exact.
  const rank = (choice: Choice) => (choice.structure === 'ExactWindow' ? -1 : cost(choice.expected))
  choices.sort((one, other) => rank(one) - rank(other))
  const [choice, ...others] = choices
  return { choice: choice!, others, exactFits, exactBits, sentence: explain(choice!, request, exactBits) }
}

const NO_ERROR: ErrorRates = { falsePositive: 0, falseNegative: 0 }

function check({ bits, window, alphabet, cost }: AdviceRequest): void {
  checkWhole('bits', bits, 2)
  checkWhole('window', window, 1)
  if (bits > BITS_MAX) throw parameterError('bits', bits, `at most ${BITS_MAX} work`)
  if (window > WINDOW_MAX) throw parameterError('window', window, `at most ${WINDOW_MAX} works`)
  if (alphabet !== undefined && !(Number.isSafeInteger(alphabet) && alphabet >= 2)) {
    throw parameterError('alphabet', alphabet, 'a whole number of at least 2 works; leave it out if it is not known')
  }
  if (cost === undefined) return
  for (const name of ['falsePositive', 'falseNegative'] as const) {
    if (!(Number.isFinite(cost[name]) && cost[name] >= 0)) {
      throw parameterError(`cost.${name}`, cost[name], 'a number of at least 0 works')
    }
  }
  if (cost.falsePositive + cost.falseNegative === 0) {
    throw parameterError('cost', '0 for both errors', 'at least one of them must cost something')
  }
}

function costOf({ cost }: AdviceRequest): (rates: ErrorRates) => number {
  const { falsePositive, falseNegative } = cost ?? { falsePositive: 1, falseNegative: 1 }
  return rates => falsePositive * rates.falsePositive + falseNegative * rates.falseNegative
}

function shortHash(bits: number, window: number): Choice | null {
  if (shortHashBits('SHF', bits, window) < HASH_BITS_LEAST) return null
  const expected = { falsePositive: shortHashFalsePositive('SHF', bits, window), falseNegative: 0 }
  return { structure: 'ShortHashFilter', options: { bits, window }, expected }
}

function table(request: AdviceRequest): Choice | null {
  return bestTable(request, 'QHT', [1])
}

function queuedTable(request: AdviceRequest): Choice | null {
  return bestTable(request, 'QQHTD', CELLS)
}

function bestTable(request: AdviceRequest, rule: 'QHT' | 'QQHTD', cellCounts: readonly number[]): Choice | null {
  const { bits, window, alphabet } = request
  const cost = costOf(request)
  const structure = rule === 'QHT' ? 'QuotientHashTable' : 'QueuedQuotientHashTableWithDuplicates'
  let best: Choice | null = null
  for (const cells of cellCounts) {
    for (const fingerprintBits of FINGERPRINT_BITS) {
      if (cells * fingerprintBits > bits || cells >= 2 ** fingerprintBits) continue
      const stream = alphabet === undefined ? { window } : { window, alphabet }
      const expected = tableRates(rule, tableShape({ bits, cells, fingerprintBits }), stream)
      if (best === null || cost(expected) < cost(best.expected)) {
        best = { structure, options: { bits, cells, fingerprintBits }, expected }
      }
    }
  }
  return best
}

function queue(request: AdviceRequest): Choice | null {
  const { bits, window, alphabet } = request
  const cost = costOf(request)
  let best: Choice | null = null
  for (const fingerprintBits of FINGERPRINT_BITS) {
    if (2 * fingerprintBits > bits || window < 2) continue
    // The best L hardly depends on the alphabet (THESIS §4.6.2), and averaging over it takes a hundred times longer.
    const memory = { bits, fingerprintBits, window, subfiltersMax: SUBFILTERS_MAX }
    const { subfilters, rates } = optimalSubfilters(memory, cost)
    if (subfilters === 1) continue
    const rows = Math.floor(Math.floor(bits / subfilters) / fingerprintBits)
    const shape = { subfilters, rows, fingerprints: 2 ** fingerprintBits - 1, window }
    const expected = alphabet === undefined ? rates : queuingRates({ ...shape, alphabet })
    if (best !== null && cost(expected) >= cost(best.expected)) continue
    const of = { structure: 'QuotientHashTable', cells: 1, fingerprintBits } as const
    best = { structure: 'QueueOf', options: { bits, window, subfilters }, of, expected }
  }
  return best
}

function explain(choice: Choice, request: AdviceRequest, exactBits: number | null): string {
  const { falsePositive, falseNegative } = choice.expected
  const rates = `expect ${percent(falsePositive)} of new elements called duplicates and ${percent(falseNegative)} of duplicates missed`
  const exact =
    exactBits === null
      ? 'whether the exact window fits depends on how large a key can be'
      : exactBits <= request.bits
        ? `the exact window takes ${exactBits} of ${request.bits} bits and never errs`
        : `the exact window would take ${exactBits} bits`
  if (choice.structure === 'ExactWindow') return `ExactWindow with window ${choice.options.window}: ${exact}.`
  const shape = Object.entries({ ...choice.options, ...('of' in choice ? { of: describe(choice.of) } : {}) })
  return `${choice.structure} with ${shape.map(([name, value]) => `${name} ${value}`).join(', ')}: ${rates}; ${exact}.`
}

function describe(of: {
  readonly structure: string
  readonly cells: number
  readonly fingerprintBits: number
}): string {
  return `${of.structure} (cells ${of.cells}, fingerprintBits ${of.fingerprintBits})`
}

function percent(rate: number): string {
  if (rate === 0) return 'none'
  if (rate < 1e-6) return 'fewer than one in a million'
  return `${Number((100 * rate).toPrecision(2))} %`
}
