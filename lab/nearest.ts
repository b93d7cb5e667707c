// Names close to one that was mistyped.

/** The known names that need the fewest changes, or that contain what was typed; none where nothing comes close. */
export function nearestNames(typed: string, known: readonly string[], most = 3): string[] {
  return known
    .map(name => ({ name, changes: name.includes(typed) && typed !== '' ? 0 : changes(typed, name) }))
    .filter(({ name, changes }) => changes <= Math.ceil(name.length / 3))
    .sort((a, b) => a.changes - b.changes)
    .slice(0, most)
    .map(({ name }) => name)
}

/** Letters to add, drop or replace to make one text of the other (Levenshtein), row by row. */
export function changes(from: string, to: string): number {
  let before = Array.from({ length: to.length + 1 }, (_, place) => place)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = before[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, before[j]! + 1, row[j - 1]! + 1))
    }
    before = row
  }
  return before[to.length]!
}
