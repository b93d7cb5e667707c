// Events that clients publish and hear, and the record of both. An event is done when the one that published it has heard
// it: accepted by the servers, and handed out by its own subscription, among everybody's.

import { appendFileSync } from 'node:fs'
import { EventUnanswered, type Group } from 'coterie'
import type { EventLine } from '../events-journal.ts'

/** The channel of the siege. */
export const CHANNEL = 'news'
const timeout = 5_000

/** Each call of what it returns publishes one event, and says whether it was accepted and heard. */
export async function publishing(group: Group, who: string, journal: string): Promise<() => Promise<boolean>> {
  const write = (line: EventLine) => appendFileSync(journal, `${JSON.stringify(line)}\n`)
  const waiting = new Map<string, () => void>()
  const channel = group.events<string>(CHANNEL)
  const subscription = channel.subscribe({}, { from: 'start' }, ({ id, payload }) => {
    write({ what: 'handed', who, id, text: payload })
    waiting.get(payload)?.()
    waiting.delete(payload)
  })
  await subscription.ready
  let count = 0
  return async () => {
    const text = `${who} ${++count}`
    const heard = new Promise<boolean>(resolve => {
      const timer = setTimeout(() => resolve(waiting.delete(text) && false), timeout)
      waiting.set(text, () => {
        clearTimeout(timer)
        resolve(true)
      })
    })
    write({ what: 'called', who, text })
    try {
      const { id } = await channel.publish({ by: who }, text, { timeout })
      write({ what: 'accepted', who, id, text })
    } catch (error) {
      if (!(error instanceof EventUnanswered)) throw error
      waiting.get(text)?.()
      waiting.delete(text)
      return false
    }
    return heard
  }
}
