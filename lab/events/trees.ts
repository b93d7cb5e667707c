// LECTURE, "Selective routing", where brokers may lie: over one list of members b + 1 trees in which nobody passes on twice. b liars,
// wherever they sit, cut no pair of the others; in b trees they do.

import { seededRandom } from '../../src/core/index.ts'
import { eventsDefaults } from '../../src/events/defaults.ts'
import { degreeOf, neighboursOf, orderOf, placesIn } from '../../src/events/routing/overlay.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { treesPicture } from './drawn/trees-picture.ts'

const SIZES = {
  small: [
    [8, 1],
    [9, 2],
    [64, 1],
    [64, 3],
  ],
  full: [
    [8, 1],
    [9, 2],
    [12, 3],
    [64, 1],
    [64, 3],
    [1000, 1],
    [1000, 5],
  ],
} as const
const DRAWS = { small: 30, full: 300 }

/** For every member, which other one an event of it reaches, although these swallow what they should pass on. */
class Trees {
  readonly members: readonly string[]
  readonly order: readonly string[]
  private readonly next: readonly ReadonlyMap<string, readonly string[]>[]

  constructor(count: number, trees: number) {
    const { hash } = eventsDefaults
    this.members = Array.from({ length: count }, (_, at) => `member-${at}`)
    const record = { number: 1, members: this.members }
    this.order = orderOf(hash, record)
    const links = new Map(this.members.map(id => [id, neighboursOf(hash, record, id, { trees, degree: 2 })]))
    this.next = Array.from({ length: trees }, (_, tree) => {
      const of = (id: string) => links.get(id)!.filter(one => one.tree === tree)
      return new Map(this.members.map(id => [id, of(id).map(({ peer }) => peer)]))
    })
  }

  reached(from: string, liars: ReadonlySet<string>): Set<string> {
    const found = new Set<string>([from])
    for (const next of this.next) {
      const seen = new Set<string>([from])
      for (const id of seen) {
        if (id !== from && liars.has(id)) continue
        for (const peer of next.get(id)!) seen.add(peer)
      }
      for (const id of seen) found.add(id)
    }
    return found
  }

  /** Pairs of others, of which the one does not reach the other. */
  cut(liars: ReadonlySet<string>, from: readonly string[]): number {
    const honest = this.members.filter(id => !liars.has(id))
    let pairs = 0
    for (const id of from.filter(one => !liars.has(one))) {
      const reached = this.reached(id, liars)
      pairs += honest.filter(one => !reached.has(one)).length
    }
    return pairs
  }

  roots(count: number): Set<string> {
    return new Set(Array.from({ length: count }, (_, tree) => placesIn(this.order, tree, this.next.length)[0]!))
  }
}

/** Of one tree whose root swallows: pairs in different branches, of all pairs of the others. */
function shareCut(count: number): number {
  const degree = degreeOf(count, { trees: 1, degree: 2 })
  const branches = Array.from({ length: degree }, (_, at) => sizeOf(at + 1, count, degree))
  const together = branches.reduce((sum, size) => sum + size * (size - 1), 0)
  return 1 - together / ((count - 1) * (count - 2))
}

function sizeOf(place: number, count: number, degree: number): number {
  if (place >= count) return 0
  let size = 1
  for (let child = 1; child <= degree; child++) size += sizeOf(place * degree + child, count, degree)
  return size
}

const draw = (seed: number) => [treesPicture(seed)]

function run({ scale, seed, progress }: RunOptions) {
  const random = seededRandom(seed)
  const rows: Row[] = []
  for (const [step, [count, liars]] of SIZES[scale].entries()) {
    progress(step / SIZES[scale].length, `${count} members, ${liars} liars`)
    const enough = new Trees(count, liars + 1)
    const drawn = () => enough.members[random.below(count)]!
    let cut = enough.cut(enough.roots(liars), enough.members.slice(0, DRAWS[scale]))
    for (let draw = 0; draw < DRAWS[scale]; draw++) {
      const set = new Set<string>()
      while (set.size < liars) set.add(drawn())
      cut += enough.cut(set, [drawn(), drawn(), drawn()])
    }
    rows.push(row(`${count} members, ${liars + 1} trees, ${liars} liars: pairs cut`, cut, 0, 0))
    const few = new Trees(count, liars)
    const honest = count - liars
    const lost = few.cut(few.roots(liars), few.members) / (honest * (honest - 1))
    const what = `${count} members, ${liars} ${liars === 1 ? 'tree' : 'trees'}, liars at the roots`
    if (liars === 1) rows.push(row(`${what}: pairs cut`, 100 * lost, 100 * shareCut(count), 1e-9, '%'))
    else
      rows.push(
        row(`${what}: whether pairs are cut`, lost > 0 ? 1 : 0, 1, 0),
        row(`${what}: pairs cut`, 100 * lost, null, null, '%'),
      )
  }
  return {
    rows,
    pictures: draw(seed),
    notes: [
      'Liars take events and pass none on: at the roots of as many trees as they are, and in places that were drawn. Of one tree, what its root cuts follows from the sizes of its branches.',
    ],
  }
}

export const eventsTrees: Experiment = {
  name: 'events-trees',
  title: 'Members that swallow events: b + 1 trees, and b',
  source: 'LECTURE, selective routing',
  draw,
  run,
}
