// What members wrote of the events that they told each other, and the judgement of it. How many come is best effort while
// somebody lies and ways are cut; what comes is what its author told, and once.

import { texts } from './journals.ts'

/** One line of a member's record. `text` is unique: the member, its process, the way, and the how-manieth. */
export type ToldLine =
  | { readonly what: 'told'; readonly who: string; readonly text: string }
  | {
      readonly what: 'handed'
      /** The member and its process: a new process subscribes anew. */
      readonly who: string
      readonly via: string
      readonly id: string
      readonly author: string
      readonly text: string
    }

/** `liar`: of its own events it may tell whatever it likes. */
export async function judgeTold(dir: string, liar: string): Promise<string[]> {
  const lines = (await texts(dir, 'told-')).join('').split('\n').filter(Boolean)
  return problemsOfTold(
    lines.map(line => JSON.parse(line) as ToldLine),
    liar,
  )
}

export function problemsOfTold(lines: readonly ToldLine[], liar: string): string[] {
  const problems: string[] = []
  const told = new Set(lines.flatMap(line => (line.what === 'told' ? [`${line.who}: ${line.text}`] : [])))
  const seen = new Set<string>()
  for (const line of lines) {
    if (line.what === 'told') continue
    const { who, via, id, author, text } = line
    if (author !== liar && !told.has(`${author}: ${text}`)) {
      problems.push(`${who} was handed ${id}, which ${author} never told: ${text}`)
    }
    const copy = `${who} ${via} ${id}`
    if (seen.has(copy)) problems.push(`${who} was handed ${id} twice`)
    seen.add(copy)
  }
  return problems
}
