// The tables of docs/reference/limits.md that say what a peer can fill: a test of bounds goes through its own, and measures.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The constants in the table below this heading. */
export function listedUnder(heading: string): string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/limits.md'), 'utf8')
  const [, section] = page.split(`## ${heading}\n`)
  if (section === undefined) throw new Error(`no heading ${heading} among the limits`)
  return [...section.split('\n## ')[0]!.matchAll(/\| `(\w+)` in \[/g)].map(([, name]) => name!).sort()
}

/** Everything that can be reached from a state, roughly as the memory of it. */
export function bytesIn(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  if (value instanceof Uint8Array) return 64 + value.length
  if (value instanceof Map) return [...value].reduce((sum, [key, held]) => sum + 32 + bytesIn(key) + bytesIn(held), 32)
  if (value instanceof Set) return [...value].reduce<number>((sum, held) => sum + 32 + bytesIn(held), 32)
  if (Array.isArray(value)) return value.reduce<number>((sum, held) => sum + bytesIn(held), 16)
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce<number>((sum, held) => sum + 8 + bytesIn(held), 16)
}
