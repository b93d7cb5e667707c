// What a client knows of its group before it asks anybody.

import type { Millis, Trust } from '../core/index.ts'

export interface GroupShape {
  readonly trust: Trust
  readonly ttlMax: Millis
  readonly drift: number
  readonly servers: readonly string[]
  /** How far above the clock servers take tokens and promise turns, where the group's config says so. */
  readonly tokenAheadMax?: Millis
  readonly rankAheadMax?: Millis
}
