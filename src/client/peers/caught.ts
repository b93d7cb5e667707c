// What members were caught at, by this one: kept to be shown, and said in the log once a minute at most for each way.

/** Where a member was caught: in gossip, in an election, or with events. */
export type CaughtIn = 'gossip' | 'election' | 'events'

const IN_WORDS: Readonly<Record<CaughtIn, string>> = {
  gossip: 'in gossip',
  election: 'in an election',
  events: 'with events',
}

/** Members times ways to misbehave that are kept. */
const MATTERS_MAX = 1_000
/** One line a minute is enough for a log; a liar lies all day. */
const SAID_EVERY_MS = 60_000
/** These are too much, or too little, and no lie: a busy machine does them too. */
const NO_LIES: readonly string[] = ['flooding', 'accusing']

/** What members were caught at. */
export class Caught {
  /** When each was said last, by member and way. */
  private readonly saidAt = new Map<string, Map<string, number>>()
  private matters = 0

  /** True where it is to be said: for the first time, or a minute after the last. */
  take(member: string, where: CaughtIn, how: string, now: number): boolean {
    const ways = this.saidAt.get(member) ?? new Map<string, number>()
    const way = `${how} (${where})`
    const before = ways.get(way)
    if (before === undefined && this.matters >= MATTERS_MAX) return false
    if (before !== undefined && now - before < SAID_EVERY_MS) return false
    if (before === undefined) this.matters++
    this.saidAt.set(member, ways.set(way, now))
    return true
  }

  /** All ways in which it was caught since this process started. */
  of(member: string): readonly string[] {
    return [...(this.saidAt.get(member)?.keys() ?? [])].sort()
  }
}

/** In words for a log: what proves a lie is called one, and the rest is not. */
export function wordsFor(where: CaughtIn, how: string): string {
  if (NO_LIES.includes(how)) return `a member asks too much of the others ${IN_WORDS[where]}`
  return `a member lies ${IN_WORDS[where]}`
}
