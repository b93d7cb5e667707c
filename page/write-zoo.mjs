// node page/write-zoo.mjs [SECONDS]: finds each planted bug of the playgrounds in a run, leaves out of it all that it can
// break without, and writes the addresses into page/data/zoo.json. `npm run build` first: it runs what was compiled.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const load = path => import(join(root, 'dist/src', path))
const { playgrounds, playSpec } = await load('play/index.js')
const { encodeRun, reduceItems } = await load('simulator/index.js')

const SEEDS_MAX = 500
const ends = Date.now() + Number(process.argv[2] ?? 600) * 1000
/** Sizes in which bugs show soonest, per playground: without liars where faults weigh most, then with one. */
const SIZES = {
  lock: [
    { servers: 3, liars: 0, crashes: 1 },
    { servers: 4, liars: 1, crashes: 1 },
  ],
}

function played(spec) {
  const play = playSpec(spec)
  if (typeof play === 'string') return undefined
  play.toEnd()
  return play
}

function pinned(name) {
  try {
    return JSON.parse(readFileSync(join(root, `src/${name}/proof/pins.json`), 'utf8'))
  } catch {
    return {}
  }
}

function find(name, bug, seed) {
  for (const sizes of SIZES[name] ?? [{}]) {
    for (const each of [seed, ...Array.from({ length: SEEDS_MAX }, (_, place) => place + 1)]) {
      if (each === undefined) continue
      if (Date.now() > ends) return undefined
      const run = { name, ...sizes, bug }
      const spec = { run, seed: each, acts: [], say: {} }
      const play = played(spec)
      if (play?.status !== 'broken') continue
      const { bug: _, ...sound } = run
      if (played({ ...spec, run: sound })?.status === 'broken') continue
      return { spec, play }
    }
  }
  return undefined
}

function smaller({ spec, play }) {
  const breaks = changed => played(changed)?.status === 'broken'
  const calm = breaks({ ...spec, calm: true }) ? { calm: true } : {}
  const numbers = play.items.filter(item => item.drawn).map(item => item.number)
  const only = reduceItems(numbers, keep => Date.now() < ends && breaks({ ...spec, ...calm, only: keep }))
  return { ...spec, ...calm, only }
}

const zoo = []
for (const { name, bugs } of playgrounds) {
  const pins = pinned(name)
  for (const bug of bugs) {
    const found = find(name, bug, pins[bug])
    if (found === undefined) {
      process.stdout.write(`${name} ${bug}: not found\n`)
      continue
    }
    const spec = smaller(found)
    const play = played(spec)
    const what = play.violations[0].what
    zoo.push({
      name,
      bug,
      what,
      events: play.trace.length,
      address: encodeRun({ ...spec, hash: play.hash.slice(0, 8) }),
    })
    process.stdout.write(`${name} ${bug}: seed ${spec.seed}, ${play.trace.length} events, ${what}\n`)
  }
}
writeFileSync(join(here, 'data/zoo.json'), `${JSON.stringify(zoo, null, 2)}\n`)
