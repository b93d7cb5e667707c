// An experiment is one file: the seed's section, the figures it expects, and how ours are measured.
// `run` is given a seed and a scale, so that the same experiment serves CI (small) and the full reproduction (full).

export type Scale = 'small' | 'full'

export interface Row {
  /** What was measured, in a few words: "t = 8", "QHT k=1, 8 Mbit". */
  readonly what: string
  /** The seed's figure, or a figure that follows from its formula. `null` where the seed gives none. */
  readonly expected: number | null
  readonly measured: number
  /** How far `measured` may be from `expected`, and why: a confidence bound, not a taste. */
  readonly tolerance: number | null
  readonly unit?: string
  /** Within tolerance. A row without expectation is within by definition. */
  readonly within: boolean
}

export interface Picture {
  /** File name without folder, ending in .svg. */
  readonly name: string
  readonly svg: string
  /** What it shows, for those who do not see it. */
  readonly says?: string
}

export interface Result {
  readonly rows: readonly Row[]
  readonly pictures: readonly Picture[]
  /** Sentences a reader should see below the table: what the figures show, where the seed is wrong. */
  readonly notes: readonly string[]
}

export interface RunOptions {
  readonly scale: Scale
  readonly seed: number
  /** Called now and then with a fraction between 0 and 1 and a word on what is being done. */
  readonly progress: (fraction: number, doing: string) => void
}

export interface Experiment {
  /** What `coterie lab run` is given. Lower case, words joined by a dash. */
  readonly name: string
  /** One sentence. */
  readonly title: string
  /** Where the seed says it: "BACKOFF §4, lemma 2". */
  readonly source: string
  /** It measures the machine's own time, or starts processes: nothing else is run beside it. */
  readonly alone?: boolean
  /** Pictures of what the machines know and do, which need no measurement: the same for the same seed. `run` has them too. */
  draw?(seed: number): readonly Picture[]
  run(options: RunOptions): Promise<Result> | Result
}

/** A row whose `within` follows from its numbers. */
export function row(
  what: string,
  measured: number,
  expected: number | null,
  tolerance: number | null,
  unit?: string,
): Row {
  const within = expected === null || (tolerance !== null && Math.abs(measured - expected) <= tolerance)
  return { what, expected, measured, tolerance, within, ...(unit === undefined ? {} : { unit }) }
}
