// How far two words are apart, for suggestions to somebody who mistyped one.

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
