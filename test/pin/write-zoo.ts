// npm run pin:zoo [-- BUG …]: each planted bug that the simulator finds as an address with its shrunk story, into src/play/zoo.ts.
// It begins at the seeds that are pinned; where a playground draws another run from them, it looks on.

import { readFileSync, writeFileSync } from 'node:fs'
import { plantedRuns as electionRuns } from '../../src/election/proof/index.ts'
import { plantedRuns as lockRuns } from '../../src/lock/proof/index.ts'
import { plantedRuns as membershipRuns } from '../../src/membership/proof/index.ts'
import { plantedRuns as orderingRuns } from '../../src/ordering/proof/index.ts'
import { allPlaygrounds } from '../../src/play/all.ts'
import { openRun, playSpec } from '../../src/play/index.ts'
import type { Specimen } from '../../src/play/zoo.ts'
import { decodeRun, encodeRun, type PlantedRun, Play, type RunName, type RunSpec } from '../../src/simulator/index.ts'
import { shrinkPlay } from '../../src/simulator/shrink-play.ts'
import { plantedRuns as slotsRuns } from '../../src/slots/proof/index.ts'

const OUT = process.env.COTERIE_ZOO ?? ''
if (OUT === '') throw new Error('COTERIE_ZOO names the file')
/** Of slots fewer: where a bug only shows as somebody who is not served, it takes minutes, and a run that is played ends before. */
const SEEDS: Readonly<Record<string, number>> = { slots: 3 }
const SEEDS_USUAL = 40
const NOTHING = { from: -1, to: -1 }

const runs: Readonly<Record<string, Readonly<Record<string, PlantedRun>>>> = {
  lock: lockRuns,
  ordering: orderingRuns,
  membership: membershipRuns,
  election: electionRuns,
  slots: slotsRuns,
}
const sizes: Readonly<Record<string, readonly Omit<RunName, 'name'>[]>> = {
  lock: [
    { servers: 3, liars: 0, crashes: 1 },
    { servers: 4, liars: 1 },
  ],
  ordering: [
    { servers: 7, liars: 1 },
    { servers: 3, liars: 0, crashes: 1 },
  ],
  membership: [{}, { servers: 5, liars: 1 }, { servers: 8, liars: 1 }],
  election: [{}, { servers: 4, liars: 1 }, { servers: 3, liars: 0 }, { servers: 7, liars: 2 }],
  slots: [{}, { servers: 4, liars: 1 }, { servers: 3, liars: 0 }],
}

const named = process.argv.slice(2)
const before = readZoo()
const isKept = ({ protocol, bug }: Specimen) => !named.includes(protocol) && !named.includes(bug)
const zoo: Specimen[] = before.filter(one => named.length > 0 && isKept(one))
for (const [name, planted] of Object.entries(runs)) {
  const pins = JSON.parse(readFileSync(`src/${name}/proof/pins.json`, 'utf8')) as Record<string, number>
  for (const [bug, run] of Object.entries(planted)) {
    if (named.length > 0 && !named.includes(bug) && !named.includes(name)) continue
    const found = specimen(name, bug, run, pins[bug])
    process.stdout.write(`${name} ${bug}: ${found?.address ?? 'not found'}\n`)
    if (found !== undefined) zoo.push(found)
    write()
  }
}

function specimen(name: string, bug: string, { says }: PlantedRun, pinned: number | undefined): Specimen | undefined {
  const seeds = [
    ...(pinned === undefined ? [] : [pinned]),
    ...Array.from({ length: SEEDS[name] ?? SEEDS_USUAL }, (_, place) => place + 1),
  ]
  for (const seed of seeds) {
    for (const size of sizes[name]!) {
      const spec: RunSpec = { run: { name, ...size, bug }, seed, acts: [], say: {} }
      const playable = openRun(spec.run, allPlaygrounds)
      if (typeof playable === 'string') continue
      const play = playSpec(spec, allPlaygrounds)
      if (typeof play === 'string') continue
      play.toEnd()
      if (!play.violations.some(({ what }) => says.test(what))) continue
      const story = shrinkPlay(spec, playable, says)
      const told = new Play(story, playable, NOTHING)
      told.toEnd()
      const kept = told.items.filter(({ on }) => on).length
      const hash = told.hash.slice(0, 8)
      return {
        protocol: name,
        bug,
        address: encodeRun({ ...story, hash }),
        says: told.violations[0]!.what,
        kept,
        of: play.items.length,
      }
    }
  }
  return undefined
}

function readZoo(): Specimen[] {
  const text = readFileSync(OUT, 'utf8')
  const lines = text.slice(text.indexOf('`\n') + 2, text.indexOf('\n`')).split('\n')
  return lines.filter(Boolean).map(line => {
    const [protocol, bug, kept, of, address, says] = line.split(' | ') as [
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    return { protocol, bug, address, says, kept: Number(kept), of: Number(of) }
  })
}

function write(): void {
  const order = Object.keys(runs)
  const sorted = [...zoo].sort((a, b) => order.indexOf(a.protocol) - order.indexOf(b.protocol))
  for (const { address } of sorted) if (!decodeRun(address).ok) throw new Error(`no address: ${address}`)
  const lines = sorted.map(({ protocol, bug, kept, of, address, says }) =>
    [protocol, bug, kept, of, address, says].join(' | '),
  )
  const text = readFileSync(OUT, 'utf8')
  writeFileSync(OUT, `${text.slice(0, text.indexOf('`\n') + 2)}${lines.join('\n')}${text.slice(text.indexOf('\n`'))}`)
}
