// The simulator: seven servers and ten clients that each take and release a lock of their own every simulated second,
// on a calm network, with the exclusion checker watching; once with honest servers only, once with one that lies.
// One core: the simulator is one thread. Target: 1,000 simulated seconds a second, about 200,000 messages a second.

import { seededRandom, trust } from '../src/core/index.ts'
import { alwaysYes, type LockPlan, lockLiars, lockScenario } from '../src/lock/proof/index.ts'
import { calm, World } from '../src/simulator/index.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

interface SimulatorRow {
  readonly liars: number
  readonly simulatedPerSecond: number
  readonly messagesPerSecond: number
  readonly messages: number
}

const ROUNDS = 5
const SIMULATED_SECONDS = 400
const WARM_UP_SECONDS = 100
const CLIENTS = 10
const SECOND = 1_000_000
const HOLD = 100_000
const PATIENCE = 900_000

const group = trust({ servers: 7, liars: 1 })

export async function run(print: Print = console.log): Promise<SimulatorRow[]> {
  const rows: SimulatorRow[][] = [[], []]
  measure(0, WARM_UP_SECONDS)
  measure(1, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const liars of [0, 1]) rows[liars]!.push(measure(liars, SIMULATED_SECONDS))
  }
  const medians = rows.map((measured, liars) => ({
    liars,
    simulatedPerSecond: median(measured.map(row => row.simulatedPerSecond)),
    messagesPerSecond: median(measured.map(row => row.messagesPerSecond)),
    messages: median(measured.map(row => row.messages)),
  }))
  printTable(
    print,
    [`7 servers, 10 clients, median of ${ROUNDS}`, 'simulated s/s', 'target', 'messages/s', 'target'],
    medians.map(({ liars, simulatedPerSecond, messagesPerSecond }) => [
      liars === 0 ? 'all honest' : 'one liar (always yes)',
      show(simulatedPerSecond),
      '1,000',
      show(messagesPerSecond),
      '200,000',
    ]),
  )
  return medians
}

function measure(liars: number, seconds: number): SimulatorRow {
  const scenario = lockScenario(group)
  const drawn = scenario.plan(seededRandom(1, 1))
  const plan = quiet(drawn, liars, seconds)
  const world = new World({ seed: 1, network: calm })
  const { checkers } = scenario.stage(world, plan)
  const began = performance.now()
  world.run(seconds * SECOND)
  const wallSeconds = (performance.now() - began) / 1000
  const violations = checkers.flatMap(checker => checker.violations())
  if (violations.length > 0) throw new Error(`the simulation broke a promise: ${violations[0]!.what}`)
  return {
    liars,
    simulatedPerSecond: seconds / wallSeconds,
    messagesPerSecond: world.delivered / wallSeconds,
    messages: world.delivered,
  }
}

/** The drawn plan without its faults, and with users that come every second. */
function quiet(drawn: LockPlan, liars: number, seconds: number): LockPlan {
  const clients = Array.from({ length: CLIENTS }, (_, place) => `client-${place + 1}`)
  const servers = Array.from({ length: group.servers }, (_, place) => `server-${place + 1}`)
  const yes = lockLiars().findIndex(liar => liar.name === alwaysYes.name)
  const acts = clients.flatMap((client, place) =>
    Array.from({ length: seconds }, (_, second) => ({
      kind: 'use' as const,
      client,
      // Spread over the second, as users are.
      at: second * SECOND + Math.floor((place * SECOND) / CLIENTS),
      name: `lock-${place}`,
      ttl: 2_000,
      hold: HOLD,
      patience: PATIENCE,
      wait: true,
      fair: true,
      renew: true,
      guesses: true,
    })),
  )
  return {
    ...drawn,
    network: calm,
    faults: [],
    acts,
    clients,
    liars: new Map(liars === 0 ? [] : [['server-1', yes]]),
    rates: new Map([...servers, ...clients].map(node => [node, 1])),
    healsAt: seconds * SECOND,
    ends: seconds * SECOND,
  }
}
