// The journal that the users of a group write, and the check of it: never two in one room at one time.
// Times are of the system's monotonic clock, which all processes of a machine share.

export interface JournalLine {
  readonly at: number
  readonly who: string
  /** `wronged`: refused by the guard and yet the holder. `woke`: looked for the first time after it stood still. */
  readonly what: 'enter' | 'leave' | 'wronged' | 'woke'
  readonly name: string
  readonly token: string
  /** With `enter`: when the belief ends if nothing more is written. */
  readonly until?: number
  /** With `woke`: whether it believes to hold, and whether the guard takes what it writes. */
  readonly held?: boolean
  readonly accepted?: boolean
}

export interface JournalReport {
  readonly entries: number
  readonly unfinished: number
  readonly problems: readonly string[]
}

interface Stay {
  readonly who: string
  readonly token: bigint
  readonly from: number
  until: number
  finished: boolean
}

export function readJournal(text: string): JournalLine[] {
  // A process killed while it writes leaves half a line.
  const lines = text.split('\n').filter(line => line.endsWith('}'))
  return lines.map(line => JSON.parse(line) as JournalLine).sort((a, b) => a.at - b.at)
}

export function checkJournal(lines: readonly JournalLine[]): JournalReport {
  const rooms = new Map<string, Stay[]>()
  const problems: string[] = []
  for (const line of lines) {
    if (line.what === 'wronged') problems.push(`${line.name}: ${line.who} held it, and its write was refused`)
    if (line.what === 'woke' && line.held) problems.push(`${line.name}: ${line.who} woke too late and believed to hold`)
    if (line.what !== 'enter' && line.what !== 'leave') continue
    const stays = rooms.get(line.name) ?? []
    rooms.set(line.name, stays)
    if (line.what === 'enter') {
      stays.push({ who: line.who, token: BigInt(line.token), from: line.at, until: line.until!, finished: false })
      continue
    }
    const stay = stays.findLast(candidate => candidate.who === line.who && candidate.token === BigInt(line.token))
    if (stay === undefined) continue
    stay.until = line.at
    stay.finished = true
  }
  let entries = 0
  let unfinished = 0
  for (const [name, stays] of rooms) {
    entries += stays.length
    unfinished += stays.filter(stay => !stay.finished).length
    for (let i = 1; i < stays.length; i++) problems.push(...compare(name, stays[i - 1]!, stays[i]!))
  }
  return { entries, unfinished, problems }
}

function compare(name: string, before: Stay, after: Stay): string[] {
  const problems: string[] = []
  if (after.from < before.until) problems.push(`${name}: ${after.who} entered while ${before.who} was inside`)
  if (after.token <= before.token) problems.push(`${name}: token ${after.token} of ${after.who} after ${before.token}`)
  return problems
}
