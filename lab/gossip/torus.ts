// LECTURE, "Gossip-based overlay construction: a 2D torus": the pictures at the start and after 5 and 20 rounds.

import { lineChart } from '../chart.ts'
import { type Experiment, type Picture, type Row, type RunOptions, row } from '../experiment.ts'
import { graphDrawing } from '../graph-drawing.ts'
import { Chance } from './chance.ts'
import { neighboursFound } from './shipped.ts'
import { type Overlay, Torus } from './tman.ts'

/** N = 50 along a side, as the lecture's caption. */
const SIDE = { small: 20, full: 50 }
/** c: the four neighbours, and some to find nearer ones by. */
const LENGTH = 20
const SHIPPED_SIDE = { small: 12, full: 30 }
const ROUNDS = 20
const SHIPPED_ROUNDS = 40
const SHOWN = [0, 5, 20]

interface Built {
  readonly overlay: Overlay
  /** The share of neighbours found, before the first round and after each. */
  readonly found: readonly number[]
  readonly pictures: readonly Picture[]
}

function build(overlay: Overlay, side: number, chance: Chance): Built {
  const torus = new Torus(side, LENGTH, overlay, chance)
  const found: number[] = []
  const pictures: Picture[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    if (round > 0) torus.runRound()
    found.push(torus.found())
    if (SHOWN.includes(round)) pictures.push(picture(torus, overlay, round))
  }
  return { overlay, found, pictures }
}

function picture(torus: Torus, overlay: Overlay, round: number): Picture {
  const { side } = torus
  const points = Array.from(
    { length: side * side },
    (_, node) => [(node % side) / (side - 1), Math.floor(node / side) / (side - 1)] as const,
  )
  const title = `${overlay === 't-man' ? 'T-Man' : 'The lecture’s rule, literally'}, N = ${side}, round ${round}`
  return { name: `torus-${overlay}-${round}.svg`, svg: graphDrawing({ title, points, lines: torus.lines() }) }
}

export const torus: Experiment = {
  name: 'torus',
  title: 'A torus built by gossip: T-Man finds all neighbours in a few rounds, the rule as written does not.',
  source: 'LECTURE, "Gossip-based overlay construction: a 2D torus"',
  run({ scale, seed, progress }: RunOptions) {
    const chance = new Chance(seed, 0x70)
    progress(0, 'T-Man')
    const tman = build('t-man', SIDE[scale], chance.fork(1))
    progress(0.6, 'literally')
    const literal = build('literal', SIDE[scale], chance.fork(2))
    const rows = [
      ...SHOWN.map(round => foundRow(tman, round)),
      ...SHOWN.map(round => literalRow(literal, round, scale)),
      ...[...SHOWN.slice(1), SHIPPED_ROUNDS].map(round => shippedRow(SHIPPED_SIDE[scale], round, seed)),
    ]
    const pictures = [...tman.pictures, ...literal.pictures, chart([tman, literal])]
    return { rows, pictures, notes: notes(SIDE[scale]) }
  },
}

/** After 20 rounds the lecture's picture is a whole torus; before, it says nothing in numbers. */
function foundRow({ found }: Built, round: number): Row {
  const what = `T-Man: neighbours found after ${round} rounds`
  return round === ROUNDS ? row(what, found[round]!, 1, 0.001) : row(what, found[round]!, null, null)
}

/** The service that ships keeps eight near ones instead of twenty: in twice the rounds it has found all but a few in a thousand. */
function shippedRow(side: number, round: number, seed: number): Row {
  const what = `the service that ships, ${side} × ${side}: neighbours found after ${round} rounds`
  const found = neighboursFound(side, round, seed)
  return round === SHIPPED_ROUNDS ? row(what, found, 1, 0.01) : row(what, found, null, null)
}

/** How many of its neighbours are among the c + round references that each node has seen, drawn at random. */
function literalRow({ found }: Built, round: number, scale: 'small' | 'full'): Row {
  const nodes = SIDE[scale] ** 2
  const chance = 1 - (1 - 1 / (nodes - 1)) ** (LENGTH + round)
  const tolerance = 5 * Math.sqrt((chance * (1 - chance)) / (4 * nodes))
  return row(`literally: neighbours found after ${round} rounds`, found[round]!, chance, tolerance)
}

function chart(built: readonly Built[]): Picture {
  return {
    name: 'torus-found.svg',
    svg: lineChart({
      title: 'Neighbours found',
      x: { label: 'round', min: 0, max: ROUNDS },
      y: { label: 'of 4 each', min: 0, max: 1 },
      note: 'One run of each: every node is counted.',
      series: built.map(({ overlay, found }) => ({
        name: overlay,
        points: found.map((share, round) => [round, share] as const),
      })),
    }),
  }
}

function notes(side: number): string[] {
  return [
    `A grid of ${side} × ${side} nodes, lists of c = ${LENGTH} (the lecture gives no c). Peer sampling is ideal: ` +
      'the random reference is anybody with the same chance.',
    'Read literally ("picks a random other node from its lowest-level list, and keeps only the closest one"), a node ' +
      'meets one reference a round, and finds a neighbour after N²/4 rounds on average. The pictures come from an ' +
      'exchange of lists with a near node (T-Man).',
  ]
}
