// The journal that members write about who leads, and the check of it. Times are of the system's monotonic clock, which
// all processes of a machine share.

export interface TermLine {
  readonly at: number
  readonly who: string
  /** The process: a member that was killed comes back as another. */
  readonly boot: number
  readonly what: 'joined' | 'leads' | 'stopped' | 'sees' | 'left'
  readonly term?: number
  /** With `leads`: when the belief ends if nothing more is written. */
  readonly until?: number
  /** With `sees`: null where nobody is seen leading. */
  readonly coordinator?: string | null
}

/** From the first moment at which a process believed to lead a term to the last at which it may have. */
export interface Reign {
  readonly who: string
  readonly boot: number
  readonly term: number
  readonly from: number
  until: number
}

export interface TermReport {
  readonly reigns: readonly Reign[]
  readonly problems: readonly string[]
}

export function readTerms(text: string): TermLine[] {
  // A process killed while it writes leaves half a line.
  const lines = text.split('\n').filter(line => line.endsWith('}'))
  return lines.map(line => JSON.parse(line) as TermLine).sort((one, other) => one.at - other.at)
}

export function checkTerms(lines: readonly TermLine[]): TermReport {
  const reigns = reignsOf(lines)
  const problems: string[] = []
  const sorted = [...reigns].sort((one, other) => one.from - other.from)
  for (const [place, next] of sorted.entries()) {
    for (const before of sorted.slice(0, place)) problems.push(...compare(before, next))
  }
  const seen = new Map(reigns.map(({ term, who }) => [term, who]))
  for (const { what, term, coordinator, who } of lines) {
    if (what !== 'sees' || coordinator === null) continue
    const known = seen.get(term!) ?? coordinator!
    seen.set(term!, known)
    if (known !== coordinator) problems.push(`term ${term}: ${who} sees ${coordinator}, others ${known}`)
  }
  return { reigns: sorted, problems }
}

function reignsOf(lines: readonly TermLine[]): Reign[] {
  const reigns = new Map<string, Reign>()
  for (const { what, who, boot, term, at, until } of lines) {
    const key = `${who} ${boot} ${term}`
    const known = reigns.get(key)
    if (what === 'leads') {
      if (known === undefined) reigns.set(key, { who, boot, term: term!, from: at, until: until! })
      else known.until = Math.max(known.until, until!)
    }
    // A member that wrote that it stopped did not believe any more.
    if (what === 'stopped' && known !== undefined) known.until = Math.min(known.until, at)
  }
  return [...reigns.values()]
}

function compare(before: Reign, next: Reign): string[] {
  const problems: string[] = []
  const names = `${before.who} (term ${before.term}) and ${next.who} (term ${next.term})`
  if (before.term === next.term) problems.push(`two coordinators of a term: ${names}`)
  if (next.term < before.term) problems.push(`terms go back: ${names}`)
  if (next.from < before.until)
    problems.push(`two lead at once, by ${(before.until - next.from).toFixed(1)} ms: ${names}`)
  return problems
}

export interface TermFigures {
  readonly reigns: number
  /** From when a quorum had joined until somebody led, and the term that was: how many were used. */
  readonly firstMs: number
  readonly firstTerm: number
  /** From the first line to the last. */
  readonly seconds: number
}

/** What a journal says about speed: nothing is judged by it. */
export function figuresOf(lines: readonly TermLine[], reigns: readonly Reign[], quorum: number): TermFigures {
  const joined = lines.filter(({ what }) => what === 'joined')
  const [first] = reigns
  return {
    reigns: reigns.length,
    firstMs: Math.round(first!.from - joined[quorum - 1]!.at),
    firstTerm: first!.term,
    seconds: Math.round((lines.at(-1)!.at - lines[0]!.at) / 1_000),
  }
}
