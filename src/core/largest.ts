// The k-th largest: how a count of promises becomes a time, and how reports of which b may be lies become a number.
// The (b+1)-th largest of what servers report is at most what an honest one reported.

/** k from 1; minus infinity where there are fewer. */
export function kthLargest(values: Iterable<number>, k: number): number {
  const sorted = [...values].sort((one, other) => other - one)
  return sorted[k - 1] ?? Number.NEGATIVE_INFINITY
}

// And a page of very many names: the first ones after a name, in their order. To put all of them in order for each page takes half a
// second where there are three hundred thousand, and a question for a page a few bytes.

/** Gathered before they are put in order, as so many pages. */
const PAGES_GATHERED = 4

/** At most `most` names after `after`, in order, and whether there are more. */
export function firstNames(
  names: Iterable<string>,
  after: string,
  most: number,
): { readonly names: string[]; readonly more: boolean } {
  let found: string[] = []
  let more = false
  /** What is beyond stands behind a whole page. */
  let end: string | undefined
  for (const name of names) {
    if (name <= after || (end !== undefined && name > end)) continue
    found.push(name)
    if (found.length <= PAGES_GATHERED * most) continue
    found = found.sort().slice(0, most)
    end = found.at(-1)
    more = true
  }
  found.sort()
  return { names: found.slice(0, most), more: more || found.length > most }
}
