// Events that members tell each other without servers, in trees and by gossip, and the record of both: what was told, and
// what came. An event is done when another member was given it, so each counts once for everybody who hears it.

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JoinedGroup } from 'coterie'
import type { ToldLine } from '../told-journal.ts'
import { millis, note } from './reporting.ts'

/** Both ways, each with the name under which its work is counted. */
const WAYS = [
  { via: 'trees', kind: 'event' },
  { via: 'gossip', kind: 'rumour' },
] as const
/** How many of them are told a second: enough for a slowest of a hundred in a stretch. */
const PACE_MS = 150
const CHANNEL = 'told'

/** `text` is unique. `at` is missing where the liar tells: of its events nothing is promised. */
interface Told {
  readonly text: string
  readonly at?: number
}

/** What a liar hears and tells: it must be told something and tell something, to lie about it. */
export function tellForNothing(group: JoinedGroup): void {
  for (const { via } of WAYS) {
    const channel = group.events<Told>(CHANNEL, { via })
    channel.subscribe({}, () => {})
    void tellOn(
      () => channel.publish({}, { text: '' }),
      () => false,
    )
  }
}

/** Tells and hears until it is over, and writes down both. */
export async function tell(group: JoinedGroup, journal: string, isOver: () => boolean): Promise<void> {
  const who = group.name
  const life = `${who} ${process.pid}`
  const write = (line: ToldLine) => appendFileSync(journal, `${JSON.stringify(line)}\n`)
  const lanes = WAYS.map(({ via, kind }) => {
    const channel = group.events<Told>(CHANNEL, { via })
    channel.subscribe({}, ({ id, author, payload: { text, at } }) => {
      write({ what: 'handed', who: life, via, id, author, text })
      if (author !== who && at !== undefined) note(kind, at, true)
    })
    let count = 0
    return tellOn(() => {
      const text = `${life} ${via} ${++count}`
      write({ what: 'told', who, text })
      return channel.publish({}, { text, at: millis() })
    }, isOver)
  })
  await Promise.all(lanes)
}

/** At a steady pace. One that finds no room, or that waits for trees, is lost time and nothing else. */
async function tellOn(publish: () => Promise<unknown>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await Promise.race([publish().catch(() => {}), sleep(PACE_MS * 10)])
    await sleep(PACE_MS * (0.5 + Math.random()))
  }
}
