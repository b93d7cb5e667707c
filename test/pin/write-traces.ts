// npm run pin:traces [-- SCENARIO …]: writes the hashes of all scenarios, or of those named, to traces.json again.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hashOf, SEEDS, STRETCH, traced } from './traces.ts'

const file = process.env.COTERIE_TRACES ?? ''
if (file === '') throw new Error('COTERIE_TRACES names the file')
const named = process.argv.slice(2)
const unknown = named.filter(name => !(name in traced))
if (unknown.length > 0) throw new Error(`there is no scenario ${unknown.join(', ')}; there are: ${Object.keys(traced)}`)
const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>) : {}
const pins: Record<string, string[]> = {}
for (const name of Object.keys(traced)) {
  if (named.length > 0 && !named.includes(name)) {
    pins[name] = before[name]!
    continue
  }
  const scenario = traced[name]!()
  const started = Date.now()
  pins[name] = Array.from({ length: SEEDS / STRETCH }, (_, place) => hashOf(scenario, 1 + place * STRETCH))
  process.stdout.write(`${name}: ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
  if (named.length === 0) writeFileSync(file, `${JSON.stringify({ ...before, ...pins }, undefined, 2)}\n`)
}
writeFileSync(file, `${JSON.stringify(pins, undefined, 2)}\n`)
