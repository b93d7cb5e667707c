// A lesson is a run with captions, each bound to an event. It is written in Markdown (docs/lessons), so that people read it as a
// page too: a title, the run's address, some sentences, and a list whose items name the place, the node and the kind of event.
//
//   # One liar, two holders
//   Run: `v=1&run=…&h=dbfb179b`
//   What there is to see.
//   - `@14 server-5 deliver` The traitor is asked …
//   What to take along.

/** A sentence bound to an event. */
export interface Caption {
  /** The place in the trace. */
  readonly index: number
  readonly node: string
  readonly kind: string
  readonly text: string
}

/** A run with captions. */
export interface Lesson {
  readonly title: string
  readonly address: string
  readonly before: string
  readonly captions: readonly Caption[]
  readonly after: string
}

/** A lesson from its Markdown; or a sentence that says what is missing. */
export function readLesson(markdown: string): Lesson | string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) return 'a lesson begins with a title: # and some words.'
  const address = /^Run: `([^`\n]+)`$/m.exec(markdown)?.[1]
  if (address === undefined) return `the lesson '${title}' has no line Run: with an address in backticks.`
  const [head, ...items] = markdown.split(/^- /m) as [string, ...string[]]
  const captions: Caption[] = []
  let after = ''
  for (const [place, item] of items.entries()) {
    const match = /^`@(\d+) (\S+) ([a-z]+)`\s+([\s\S]+)$/.exec(item)
    if (match === null) return `caption ${place + 1} of '${title}' does not begin like \`@14 server-5 deliver\`.`
    const [text, ...rest] = match[4]!.split(/\n\s*\n/)
    captions.push({ index: Number(match[1]), node: match[2]!, kind: match[3]!, text: oneLine(text!) })
    if (place === items.length - 1) after = rest.map(oneLine).filter(Boolean).join('\n')
  }
  const before = oneLine(head.slice(head.indexOf(address) + address.length + 1))
  return { title, address, before, captions, after }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
