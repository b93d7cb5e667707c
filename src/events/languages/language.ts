// A language in which somebody already has filters. Each is translated into the one form, never evaluated beside it:
// where its rule for an absent attribute differs from ours, the translation writes that out.

import type { Filter } from '../canonical.ts'

/** A language of filters. */
export interface Language {
  /** What `--language` is given. */
  readonly name: string
  /** Whose it is, and what it covers. */
  readonly title: string
  /** How a filter is written: as data, which on a command line is JSON, or as text. */
  readonly form: 'data' | 'text'
  /** A filter that it accepts. */
  readonly example: unknown
  /** The filter in its one form. Throws `InvalidFilter` with a sentence. */
  parse(input: unknown): Filter
}
