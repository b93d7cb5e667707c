// The tables of docs/reference/limits.md that say what a peer can fill: a test of bounds goes through its own, and measures.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SRC = join(import.meta.dirname, '../../src')

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

/** By the field that can grow, as `Interface.field`: the constant that bounds it, or why it needs none. */
export type Growing = Readonly<Record<string, string>>

/** Fields of the interfaces in a file of `src` that can grow: maps, sets and lists. */
function growingIn(file: string): string[] {
  const source = readFileSync(join(SRC, file), 'utf8')
  return [...source.matchAll(/^(?:export )?interface (\w+)[^{]*\{\n(.*?)^\}/gms)].flatMap(([, name, body]) =>
    [...body!.matchAll(/^ {2}(?:readonly )?(\w+)\??: ([^\n]*)/gm)]
      .filter(([, , type]) => /\b(?:Readonly)?(?:Map|Set|Array)<|\[\]/.test(type!))
      .map(([, field]) => `${name}.${field}`),
  )
}

/** What is wrong with such a list: fields that grow and that it lacks, others that do not, constants that there are none of. */
export function gapsIn(files: readonly string[], growing: Growing): string[] {
  const there = files.flatMap(growingIn)
  const room = files[0]!.split('/')[0]!
  const sources = readdirSync(join(SRC, room), { recursive: true, encoding: 'utf8' }).filter(file =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const text = sources.map(file => readFileSync(join(SRC, room, file), 'utf8')).join('\n')
  const constants = Object.values(growing).flatMap(bound => bound.match(/\b[A-Z][A-Z_]{3,}\b/g) ?? [])
  return [
    ...there.filter(field => growing[field] === undefined).map(field => `nobody says what bounds ${field}`),
    ...Object.keys(growing)
      .filter(field => !there.includes(field))
      .map(field => `there is no ${field}`),
    ...[...new Set(constants)]
      .filter(name => !text.includes(`const ${name}`))
      .map(name => `there is no constant ${name}`),
  ]
}
