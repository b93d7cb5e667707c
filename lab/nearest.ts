// Names close to one that was mistyped.

import { changes } from '../src/core/index.ts'

/** The known names that need the fewest changes, or that contain what was typed; none where nothing comes close. */
export function nearestNames(typed: string, known: readonly string[], most = 3): string[] {
  return known
    .map(name => ({ name, changes: name.includes(typed) && typed !== '' ? 0 : changes(typed, name) }))
    .filter(({ name, changes }) => changes <= Math.ceil(name.length / 3))
    .sort((a, b) => a.changes - b.changes)
    .slice(0, most)
    .map(({ name }) => name)
}
