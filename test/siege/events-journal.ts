// What clients wrote of the events that they published and heard, and the judgement of it.

import { texts } from './journals.ts'

/** One line of a client's record of events. `text` is unique: who published it, and the how-manieth. */
export type EventLine =
  | { readonly what: 'called'; readonly who: string; readonly text: string }
  | { readonly what: 'accepted' | 'handed'; readonly who: string; readonly id: string; readonly text: string }

type Handed = EventLine & { readonly what: 'handed' }

/** `held`: what one subscription from the start got of the servers when all was over. */
export async function judgeEvents(dir: string, held: readonly Handed[]): Promise<string[]> {
  const lines = (await texts(dir, 'events-')).join('').split('\n').filter(Boolean)
  return problemsOfEvents(
    lines.map(line => JSON.parse(line) as EventLine),
    held,
  )
}

/** Accepted events are handed out, each once to each process, in the order of their author, and nothing else is. */
export function problemsOfEvents(lines: readonly EventLine[], held: readonly Handed[]): string[] {
  const problems: string[] = []
  const published = new Set(lines.flatMap(({ what, text }) => (what === 'called' ? [text] : [])))
  const texts = new Map(held.map(({ id, text }) => [id, text]))
  for (const line of lines) {
    if (line.what !== 'accepted') continue
    const { id, text } = line
    if (texts.get(id) !== text) problems.push(`event ${id} was accepted, and is ${texts.get(id) ?? 'not there'}`)
  }
  const handed = [...lines.filter((line): line is Handed => line.what === 'handed'), ...held]
  for (const { who, id, text } of handed) {
    if (!published.has(text)) problems.push(`${who} was handed event ${id}, which nobody published: ${text}`)
    if (texts.has(id) && texts.get(id) !== text) problems.push(`${who} was handed other words under ${id}`)
  }
  for (const who of new Set(handed.map(line => line.who))) {
    problems.push(
      ...gapsOf(
        who,
        handed.filter(line => line.who === who),
      ),
    )
  }
  return problems
}

/** Everybody subscribed to everything from the start: of each author's life the numbers are 1, 2, 3. */
function gapsOf(who: string, handed: readonly Handed[]): string[] {
  const problems: string[] = []
  const last = new Map<string, number>()
  for (const { id } of handed) {
    const cut = id.lastIndexOf('/')
    const [life, counter] = [id.slice(0, cut), Number(id.slice(cut + 1))]
    const expected = (last.get(life) ?? 0) + 1
    if (counter !== expected) problems.push(`${who} was handed ${id} where ${expected} was next`)
    last.set(life, counter)
  }
  return problems
}
