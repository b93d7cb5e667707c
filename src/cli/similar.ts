// The word that was meant, where one was typed that there is not. Commander does this for options and commands.

/** Letters that may be wrong: a third of the word. */
const WRONG_PART = 1 / 3

/** A sentence with a space before it, or nothing where no word is near. */
export function meant(typed: string, words: readonly string[]): string {
  const near = words
    .map(word => ({ word, wrong: distance(typed.toLowerCase(), word.toLowerCase()) }))
    .filter(({ word, wrong }) => wrong <= Math.max(1, Math.floor(Math.max(word.length, typed.length) * WRONG_PART)))
    .sort((one, other) => one.wrong - other.wrong)
  return near.length === 0 ? '' : ` Did you mean ${near[0]!.word}?`
}

/** How many letters must be changed, left out, put in or swapped with their neighbour. */
export function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, place) => place)]
  for (let at = 1; at <= one.length; at++) {
    const row = [at]
    for (let to = 1; to <= other.length; to++) {
      const same = one[at - 1] === other[to - 1]
      const swapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1]
      row.push(
        Math.min(
          rows[at - 1]![to]! + 1,
          row[to - 1]! + 1,
          rows[at - 1]![to - 1]! + (same ? 0 : 1),
          swapped ? rows[at - 2]![to - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(row)
  }
  return rows[one.length]![other.length]!
}
