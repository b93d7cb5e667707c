// HyParView (Leitão, Pereira, Rodrigues 2007), beside the LECTURE's peer sampling: two lists instead of one. A small
// active view, kept symmetric, over which everything is sent; and a larger passive view of names to fall back on. When a
// neighbour fails, a name of the passive view takes its place. So a few links are enough, also after most nodes are gone.

import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { summarise } from '../statistics.ts'
import { Chance } from './chance.ts'

const SITUATION = {
  small: { size: 1_000, active: 5, passive: 30, runs: 6 },
  full: { size: 10_000, active: 5, passive: 30, runs: 20 },
}
const GONE = [0, 0.5, 0.8]
/** Rounds in which who lacks neighbours asks one name of its passive view. */
const REPAIR_ROUNDS = 40

export class HyParView {
  readonly active: Set<number>[]
  readonly passive: number[][]
  private readonly isUp: boolean[]
  private readonly most: number
  private readonly chance: Chance

  constructor(size: number, most: number, passive: number, chance: Chance) {
    this.most = most
    this.chance = chance
    this.isUp = Array.from({ length: size }, () => true)
    this.active = Array.from({ length: size }, () => new Set())
    this.passive = Array.from({ length: size }, () => Array.from({ length: passive }, () => chance.below(size)))
    for (let round = 0; round < 4 * REPAIR_ROUNDS; round++) this.repair()
  }

  fail(share: number): void {
    for (let node = 0; node < this.isUp.length; node++) if (this.chance.unit() < share) this.isUp[node] = false
    // A link that breaks is noticed: every link is a connection.
    for (const [node, links] of this.active.entries()) {
      for (const other of [...links]) if (!this.isUp[other] || !this.isUp[node]) links.delete(other)
    }
  }

  /** Who lacks neighbours asks one name. Asked by somebody who has none, one makes room; otherwise only where there is some. */
  repair(): void {
    for (const [node, links] of this.active.entries()) {
      if (!this.isUp[node] || links.size >= this.most) continue
      const names = this.passive[node]!
      const at = this.chance.below(names.length)
      const other = names[at]!
      if (other === node || links.has(other)) continue
      if (!this.isUp[other]) {
        if (names.length > 1) names.splice(at, 1)
        continue
      }
      this.link(node, other)
    }
  }

  private link(node: number, other: number): void {
    const theirs = this.active[other]!
    if (theirs.size >= this.most) {
      if (this.active[node]!.size > 0) return
      const dropped = [...theirs][this.chance.below(theirs.size)]!
      theirs.delete(dropped)
      this.active[dropped]!.delete(other)
      this.passive[dropped]!.push(other)
    }
    theirs.add(node)
    this.active[node]!.add(other)
  }

  /** Of those that are up, the share in the largest part that hangs together. */
  together(): number {
    const seen = new Set<number>()
    let largest = 0
    let up = 0
    for (let start = 0; start < this.isUp.length; start++) {
      if (!this.isUp[start]) continue
      up++
      if (seen.has(start)) continue
      const before = seen.size
      const open = [start]
      seen.add(start)
      for (let node = open.pop(); node !== undefined; node = open.pop()) {
        for (const other of this.active[node]!) {
          if (seen.has(other)) continue
          seen.add(other)
          open.push(other)
        }
      }
      largest = Math.max(largest, seen.size - before)
    }
    return largest / up
  }

  isSymmetric(): boolean {
    return this.active.every((links, node) => [...links].every(other => this.active[other]!.has(node)))
  }

  degree(): number {
    const degrees = this.active.filter((_, node) => this.isUp[node]).map(links => links.size)
    return summarise(degrees).mean
  }
}

export const hyparview: Experiment = {
  name: 'hyparview',
  title: 'A small symmetric view and a list to fall back on hold together after four nodes of five are gone.',
  source: 'LECTURE, "Gossip-based coordination: peer sampling"; Leitão, Pereira, Rodrigues 2007',
  run({ scale, seed, progress }: RunOptions) {
    const { size, active, passive, runs } = SITUATION[scale]
    const chance = new Chance(seed, 0x4a)
    const seenBy = GONE.map((gone, at) => {
      progress(at / GONE.length, `${100 * gone} % gone`)
      const seen = Array.from({ length: runs }, (_, run) => {
        const views = new HyParView(size, active, passive, chance.fork(10 * at + run))
        views.fail(gone)
        const before = views.together()
        for (let round = 0; round < REPAIR_ROUNDS; round++) views.repair()
        return { before, after: views.together(), symmetric: views.isSymmetric(), degree: views.degree() }
      })
      return { gone, seen }
    })
    const situation = `N = ${size}, active views of ${active}, passive ones of ${passive}, ${runs} runs each.`
    return {
      rows: seenBy.flatMap(({ gone, seen }) => goneRows(gone, seen)),
      pictures: [{ name: 'hyparview.svg', svg: chart(seenBy, runs) }],
      notes: [situation, ...NOTES],
    }
  },
}

interface Seen {
  readonly before: number
  readonly after: number
  readonly symmetric: boolean
  readonly degree: number
}

function chart(seenBy: readonly { readonly gone: number; readonly seen: readonly Seen[] }[], runs: number): string {
  const points = (of: (one: Seen) => number) =>
    seenBy.map(({ gone, seen }) => [100 * gone, summarise(seen.map(of)).mean] as const)
  return lineChart({
    title: `HyParView: largest part that hangs together, ${runs} runs each`,
    x: { label: '% of nodes gone', min: 0, max: 100 },
    y: { label: 'of those up', min: 0, max: 1 },
    note: `Means of ${runs} runs.`,
    series: [
      { name: 'at once', points: points(one => one.before) },
      { name: `after ${REPAIR_ROUNDS} rounds of repair`, points: points(one => one.after) },
    ],
  })
}

function goneRows(gone: number, seen: readonly Seen[]): Row[] {
  const mean = (of: (one: Seen) => number) => summarise(seen.map(of)).mean
  const what = `${100 * gone} % gone`
  const broken = row(
    `${what}: largest part before the repair`,
    mean(one => one.before),
    null,
    null,
    'of those up',
  )
  // Each of five links lasts with chance 1/5, and leads on to four: 4/5 on average, so that no large part is left.
  const shattered = { ...broken, what: `${broken.what}: below`, expected: 0.2, within: mean(one => one.before) < 0.2 }
  return [
    gone === 0.8 ? shattered : broken,
    row(
      `${what}: largest part after the repair`,
      mean(one => one.after),
      1,
      0.01,
      'of those up',
    ),
    row(`${what}: views are symmetric`, seen.every(one => one.symmetric) ? 1 : 0, 1, 0),
    row(
      `${what}: links of a node after the repair`,
      mean(one => one.degree),
      null,
      null,
    ),
  ]
}

const NOTES = [
  'The lecture’s lists are one-sided and as long as a passive view here. What HyParView adds is that a link is kept by both sides, so that it ' +
    'is noticed when it breaks, and that few links are enough to send over.',
  'Not here: its shuffles of passive views. They are drawn at random once, which is what shuffling keeps up.',
]
