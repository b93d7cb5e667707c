// Elections of the siege: how members stand, lead and stand aside, and why there is something to vote on.
//
// Candidates are the best of each attribute. With one attribute, or where all have the same values, there is one candidate, no
// ballot is cast, and half of the lies about elections are told to nobody. So there are two attributes, and whose turn
// it is to stand aside changes who is best: the honest first of each, then the liar against an honest one, which it wins.

import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Candidacy, JoinedGroup, Term } from 'coterie'
import { millis } from './reporting.ts'

/** The place that they stand for. */
export const PLACE = 'jobs'
/** What coordinators are chosen by. */
export const RANKING = [
  { name: 'near', best: 'small', tolerance: 0 },
  { name: 'busy', best: 'small', tolerance: 0 },
] as const
/** By the member's number: while all stand, the first and the third are candidates; without the first, the liar and the third. */
const NEAR = [1, 3, 4, 2]
const BUSY = [4, 2, 1, 3]
const LOOK_MS = 20
export const LEAD_MS = 700
const ASIDE_MS = 600

/** What this member says of itself, by the name of its folder. */
export function worthOf(folder: string): { readonly near: number; readonly busy: number } {
  const place = Number(basename(folder).replace(/\D/g, '')) - 1
  return { near: NEAR[place] ?? NEAR.length, busy: BUSY[place] ?? BUSY.length }
}

/** For a while, unless it is over before. */
export async function leadForAWhile(term: Term, look: () => void, isOver: () => boolean): Promise<void> {
  const end = millis() + LEAD_MS
  while (!term.signal.aborted && millis() < end && !isOver()) {
    look()
    await sleep(LOOK_MS)
  }
}

/** Again and again: stands, leads once, stands aside so that somebody else is elected. */
export async function stand(
  group: Pick<JoinedGroup, 'coordinator'>,
  lead: (term: Term) => Promise<void>,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    let over = () => {}
    const led = new Promise<void>(resolve => {
      over = resolve
    })
    const candidacy: Candidacy = await group.coordinator(PLACE, {
      async lead(term) {
        await lead(term)
        over()
      },
    })
    await Promise.race([led, until(isOver)])
    await candidacy.close()
    await sleep(ASIDE_MS)
  }
}

export async function until(isOver: () => boolean): Promise<void> {
  while (!isOver()) await sleep(LOOK_MS * 5)
}
