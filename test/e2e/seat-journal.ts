// The journal that the members of a slots group write, and the check of it: never two in one slot at one instant. Times
// are of the system's monotonic clock, which all processes of a machine share.

export interface SeatLine {
  readonly at: number
  readonly who: string
  readonly what: 'enter' | 'leave'
  readonly slot: string
  /** With `enter`: when the belief ends if nothing more is written. */
  readonly until?: number
}

interface Stay {
  readonly who: string
  readonly from: number
  until: number
  finished: boolean
}

export interface SeatReport {
  readonly seats: number
  /** Members that had one. */
  readonly served: readonly string[]
  /** Killed inside. */
  readonly unfinished: number
  readonly problems: readonly string[]
}

export function readSeats(text: string): SeatLine[] {
  // A process killed while it writes leaves half a line.
  const lines = text.split('\n').filter(line => line.endsWith('}'))
  return lines.map(line => JSON.parse(line) as SeatLine).sort((a, b) => a.at - b.at)
}

export function checkSeats(lines: readonly SeatLine[]): SeatReport {
  const slots = new Map<string, Stay[]>()
  for (const { at, who, what, slot, until } of lines) {
    const stays = slots.get(slot) ?? []
    slots.set(slot, stays)
    if (what === 'enter') {
      stays.push({ who, from: at, until: until!, finished: false })
      continue
    }
    const stay = stays.findLast(candidate => candidate.who === who && !candidate.finished)
    if (stay === undefined) continue
    stay.until = at
    stay.finished = true
  }
  const all = [...slots.values()].flat()
  return {
    seats: all.length,
    served: [...new Set(all.map(stay => stay.who))].sort(),
    unfinished: all.filter(stay => !stay.finished).length,
    problems: [...slots].flatMap(([slot, stays]) => overlaps(slot, stays)),
  }
}

function overlaps(slot: string, stays: readonly Stay[]): string[] {
  const problems: string[] = []
  for (let i = 1; i < stays.length; i++) {
    const inside = stays.slice(0, i).find(before => before.until > stays[i]!.from)
    if (inside !== undefined) problems.push(`${slot}: ${stays[i]!.who} entered while ${inside.who} was inside`)
  }
  return problems
}
