// The tables of docs/reference/limits.md that say what a peer can fill: a test of bounds goes through its own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The constants in the table below this heading. */
export function listedUnder(heading: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/limits.md'), 'utf8')
  const [, section] = page.split(`## ${heading}\n`)
  if (section === undefined) throw new Error(`no heading ${heading} among the limits`)
  return [...section.split('\n## ')[0]!.matchAll(/\| `(\w+)` in \[/g)].map(([, name]) => name!).sort()
}
