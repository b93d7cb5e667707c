// The bench that all filter experiments share: one uniform stream, any number of filters beside each other, every window
// and stream length counted in the same pass. The truth is kept in an array of last positions, so a duplicate is known
// exactly. Each of three seeds has its own stream and its own hash keys; their counts are added.

import { type Random, seededRandom } from '../../src/core/index.ts'

export const SEEDS = 3

/** What is needed of a filter here: the shipped ones have it, and so have the lab's own. */
export interface Streamed {
  stream(key: number): 'unseen' | 'duplicate'
}

export interface Contender {
  readonly name: string
  make(key: Uint8Array): Streamed
}

export interface Course {
  readonly contenders: readonly Contender[]
  readonly alphabet: number
  readonly length: number
  /** Windows to judge by, in any order. Infinity: every earlier occurrence counts. */
  readonly windows: readonly number[]
  /** Stream lengths at which the counts so far are noted; the last one is always noted. */
  readonly checkpoints?: readonly number[]
  /** Elements at the beginning that are streamed and not counted. */
  readonly warm?: number
  readonly seed: number
  readonly seeds?: number
  /** The stream, if it is not uniform. */
  readonly elements?: (random: Random) => () => number
  readonly progress?: (fraction: number) => void
}

export interface Counts {
  readonly unseen: number
  readonly falsePositives: number
  readonly duplicates: number
  readonly falseNegatives: number
  readonly falsePositive: number
  readonly falseNegative: number
  /** FPR + FNR: 0 is perfect, 1 is a coin. */
  readonly error: number
}

export interface Measured {
  /** By contender's name, window and stream length (by default the whole). */
  at(name: string, window?: number, length?: number): Counts
  /** The same, each seed's apart: one stream, and one key. */
  each(name: string, window?: number): readonly Counts[]
}

/** tally[checkpoint][contender][bucket * 2 + answer] */
type Tally = readonly (readonly Float64Array[])[]

const CHUNK = 1 << 15

export function measure(course: Course): Measured {
  const windows = [...new Set(course.windows)].sort((a, b) => a - b)
  const checkpoints = [...new Set([...(course.checkpoints ?? []), course.length])].sort((a, b) => a - b)
  const buckets = windows.length + 1
  const blank = (): Tally => checkpoints.map(() => course.contenders.map(() => new Float64Array(buckets * 2)))
  const tallies = Array.from({ length: course.seeds ?? SEEDS }, blank)
  for (const [round, tally] of tallies.entries()) runOnce(course, windows, checkpoints, tally, round)
  const found = (name: string, window: number, length: number) => {
    const contender = course.contenders.findIndex(candidate => candidate.name === name)
    const place = windows.indexOf(window)
    const checkpoint = checkpoints.indexOf(length)
    if (contender < 0 || place < 0 || checkpoint < 0) throw new RangeError(`not measured: ${name} ${window} ${length}`)
    return { counted: tallies.map(tally => tally[checkpoint]![contender]!), place }
  }
  const widest = windows[windows.length - 1]!
  return {
    at(name, window = widest, length = course.length) {
      const { counted, place } = found(name, window, length)
      return countsOf(
        counted[0]!.map((_, at) => counted.reduce((sum, one) => sum + one[at]!, 0)),
        place,
      )
    },
    each(name, window = widest) {
      const { counted, place } = found(name, window, course.length)
      return counted.map(one => countsOf(one, place))
    },
  }
}

function runOnce(
  course: Course,
  windows: readonly number[],
  checkpoints: readonly number[],
  tally: Tally,
  round: number,
): void {
  const random = seededRandom(course.seed + round, 1)
  const draw = course.elements?.(random) ?? (() => random.below(course.alphabet))
  const filters = course.contenders.map(contender => contender.make(random.bytes(8)))
  const last = new Int32Array(course.alphabet).fill(-1)
  const elements = new Int32Array(CHUNK)
  const buckets = new Uint8Array(CHUNK)
  const running = course.contenders.map(() => new Float64Array((windows.length + 1) * 2))
  let position = 0
  for (const [index, checkpoint] of checkpoints.entries()) {
    while (position < checkpoint) {
      const size = Math.min(CHUNK, checkpoint - position)
      for (let offset = 0; offset < size; offset++) {
        const element = draw()
        const before = last[element]!
        elements[offset] = element
        buckets[offset] = before < 0 ? windows.length : bucketOf(windows, position + offset - before)
        last[element] = position + offset
      }
      const skip = Math.max(0, Math.min(size, (course.warm ?? 0) - position))
      const chunk = { elements, buckets, size, skip }
      for (const [at, filter] of filters.entries()) pour(filter, chunk, running[at]!)
      position += size
      course.progress?.((round + position / course.length) / (course.seeds ?? SEEDS))
    }
    for (const [at, counted] of running.entries()) {
      const into = tally[index]![at]!
      for (let place = 0; place < into.length; place++) into[place]! += counted[place]!
    }
  }
}

/** Some of the stream: its elements, how long ago each came last, and how many at its front are not counted. */
interface Chunk {
  readonly elements: Int32Array
  readonly buckets: Uint8Array
  readonly size: number
  readonly skip: number
}

function pour(filter: Streamed, { elements, buckets, size, skip }: Chunk, counted: Float64Array): void {
  for (let offset = 0; offset < size; offset++) {
    const answer = filter.stream(elements[offset]!) === 'duplicate' ? 1 : 0
    if (offset >= skip) counted[buckets[offset]! * 2 + answer]!++
  }
}

/** The place of the smallest window that reaches back over the distance. */
function bucketOf(windows: readonly number[], distance: number): number {
  let place = 0
  while (place < windows.length && windows[place]! < distance) place++
  return place
}

function countsOf(counted: Float64Array, place: number): Counts {
  let duplicates = 0
  let falseNegatives = 0
  let unseen = 0
  let falsePositives = 0
  for (let bucket = 0; bucket * 2 < counted.length; bucket++) {
    const [no, yes] = [counted[bucket * 2]!, counted[bucket * 2 + 1]!]
    if (bucket <= place) {
      duplicates += no + yes
      falseNegatives += no
    } else {
      unseen += no + yes
      falsePositives += yes
    }
  }
  const falsePositive = unseen > 0 ? falsePositives / unseen : 0
  const falseNegative = duplicates > 0 ? falseNegatives / duplicates : 0
  return {
    unseen,
    falsePositives,
    duplicates,
    falseNegatives,
    falsePositive,
    falseNegative,
    error: falsePositive + falseNegative,
  }
}
