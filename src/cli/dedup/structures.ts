// The filters of `coterie dedup` by name: how each is shaped for a memory and a window, and which errors to expect.
//
// Four are shaped by `advise`, which searches; the others as the thesis shapes them. Where nobody has worked out a rate,
// the expectation is null and the report says so.

import {
  A2,
  advise,
  BlockDecayingBloom,
  Bloom,
  buildFilter,
  type Choice,
  CompactShortHashFilter,
  Cuckoo,
  type ErrorRates,
  ExactWindow,
  exactWindowBits,
  type Filter,
  FilterError,
  type HashOptions,
  QuotientHashTableWithDuplicates,
  queuingRates,
  StableBloom,
  StreamingQuotientFilter,
  shortHashRate,
  streamingQuotientCellBits,
  streamingQuotientRates,
  type TableRule,
  tableRates,
  tableShape,
} from '../../filters/index.ts'

/** What has gone by; null when the filter began with a saved state: nobody knows how much that had seen. */
export interface Seen {
  readonly lines: number
  readonly unseen: number
}

interface Expected {
  readonly falsePositive: number | null
  readonly falseNegative: number | null
}

export interface Plan {
  readonly filter: Filter
  readonly expect: (seen: Seen | null) => Expected
}

interface Request {
  readonly bits: number
  readonly window: number
  readonly hash: HashOptions
}

const NEVER: ErrorRates = { falsePositive: 0, falseNegative: 0 }
const STABLE_RATE = 0.02
/** Fewer false positives than 2^-40 cannot be told from none. */
const A2_HASHES_MAX = 40
const KEY_BYTES_MAX = 65_535

const STRUCTURES: Readonly<Record<string, (request: Request) => Plan>> = {
  exact: exactPlan,
  shf: request => advised(request, 'ShortHashFilter'),
  cshf: compactPlan,
  qht: request => advised(request, 'QuotientHashTable'),
  qhtd: duplicatesPlan,
  qqhtd: request => advised(request, 'QueuedQuotientHashTableWithDuplicates'),
  queue: request => advised(request, 'QueueOf'),
  sqf: streamingPlan,
  bloom: bloomPlan,
  a2: agingPlan,
  bdbf: decayingPlan,
  sbf: stablePlan,
  cuckoo: cuckooPlan,
}

export const structureNames: readonly string[] = Object.keys(STRUCTURES)

/** The structure of that name, or the one that `advise` takes. */
export function planFor(name: string | undefined, request: Request): Plan {
  if (name !== undefined) return STRUCTURES[name]!(request)
  return planOf(advise({ bits: request.bits, window: request.window }).choice, request)
}

function advised(request: Request, structure: Choice['structure']): Plan {
  const { bits, window } = request
  const { choice, others } = advise({ bits, window })
  const found = [choice, ...others].find(one => one.structure === structure)
  if (found === undefined)
    throw new FilterError(`${bits} bits are too few for a ${structure} with a window of ${window}: give more memory`)
  return planOf(found, request)
}

function planOf(choice: Choice, { bits, window, hash }: Request): Plan {
  const filter = buildFilter(choice, hash)
  switch (choice.structure) {
    case 'ExactWindow':
      return { filter, expect: () => NEVER }
    case 'ShortHashFilter':
      return { filter, expect: seen => shortHashExpected('SHF', bits, window, seen) }
    case 'QuotientHashTable':
      return { filter, expect: tableExpected('QHT', choice.options, window) }
    case 'QueuedQuotientHashTableWithDuplicates':
      return { filter, expect: tableExpected('QQHTD', choice.options, window) }
    case 'QueueOf': {
      const { subfilters } = choice.options
      const { rows, fingerprints } = tableShape({ bits: Math.floor(bits / subfilters), ...choice.of })
      return { filter, expect: () => queuingRates({ subfilters, rows, fingerprints, window }) }
    }
  }
}

/** The rates of the stream as long as it was: in its first window a filter errs less. */
function streamShape(window: number, seen: Seen | null): { window: number; length?: number } {
  return seen === null ? { window } : { window, length: Math.max(2, seen.lines) }
}

function shortHashExpected(form: 'SHF' | 'CSHF', bits: number, window: number, seen: Seen | null): ErrorRates {
  return { falsePositive: shortHashRate(form, bits, streamShape(window, seen)), falseNegative: 0 }
}

function tableExpected(rule: TableRule, shape: Parameters<typeof tableShape>[0], window: number): Plan['expect'] {
  return seen => tableRates(rule, tableShape(shape), streamShape(window, seen))
}

/** Keys as long as fit; a longer one is refused when it comes. */
function exactPlan({ bits, window, hash }: Request): Plan {
  let keyBytes = 0
  for (let step = 2 ** 15; step >= 1; step /= 2) {
    if (keyBytes + step <= KEY_BYTES_MAX && exactWindowBits(window, { keyBytes: keyBytes + step }) <= bits)
      keyBytes += step
  }
  const filter = new ExactWindow({ bits, window, keyBytes: Math.max(1, keyBytes), ...hash })
  return { filter, expect: () => NEVER }
}

