// The long campaign of slots, counted in rounds: groups of three to seven, with and without a liar, every option, under
// crashes, pauses, partitions, lost and repeated words and drifting clocks. Prints what was kept, and each seed that
// broke a promise; fails if any did.
//   node slots.mjs 10000 1      rounds, from this seed on

import { runOnce } from '../../src/simulator/index.ts'
import { slotsScenario } from '../../src/slots/proof/verified/scenario.ts'

const wanted = Number(process.argv[2] ?? 10_000)
const from = Number(process.argv[3] ?? 1)

const options = [
  { fairness: 'lottery', concurrent: false, paced: false, onDemand: false },
  { fairness: 'rotating', concurrent: false, paced: false, onDemand: false },
  { fairness: 'lottery', concurrent: true, paced: false, onDemand: false },
  { fairness: 'lottery', concurrent: false, paced: true, onDemand: false },
  { fairness: 'lottery', concurrent: false, paced: false, onDemand: true },
  { fairness: 'rotating', concurrent: false, paced: true, onDemand: true },
  { fairness: 'lottery', concurrent: true, paced: true, onDemand: true },
] as const
const sizes = [3, 4, 5, 6, 7]
const LIAR_NEEDS = 4
const TELL_EVERY = 5

const total = { runs: 0, rounds: 0, seats: 0, epochs: 0, tickets: 0, served: 0, named: 0, faults: 0, broken: 0 }
let longest = 0

function tell(): void {
  console.log(`${JSON.stringify(total)}; longest wait ${longest} rounds`)
}

/** Sizes, liars and options take turns; everything else is drawn from the seed. */
function run(seed: number): void {
  const members = sizes[seed % sizes.length]!
  const liars = members >= LIAR_NEEDS && Math.floor(seed / sizes.length) % 2 === 1 ? 1 : 0
  const settings = options[seed % options.length]!
  const scenario = slotsScenario({ members, liars, settings })
  const { violations, drawn } = runOnce(scenario, seed)
  const tally = scenario.tally()
  for (const name of ['rounds', 'seats', 'epochs', 'tickets', 'served'] as const) total[name] += tally[name]
  total.runs++
  total.named += tally.named.length
  total.faults += Number(drawn.faults)
  longest = Math.max(longest, tally.longest)
  if (violations.length === 0) return
  total.broken++
  const asked = JSON.stringify({ members, liars, settings })
  console.log(`seed ${seed} of ${asked}: ${violations.map(({ what }) => what).join('; ')}`)
  console.log(`  ${JSON.stringify(drawn)}`)
}

for (let seed = from; total.rounds < wanted; seed++) {
  run(seed)
  if (total.runs % TELL_EVERY === 0) tell()
}
tell()
if (total.broken > 0) process.exit(1)
