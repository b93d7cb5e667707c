// One half-dead member in a group: false suspicions of healthy members, with and without Lifeguard.

import type { Lifeguard } from '../../src/membership/index.ts'
import { countFlaps, type Flaps } from '../../src/membership/proof/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const whole: Lifeguard = { awareness: true, dynamicSuspicion: true, buddy: true }
const variants: readonly (readonly [name: string, lifeguard: Lifeguard])[] = [
  ['plain SWIM', { awareness: false, dynamicSuspicion: false, buddy: false }],
  ['awareness only', { awareness: true, dynamicSuspicion: false, buddy: false }],
  ['dynamic suspicion only', { awareness: false, dynamicSuspicion: true, buddy: false }],
  ['buddy only', { awareness: false, dynamicSuspicion: false, buddy: true }],
  ['Lifeguard', whole],
]
const SIZE = { small: 30, full: 100 }
const SECONDS = { small: 20, full: 60 }
/** Milliseconds each way: longer than a probe waits, shorter than a suspicion lasts. */
const BETWEEN = 500
/** What Lifeguard is for. In three runs (seeds 1 to 3) it left 1.5 to 4.5 in a hundred; the bound was set after those. */
const SHARE_MAX = 0.2
const SLOWNESS = { small: [500], full: [100, 200, 500, 1_000, 2_000] }

export const swimFlaps: Experiment = {
  name: 'swim-flaps',
  title: 'False suspicions with one half-dead member, with and without Lifeguard.',
  source: 'LECTURE, "Gossip-based coordination" (SWIM, Lifeguard)',
  run({ scale, seed, progress }: RunOptions) {
    const [members, seconds, slownesses] = [SIZE[scale], SECONDS[scale], SLOWNESS[scale]]
    const rows: Row[] = []
    const curves = variants.map(([name]) => ({ name, points: [] as [number, number][] }))
    for (const [step, slowness] of slownesses.entries()) {
      const found = variants.map(([name, lifeguard], place): Flaps => {
        progress((step + place / variants.length) / slownesses.length, `${name}, ${slowness} times as slow`)
        return countFlaps({ members, seed, lifeguard, seconds, slowness })
      })
      for (const [place, flaps] of found.entries()) {
        const what = `${variants[place]![0]}, ${slowness} ms`
        rows.push(row(`${what}: healthy taken for suspect`, flaps.suspected, null, null))
        rows.push(row(`${what}: healthy given up`, flaps.failed, null, null))
        curves[place]!.points.push([slowness, Math.max(flaps.suspected, 0.5)])
      }
      rows.push(...compared(found, slowness))
    }
    const picture = {
      name: 'swim-flaps.svg',
      svg: lineChart({
        title: `One half-dead member in ${members}, ${seconds} s`,
        x: { label: 'one way to or from it, ms', log: true },
        y: { label: 'healthy members taken for suspect', log: true },
        note: 'One run for each mark.',
        series: curves,
      }),
    }
    return { rows, pictures: scale === 'full' ? [picture] : [], notes: notes(members, seconds) }
  },
}

/** What Lifeguard promises: no more false alarms than without it, and nobody healthy given up. */
function compared(found: readonly Flaps[], slowness: number): Row[] {
  const [plain, guarded] = [found[0]!, found[found.length - 1]!]
  const excess = Math.max(0, guarded.suspected - plain.suspected)
  const share = guarded.suspected / plain.suspected
  const few = { expected: SHARE_MAX, measured: share, tolerance: null, within: share < SHARE_MAX }
  return [
    ...(slowness === BETWEEN
      ? [{ what: `${slowness} ms: suspicions with Lifeguard, of those without: below`, ...few }]
      : []),
    row(`${slowness} ms: suspicions with Lifeguard beyond those without`, excess, 0, 0),
    row(`${slowness} ms: healthy given up with Lifeguard`, guarded.failed, 0, 0),
  ]
}

function notes(members: number, seconds: number): string[] {
  return [
    `${members} members, one of which takes that many milliseconds more for each message in and out, for ${seconds} s.`,
    'A suspicion counts once for each healthy member that heard of it.',
  ]
}
