// Bandits at all levels, one process, on tapes of coins that pay as ten jokes of Jester do: open, UCB-DS, UCB-DS2, blind, blind in
// batches; SR-secured at two budgets; a search in blind, beyond its pulls. Processor time, and what the issue asks for beside it.
// Options: --pulls N (100,000), --arms K (10).

import { performance } from 'node:perf_hooks'
import { jesterSmall } from '../lab/bandits/ratings.ts'
import {
  type Algorithm,
  type BanditParty,
  banditRules,
  GRID,
  playOpen,
  type RingLevel,
  type Source,
  scheduleOf,
  successiveRejects,
  ucb1,
} from '../src/bandits/index.ts'
import { playRejects, playRing } from '../src/bandits/machines.ts'
import { BanditTable } from '../src/bandits/table.ts'
import { seededRandom } from '../src/core/index.ts'
import { banditKeys, opensslBanditTools } from '../src/runtime/bandit-tools.ts'
import { randomBytes } from '../src/runtime/platform.ts'
import { gcmSeals, newPaillier, secretBelow } from '../src/runtime/printed-tools.ts'
import type { Print } from './support/figures.ts'

interface Measured {
  readonly what: string
  readonly figure: number
  readonly target: number | undefined
  readonly unit: string
}

/** Handed over between two looks at how far it is. */
const LETTERS = 10_000

/** Processor seconds of this process. At full size some parts take minutes: each says on stderr when it begins. */
async function cpu(what: string, work: () => unknown): Promise<number> {
  process.stderr.write(`${what} …\n`)
  const began = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(began)
  return (user + system) / 1e6
}

const means = (arms: number) => Array.from({ length: arms }, (_, arm) => jesterSmall[arm % jesterSmall.length]!)

function coins(arms: number, seed: number): Source[] {
  return means(arms).map((mean, arm) => {
    const random = seededRandom(seed, arm + 1)
    return () => (random.unit() < mean ? 1 : 0)
  })
}

function ring(level: RingLevel, arms: number, budget: number, sums: Awaited<ReturnType<typeof newPaillier>>): number {
  const sources = coins(arms, 1)
  const run = playRing({ arms, budget, level, seals: gcmSeals('bench'), sums, below: secretBelow })
  let step = run.next()
  while (!step.done) step = run.next(sources[step.value.arm]!(step.value.number) * GRID)
  return step.value.steps
}

async function blind(algorithm: Algorithm, arms: number, budget: number, batch: number): Promise<void> {
  const tools = await opensslBanditTools()
  const draw = () => banditKeys(tools, randomBytes(32), randomBytes(32))
  const ids = Array.from({ length: arms }, (_, arm) => `arm ${arm}`)
  const keys = new Map([...ids, 'shuffler', 'comparator', 'user'].map(id => [id, draw()]))
  const party = (id: string): BanditParty => {
    const { signer, sealing } = keys.get(id)!
    return { id, signing: signer.publicKey, sealing: sealing.publicKey }
  }
  const sources = coins(arms, 1)
  const parties = {
    arms: ids.map(party),
    shuffler: party('shuffler'),
    comparator: party('comparator'),
    user: party('user'),
  }
  const run = { name: 'bench', algorithm, budget, batch, rewards: [0, 1] as const, nonce: randomBytes(16), ...parties }
  let isDone = false
  const table = new BanditTable({
    settings: { run, repeat: 1_000, timeout: 1_000, rules: banditRules },
    keysOf: id => keys.get(id)!,
    random: randomBytes,
    event: (from, event) => {
      if (event.kind === 'answered') isDone = true
      if (event.kind !== 'pull') return
      const steps = sources[ids.indexOf(from)]!(event.number) * GRID
      table.command(from, { kind: 'reward', number: event.number, steps })
    },
  })
  table.begin()
  const letters = scheduleOf(run).rounds * (2 * arms + 2)
  for (let done = 0; table.work(LETTERS); done += LETTERS) {
    if (done % (20 * LETTERS) === 0) process.stderr.write(`  ${Math.floor((100 * done) / letters)} %\r`)
  }
  if (!isDone) throw new Error('the run has no answer')
}

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<readonly Measured[]> {
  const option = (name: string, otherwise: number) => {
    const place = args.indexOf(name)
    return place < 0 ? otherwise : Number(args[place + 1])
  }
  const arms = option('--arms', 10)
  const budget = option('--pulls', 100_000)
  const began = performance.now()
  const sums = await newPaillier()
  const rounds = (batch: number) => scheduleOf({ algorithm: 'ucb1', arms: { length: arms }, budget, batch }).rounds
  const open = await cpu('open', () => playOpen(ucb1, coins(arms, 1), budget))
  const ds = await cpu('UCB-DS', () => ring('ucb-ds', arms, budget, sums))
  const ds2 = await cpu('UCB-DS2', () => ring('ucb-ds2', arms, budget, sums))
  const blindFull = await cpu('blind', () => blind('ucb1', arms, budget, 0))
  const batched = await cpu('blind, in batches', () => blind('ucb1', arms, budget, 0.003))
  const values = Array.from({ length: arms }, (_, arm) => arm * GRID)
  const reject = (pulls: number) =>
    cpu(`SR-secured, ${pulls} pulls`, () =>
      playRejects({ values, epsilon: GRID, budget: pulls, seals: gcmSeals('bench'), sums, below: secretBelow }),
    )
  const [small, large] = [await reject(budget), await reject(4 * budget)]
  const draws = await cpu('draws', () => {
    for (let pull = 0; pull < 3 * budget; pull++) secretBelow(2 * GRID + 1)
  })
  const searchOpen = await cpu('a search in the open', () => successiveRejects(coins(arms, 1), budget))
  const search = await cpu('a search in blind', () => blind('successive-rejects', arms, budget, 0))
  const figures: Measured[] = [
    { what: 'open', figure: open, target: undefined, unit: 's' },
    { what: 'UCB-DS / open', figure: ds / open, target: 70, unit: '' },
    { what: 'UCB-DS2 / UCB-DS', figure: ds2 / ds, target: 1.3, unit: '' },
    { what: 'blind / UCB-DS', figure: blindFull / ds, target: 9, unit: '' },
    { what: 'blind, a round', figure: (1_000 * blindFull) / rounds(0), target: 2.2, unit: 'ms' },
    { what: `blind, batch 0.003 (${rounds(0.003)} rounds)`, figure: batched, target: 6, unit: 's' },
    { what: 'SR-secured', figure: small, target: 2, unit: 's' },
    {
      what: 'SR-secured, four times the budget, less the draws',
      figure: (large - draws) / small,
      target: 1.15,
      unit: '',
    },
    { what: 'a search in blind, beyond the open one', figure: 1_000 * (search - searchOpen), target: 40, unit: 'ms' },
  ]
  print(
    `K = ${arms}, N = ${budget}, processor time, all in one run (${((performance.now() - began) / 1000).toFixed(0)} s)`,
  )
  for (const { what, figure, target, unit } of figures) {
    print(
      `${what.padEnd(52)} ${figure.toFixed(2).padStart(9)} ${unit.padEnd(3)} ${target === undefined ? '' : `target ${target}`}`,
    )
  }
  return figures
}
