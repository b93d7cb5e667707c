// Accrual failure detectors (Hayashibara, Défago, Yared, Katayama 2004), beside the time-outs of the LECTURE's elections
// ("silence longer than a time-out means down"): a suspicion level φ instead of a verdict. φ = -log10 of the chance that a
// heartbeat is still to come, given how late it is by the intervals seen so far. A threshold Φ is then wrong once in 10^Φ
// intervals, whatever the network is like: a fixed time-out is not.

import { type Random, seededRandom } from '../../src/core/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { bonferroni, normalBelow, normalQuantile, rateTolerance, summarise } from '../statistics.ts'

const INTERVALS = { small: 20_000, full: 1_000_000 }
const REMEMBERED = 1_000
const THRESHOLDS = [1, 2, 3]
const CONFIDENCE = 0.999
/** Two networks: the mean interval and its deviation, in milliseconds. */
const NETWORKS = [
  { name: 'steady', mean: 100, deviation: 2 },
  { name: 'jittery', mean: 100, deviation: 25 },
]
/** A time-out that would suit the steady one. */
const FIXED_MS = 110

/** Remembers the last intervals, and says how unlikely a silence is. */
export class AccrualDetector {
  private readonly intervals: number[] = []
  private sum = 0
  private squares = 0

  heard(interval: number): void {
    this.intervals.push(interval)
    this.sum += interval
    this.squares += interval * interval
    if (this.intervals.length <= REMEMBERED) return
    const gone = this.intervals.shift()!
    this.sum -= gone
    this.squares -= gone * gone
  }

  /** φ of a silence that has lasted this long. */
  suspicion(silence: number): number {
    const count = this.intervals.length
    const mean = this.sum / count
    const deviation = Math.sqrt(Math.max(1e-9, this.squares / count - mean * mean))
    return -Math.log10(1 - normalBelow((silence - mean) / deviation))
  }
}

function normal(random: Random): number {
  return normalQuantile(Math.min(1 - 1e-12, Math.max(1e-12, random.unit())))
}

interface Seen {
  /** By threshold: how often a heartbeat that did come was given up. */
  readonly wrong: readonly number[]
  readonly fixedWrong: number
  /** By threshold: how long after the last heartbeat of a member that has crashed. */
  readonly found: readonly number[]
}

function listen(network: (typeof NETWORKS)[number], count: number, random: Random): Seen {
  const detector = new AccrualDetector()
  const draw = () => network.mean + network.deviation * normal(random)
  for (let at = 0; at < REMEMBERED; at++) detector.heard(draw())
  const wrong = THRESHOLDS.map(() => 0)
  let fixedWrong = 0
  for (let at = 0; at < count; at++) {
    const interval = draw()
    const level = detector.suspicion(interval)
    for (const [place, threshold] of THRESHOLDS.entries()) if (level > threshold) wrong[place]!++
    if (interval > FIXED_MS) fixedWrong++
    detector.heard(interval)
  }
  const found = THRESHOLDS.map(threshold => {
    let silence = network.mean
    while (detector.suspicion(silence) <= threshold) silence += 0.1
    return silence
  })
  return { wrong: wrong.map(times => times / count), fixedWrong: fixedWrong / count, found }
}

export const accrual: Experiment = {
  name: 'accrual',
  title: 'A suspicion level is wrong as often as it says, on every network; a time-out is not.',
  source: 'LECTURE, "Election algorithms", basic assumptions; Hayashibara et al. 2004',
  run({ scale, seed, progress }: RunOptions) {
    const count = INTERVALS[scale]
    const rows = NETWORKS.flatMap((network, at) => {
      progress(at / NETWORKS.length, network.name)
      return networkRows(network, listen(network, count, seededRandom(seed, 0xacc + at)), count)
    })
    return { rows, pictures: [], notes: NOTES }
  },
}

/** What 1,000 remembered intervals say of the deviation is off by a fortieth, and of a rate of 10^-Φ by up to so much. */
const ESTIMATED = [0.01, 0.03, 0.1]

function networkRows(network: (typeof NETWORKS)[number], seen: Seen, count: number): Row[] {
  const { name, mean, deviation } = network
  const each = bonferroni(CONFIDENCE, 2 * THRESHOLDS.length)
  const fixed = 1 - normalBelow((FIXED_MS - mean) / deviation)
  return [
    ...THRESHOLDS.flatMap((threshold, place) => {
      const rate = 10 ** -threshold
      const due = mean - deviation * normalQuantile(rate)
      const slack = rate * ESTIMATED[place]! + rateTolerance(rate, count, each)
      const what = `${name}, Φ = ${threshold}`
      return [
        row(`${what}: given up wrongly, 10^-Φ`, seen.wrong[place]!, rate, slack, 'of heartbeats'),
        row(`${what}: a crash is found after`, seen.found[place]!, due, 0.2 * deviation, 'ms'),
      ]
    }),
    row(
      `${name}, ${FIXED_MS} ms: given up wrongly`,
      seen.fixedWrong,
      fixed,
      rateTolerance(fixed, count, each),
      'of heartbeats',
    ),
  ]
}

const NOTES = [
  `Intervals are normal, ${summarise(NETWORKS.map(({ mean }) => mean)).mean} ms on average; the last ${REMEMBERED} are remembered, as in the paper.`,
  'The product’s membership has no heartbeats: it probes, asks others, and lets who is suspected defend itself (`swim-flaps`). An accrual ' +
    'detector sees one link, and cannot tell a slow observer from a slow member.',
]
