// The mutations as data, and how one is applied.

import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** All of them: { area, id, file, old, new, why, tests }. The area is the name of the file that lists it. */
export function readMutations() {
  return readdirSync(here)
    .filter(name => name.endsWith('.json'))
    .sort()
    .flatMap(name =>
      JSON.parse(readFileSync(`${here}${name}`, 'utf8')).map(entry => ({
        area: name.slice(0, -'.json'.length),
        ...entry,
      })),
    )
}

/** The text with the one line broken. Throws where the old text is not there exactly once: the list is out of date. */
export function applied(mutation, text) {
  const parts = text.split(mutation.old)
  if (parts.length !== 2)
    throw new Error(`${mutation.id}: the old text is ${parts.length - 1} times in ${mutation.file}`)
  return parts.join(mutation.new)
}
