// Which experiments the page measures itself: all that need nothing of Node. The list that the page shows is what its scripts
// bring; what is not on it has a reason here.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { experiments } from '../lab/index.ts'
import { measuredHere, measures } from '../page/measured.ts'

const FOLDER = join(import.meta.dirname, '../page/measures')
const RESULTS = join(import.meta.dirname, '../page/data/results.json')
const RECORDED = join(import.meta.dirname, '../docs/papers/results')
const folders = readdirSync(FOLDER).map(file => file.slice(0, -'.ts'.length))

const NOT_HERE: Readonly<Record<string, readonly string[]>> = {
  'real processes, sockets or other programs': ['stalled-loop', 'one-liar'],
  'real signatures and random bytes of Node': ['forged-claims', 'srcea-cost', 'srcea-space', 'srcea-attacks'],
  'a pairing or the curve’s library, larger than the page': [
    'peks-cost',
    'keyword-guessing',
    'paeks-equality',
    'equality-leak',
    'lying-broker',
    'errata-trapdoor-in-the-clear',
    'caie',
  ],
  files: ['ledger-speed', 'errata-ledger-zero'],
  'a run of a minute: the simulator with a hundred members': ['sub-2-sub'],
  'time of the processor and memory of the process': ['events-matching', 'events-topics', 'peer-sampling'],
  'ciphers of Node': [
    'bandits-counts',
    'bandits-table-6-1',
    'bandits-table-7-2',
    'bandits-figure-6-3',
    'bandits-times',
    'errata-bandits-linked',
    'errata-bandits-6-3-1',
  ],
}

/** Sources that a script reaches, and packages. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  const imports = /^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm
  for (const [, named, bare, later] of readFileSync(file, 'utf8').matchAll(imports)) {
    const name = named ?? bare ?? later!
    const path = join(dirname(file), name)
    if (!name.startsWith('.')) found.add(name)
    else if (existsSync(path)) reached(path, found)
  }
  return found
}

describe('experiments measured in the page', () => {
  it.each(folders)('%s: the list is what the script brings, and no source of it asks for Node', async folder => {
    measures.clear()
    await import(join(FOLDER, `${folder}.ts`))
    expect([...measures.keys()].sort()).toEqual([...measuredHere[folder]!].sort())
    const ofNode = [...reached(join(FOLDER, `${folder}.ts`))].filter(name => name.startsWith('node:'))
    expect(ofNode).toEqual([])
  })
  it('with those that have a reason not to be, they are all', () => {
    const listed = [...Object.values(measuredHere), ...Object.values(NOT_HERE)].flat()
    expect([...listed].sort()).toEqual(experiments.map(({ name }) => name).sort())
  })
  it('are shown with what was measured for the release: every experiment, each once (node page/write-results.mjs)', () => {
    const shown = JSON.parse(readFileSync(RESULTS, 'utf8')) as { name: string; rows: unknown[] }[]
    expect(shown.map(({ name }) => name).sort()).toEqual(experiments.map(({ name }) => name).sort())
    for (const { name, rows } of shown) expect([name, rows.length > 0]).toEqual([name, true])
  })
  it('of what is recorded, the page shows the record', () => {
    const shown = JSON.parse(readFileSync(RESULTS, 'utf8')) as { name: string; date?: string; rows: unknown[][] }[]
    const recorded = shown.filter(({ name }) => existsSync(join(RECORDED, `${name}.json`)))
    expect(recorded.length).toBeGreaterThan(100)
    for (const { name, date, rows } of recorded) {
      const record = JSON.parse(readFileSync(join(RECORDED, `${name}.json`), 'utf8')) as (typeof recorded)[number]
      expect([name, date, rows.map(([what]) => what)]).toEqual([
        name,
        record.date,
        (record.rows as unknown as { what: string }[]).map(({ what }) => what),
      ])
    }
  })
})