function compactPlan({ bits, window, hash }: Request): Plan {
  const filter = new CompactShortHashFilter({ bits, window, ...hash })
  return { filter, expect: seen => shortHashExpected('CSHF', bits, window, seen) }
}

/** Two cells, as in the thesis's tables (one would be a QHT), and the width that errs least. */
function duplicatesPlan({ bits, window, hash }: Request): Plan {
  const shapes = [3, 4, 5, 6, 8, 10, 12].map(fingerprintBits => ({ bits, cells: 2, fingerprintBits }))
  const shape = least(shapes, one => tableRates('QHTD', tableShape(one), { window }))
  return {
    filter: new QuotientHashTableWithDuplicates({ ...shape, ...hash }),
    expect: tableExpected('QHTD', shape, window),
  }
}

function streamingPlan({ bits, window, hash }: Request): Plan {
  const shapes = [2, 3, 4, 6, 8, 10].flatMap(remainderBits =>
    [1, 2, 3, 4, 6, 8]
      .filter(reducedBits => reducedBits < remainderBits)
      .map(reducedBits => ({ bits, cells: 1, remainderBits, reducedBits })),
  )
  const rowsOf = (shape: (typeof shapes)[number]) => Math.max(1, Math.floor(bits / streamingQuotientCellBits(shape)))
  const shape = least(shapes, one => streamingQuotientRates({ ...one, rows: rowsOf(one) }, { window }))
  return {
    filter: new StreamingQuotientFilter({ ...shape, ...hash }),
    expect: seen => streamingQuotientRates({ ...shape, rows: rowsOf(shape) }, streamShape(window, seen)),
  }
}

function least<Shape>(shapes: readonly Shape[], rates: (shape: Shape) => ErrorRates): Shape {
  const cost = (shape: Shape) => rates(shape).falsePositive + rates(shape).falseNegative
  return shapes.reduce((best, shape) => (cost(shape) < cost(best) ? shape : best))
}

/** For a stream of `window` lines: it never forgets, so each further line makes it worse. */
function bloomPlan({ bits, window, hash }: Request): Plan {
  const hashes = Bloom.bestHashes(bits, window)
  const expect = (seen: Seen | null): Expected => {
    const falsePositive = seen === null ? null : bloomWhileFilling(bits, hashes, seen.unseen)
    return { falsePositive, falseNegative: 0 }
  }
  return { filter: new Bloom({ bits, hashes, ...hash }), expect }
}

function bloomFalsePositive(cells: number, hashes: number, elements: number): number {
  return (-Math.expm1((-hashes * elements) / cells)) ** hashes
}

/** The mean while the elements come in, one after another. */
function bloomWhileFilling(cells: number, hashes: number, elements: number): number {
  const parts = 1000
  let sum = 0
  for (let part = 0; part < parts; part++) sum += bloomFalsePositive(cells, hashes, (elements * (part + 0.5)) / parts)
  return sum / parts
}

/** As many hashes as leave each buffer room for the window: nothing in it is missed. */
function agingPlan({ bits, window, hash }: Request): Plan {
  const hashes = Math.min(A2_HASHES_MAX, Math.floor((Math.floor(bits / 2) * Math.LN2) / window))
  if (hashes < 1)
    throw new FilterError(`${bits} bits are too few for an A2 with a window of ${window}: ${3 * window} bits would do`)
  // A little lower, so that the logarithm rounds to the same number of hashes.
  const falsePositiveRate = (1 - (1 - 2 ** -hashes) ** 2) * (1 - 1e-6)
  const filter = new A2({ bits, falsePositiveRate, ...hash })
  return { filter, expect: () => ({ falsePositive: falsePositiveRate, falseNegative: 0 }) }
}

function decayingPlan({ bits, window, hash }: Request): Plan {
  const filter = new BlockDecayingBloom({ bits, window, ...hash })
  const { cells, hashes, block } = filter
  const held = window + block / 2
  const expect = (seen: Seen | null): Expected => {
    const lines = seen?.lines ?? Number.POSITIVE_INFINITY
    const filling = bloomWhileFilling(cells, hashes, Math.min(held, lines))
    const share = Math.min(1, held / lines)
    const falsePositive = share * filling + (1 - share) * bloomFalsePositive(cells, hashes, held)
    return { falsePositive, falseNegative: 0 }
  }
  return { filter, expect }
}

/** Shaped as in §3.8.2. */
function stablePlan({ bits, hash }: Request): Plan {
  const filter = new StableBloom({ bits, cellBits: 2, hashes: 2, falsePositiveRate: STABLE_RATE, ...hash })
  return { filter, expect: () => ({ falsePositive: STABLE_RATE, falseNegative: null }) }
}

function cuckooPlan({ bits, window, hash }: Request): Plan {
  const cells = 4
  // Wide enough to fill the memory with about one window, as in a table that is meant to hold it.
  const fingerprintBits = Math.min(16, Math.max(4, Math.floor((0.95 * bits) / window)))
  const filter = new Cuckoo({ bits, cells, fingerprintBits, ...hash })
  const falsePositive = Math.min(1, (2 * cells) / filter.fingerprints)
  return { filter, expect: () => ({ falsePositive, falseNegative: null }) }
}
