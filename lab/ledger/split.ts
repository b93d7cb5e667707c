// Votes under leaders that propose two things, attempts that interleave, crashes, lost stores and liars: one history is
// certified. And what each weakening of the rules costs, and how long it takes to the next checkpoint.

import { type LedgerRules, ledgerRules } from '../../src/ledger/index.ts'
import { brokenLedgerRules, certifiedBy, type VotingGroup } from '../../src/ledger/proof/index.ts'
import { type Experiment, type Row, row } from '../experiment.ts'
import { FIRST_ATTEMPT, heightsOf } from './split-time.ts'

const SEEDS = { small: 500, full: 20_000 }
const GROUPS: readonly VotingGroup[] = [
  { servers: 4, crashes: 1, liars: 0 },
  { servers: 6, crashes: 1, liars: 1 },
  { servers: 7, crashes: 1, liars: 1 },
  { servers: 9, crashes: 2, liars: 1 },
  { servers: 11, crashes: 2, liars: 2 },
  { servers: 12, crashes: 3, liars: 1 },
]
const WEAKENED = ['small-quorum', 'no-reports', 'newest-not-kept', 'promise-not-saved', 'votes-after-lost-store']

/** Whole servers: the first leader is asked for its sixteen heights, the next for a few. */
const TIMED = GROUPS.slice(0, 4)
const LED = 15
const HEIGHTS = 18
/**
 * Messages take 1 ms on average: handed in, proposed, voted for; and with reports in between, proposed and voted for again. Whom the
 * others pass over does not know, and proposes: who heard of that before it had anything to do voted, and what it voted for is asked for.
 */
const HOPS = { honest: 3, lying: 6, passedOver: 6 }
/** Each takes 0.5 to 1.5 ms. */
const HOP_SPREAD = 0.5

function times(group: VotingGroup, seed: number): Row[] {
  const what = `n = ${group.servers}, f = ${group.crashes}, b = ${group.liars}`
  const longest = (values: readonly number[]) => Math.max(...values)
  const honest = heightsOf(group, false, HEIGHTS, seed)
  const rows = [
    row(`${what}, honest leader: attempts needed`, longest(honest.map(one => one.attempt)), 1, 0),
    row(
      `${what}, honest leader: ms to the next checkpoint, longest`,
      longest(honest.map(one => one.millis)),
      HOPS.honest,
      1.5,
    ),
  ]
  if (group.liars === 0) return rows
  const all = heightsOf(group, true, HEIGHTS, seed)
  const [led, after] = [all.slice(0, LED), all.slice(LED)]
  const late = longest(led.map(one => one.millis))
  return [
    ...rows,
    row(`${what}, leader proposes two things: attempts needed`, longest(led.map(one => one.attempt)), 2, 0),
    row(
      `${what}, leader proposes two things: ms to the next checkpoint, longest`,
      late,
      FIRST_ATTEMPT + HOPS.lying,
      10,
    ),
    row(
      `${what}, leader proposes two things: ms to the next checkpoint, longest after the first of its heights`,
      longest(led.slice(1).map(one => one.millis)),
      HOPS.passedOver,
      HOPS.passedOver * HOP_SPREAD,
    ),
    row(`${what}, when the next one leads: attempts needed`, longest(after.map(one => one.attempt)), 1, 0),
    row(`${what}, heights that were certified`, all.length, HEIGHTS, 0),
  ]
}

function count(group: VotingGroup, seeds: number, from: number, rules: LedgerRules = ledgerRules) {
  const found = { two: 0, one: 0 }
  for (let seed = from; seed < from + seeds; seed++) {
    const { size } = certifiedBy(group, seed, rules)
    if (size > 1) found.two++
    if (size > 0) found.one++
  }
  return found
}

export const splitExperiment: Experiment = {
  name: 'ledger-split',
  title: 'Leaders that propose two things, liars that report anything: one history is certified, and no rule is spare.',
  source: 'ours; n ≥ 3f + 2b + 1, certificates of n - f',
  run({ scale, seed, progress }) {
    const seeds = SEEDS[scale]
    const rows: Row[] = []
    for (const [place, group] of GROUPS.entries()) {
      progress(place / 12, `n = ${group.servers}`)
      const { two, one } = count(group, seeds, seed)
      const what = `n = ${group.servers}, f = ${group.crashes}, b = ${group.liars}`
      rows.push(row(`${what}: two histories`, two, 0, 0), row(`${what}: some history`, one / seeds, null, null))
    }
    const few = count({ servers: 5, crashes: 1, liars: 1 }, seeds * 4, seed).two
    rows.push(
      row('n = 5, f = 1, b = 1, one server too few: two histories were certified (1 = yes)', few > 0 ? 1 : 0, 1, 0),
    )
    for (const [place, bug] of WEAKENED.entries()) {
      progress(0.5 + place / 12, bug)
      const group = { servers: 4, crashes: 1, liars: 0 }
      const { two } = count(group, seeds * 4, seed, brokenLedgerRules(bug))
      rows.push(row(`${bug}, n = 4: two histories were certified (1 = yes)`, two > 0 ? 1 : 0, 1, 0))
      rows.push(row(`${bug}, n = 4: two histories, of ${seeds * 4}`, two, null, null))
    }
    for (const group of TIMED) rows.push(...times(group, seed))
    return {
      rows,
      pictures: [],
      notes: [
        `${seeds} random schedules of one height for each group, up to five attempts, with the rules that the servers run (\`rules.ts\`), without network and signatures.`,
        'Some history: the share of schedules in which anything was certified; schedules end after 24 steps a server, so this is no measure of progress.',
        `Times: whole servers in the simulator, messages of 0.5 to 1.5 ms, payments one after the other; ${FIRST_ATTEMPT} ms is how long a first attempt lasts. A leader leads for sixteen heights; one that lies, or is gone, costs that time in the first of them and is passed over in the others.`,
      ],
    }
  },
}
