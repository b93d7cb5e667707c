// Bandits at all levels, one process, on tapes of coins that pay as ten jokes of Jester do: open, UCB-DS, UCB-DS2, blind, blind in
// batches; SR-secured at two budgets; a search in blind, beyond its pulls. Processor time, and the target beside it. And as processes.
// Options: --pulls N (100,000), --arms K (10), --only earning,batches,secured,searching,processes, --rounds N of the processes (300).

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
  ucb1,
} from '../src/bandits/index.ts'
import { playRejects, playRing } from '../src/bandits/machines.ts'
import { BanditTable } from '../src/bandits/table.ts'
import { playInTheOpen } from '../src/client/bandits/in-the-open.ts'
import { seededRandom } from '../src/core/index.ts'
import { banditKeys, opensslBanditTools } from '../src/runtime/bandit-tools.ts'
import { randomBytes } from '../src/runtime/platform.ts'
import { gcmSeals, newPaillier, secretBelow } from '../src/runtime/printed-tools.ts'
import { amongProcesses } from './bandits/processes.ts'
import type { Print } from './support/figures.ts'

interface Measured {
  readonly what: string
  readonly figure: number
  readonly target: number | undefined
  readonly unit: string
}

const NOTHING = new Uint8Array(0)
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

/** All parties at one table, with keys that everybody knows already: who is a member was looked at when it joined. */
async function tableFor(algorithm: Algorithm, arms: number, budget: number, batch: number): Promise<() => void> {
  const tools = await opensslBanditTools()
  const draw = () => banditKeys(tools, randomBytes(32), randomBytes(32))
  const ids = Array.from({ length: arms }, (_, arm) => `arm ${arm}`)
  const keys = new Map([...ids, 'shuffler', 'comparator', 'user'].map(id => [id, draw()]))
  for (const { signer } of keys.values()) tools.signatures.verify(signer.publicKey, NOTHING, signer.sign(NOTHING))
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
  const letters = scheduleOf(run).rounds * (2 * arms + 2)
  return () => {
    table.begin()
    for (let done = 0; table.work(LETTERS); done += LETTERS) {
      if (done % (20 * LETTERS) === 0) process.stderr.write(`  ${Math.floor((100 * done) / letters)} %\r`)
    }
    if (!isDone) throw new Error('the run has no answer')
  }
}

async function blind(what: string, algorithm: Algorithm, arms: number, budget: number, batch = 0): Promise<number> {
  const play = await tableFor(algorithm, arms, budget, batch)
  return cpu(what, play)
}

interface Size {
  readonly arms: number
  readonly budget: number
  readonly sums: Awaited<ReturnType<typeof newPaillier>>
}

/** The level `open`, as a group plays it. */
function inTheOpen(arms: number, budget: number) {
  const sources = coins(arms, 1)
  return playInTheOpen({
    algorithm: 'ucb1',
    arms,
    budget,
    batch: 0,
    pull: async (arm, number) => sources[arm]!(number) * GRID,
    round: () => {},
    chance: () => 0.5,
  })
}

/** UCB1 at all levels. */
async function earning({ arms, budget, sums }: Size): Promise<Measured[]> {
  const rounds = (batch: number) => scheduleOf({ algorithm: 'ucb1', arms: { length: arms }, budget, batch }).rounds
  const open = await cpu('open', () => inTheOpen(arms, budget))
  const bare = await cpu('the bare function', () => playOpen(ucb1, coins(arms, 1), budget))
  const ds = await cpu('UCB-DS', () => ring('ucb-ds', arms, budget, sums))
  const ds2 = await cpu('UCB-DS2', () => ring('ucb-ds2', arms, budget, sums))
  const full = await blind('blind', 'ucb1', arms, budget)
  return [
    { what: 'open, the bare function', figure: bare, target: undefined, unit: 's' },
    { what: 'open as a group plays it, which waits', figure: open, target: undefined, unit: 's' },
    { what: 'UCB-DS', figure: ds, target: undefined, unit: 's' },
    // What the thesis's authors timed: a function that calls its sources, as their ring and ours do.
    { what: 'UCB-DS / open, the bare function', figure: ds / bare, target: 70, unit: '' },
    { what: 'UCB-DS / open as a group plays it, which waits', figure: ds / open, target: undefined, unit: '' },
    { what: 'UCB-DS2 / UCB-DS', figure: ds2 / ds, target: 1.3, unit: '' },
    { what: 'blind', figure: full, target: undefined, unit: 's' },
    { what: 'blind / UCB-DS', figure: full / ds, target: 9, unit: '' },
    { what: 'blind, a round', figure: (1_000 * full) / rounds(0), target: 2.2, unit: 'ms' },
  ]
}

async function batches({ arms, budget }: Size): Promise<Measured[]> {
  const { rounds } = scheduleOf({ algorithm: 'ucb1', arms: { length: arms }, budget, batch: 0.003 })
  const figure = await blind('blind, in batches', 'ucb1', arms, budget, 0.003)
  return [{ what: `blind, batch 0.003 (${rounds} rounds)`, figure, target: 6, unit: 's' }]
}

async function secured({ arms, budget, sums }: Size): Promise<Measured[]> {
  const values = Array.from({ length: arms }, (_, arm) => arm * GRID)
  const reject = (pulls: number) =>
    cpu(`SR-secured, ${pulls} pulls`, () =>
      playRejects({ values, epsilon: GRID, budget: pulls, seals: gcmSeals('bench'), sums, below: secretBelow }),
    )
  const [small, large] = [await reject(budget), await reject(4 * budget)]
  const drawing = (pulls: number) =>
    cpu(`${pulls} draws`, () => {
      for (let pull = 0; pull < pulls; pull++) secretBelow(2 * GRID + 1)
    })
  const what = 'SR-secured, four times the budget against it, less the draws'
  const figure = (large - (await drawing(4 * budget))) / (small - (await drawing(budget)))
  return [
    { what: 'SR-secured', figure: small, target: 2, unit: 's' },
    { what, figure, target: 1.15, unit: '' },
  ]
}

/** The keys and rounds of a search are the same whatever its budget: with the smallest one hardly anything is pulled. */
async function searching({ arms, budget }: Size): Promise<Measured[]> {
  const tries: number[] = []
  for (let time = 0; time < SEARCHES; time++)
    tries.push(await blind('a search in blind', 'successive-rejects', arms, 2 * arms))
  const [first] = tries
  const rounds = tries.sort((a, b) => a - b)[Math.floor(SEARCHES / 2)]!
  const whole = await blind('a search in blind, all its pulls', 'successive-rejects', arms, budget)
  return [
    { what: `a search in blind, beyond the pulls, of ${SEARCHES}`, figure: 1_000 * rounds, target: 40, unit: 'ms' },
    { what: 'the first of them, which pays for the compiler', figure: 1_000 * first!, target: undefined, unit: 'ms' },
    { what: 'each of its pulls', figure: (1e6 * (whole - rounds)) / budget, target: undefined, unit: 'µs' },
  ]
}

/** The one in the middle counts. */
const SEARCHES = 25

/** By the clock: how long it takes among processes depends on what else they have to do. */
async function processes({ arms }: Size, pulls: number): Promise<Measured[]> {
  const found = await amongProcesses(arms, pulls)
  return [
    { what: `${arms + 2} processes: blind, a round by the clock`, figure: found.blind, target: undefined, unit: 'ms' },
    { what: `${arms + 2} processes: UCB-DS, a round by the clock`, figure: found.ring, target: undefined, unit: 'ms' },
    { what: `${arms + 2} processes: blind / UCB-DS`, figure: found.blind / found.ring, target: 2, unit: '' },
  ]
}

const PARTS = ['earning', 'batches', 'secured', 'searching', 'processes']

export async function run(print: Print = console.log, args: readonly string[] = []): Promise<readonly Measured[]> {
  const option = (name: string, otherwise: string) => {
    const place = args.indexOf(name)
    return place < 0 ? otherwise : args[place + 1]!
  }
  const size = {
    arms: Number(option('--arms', '10')),
    budget: Number(option('--pulls', '100000')),
    sums: await newPaillier(),
  }
  const only = option('--only', PARTS.join()).split(',')
  const began = performance.now()
  const figures: Measured[] = []
  if (only.includes('earning')) figures.push(...(await earning(size)))
  if (only.includes('batches')) figures.push(...(await batches(size)))
  if (only.includes('secured')) figures.push(...(await secured(size)))
  if (only.includes('searching')) figures.push(...(await searching(size)))
  if (only.includes('processes')) figures.push(...(await processes(size, Number(option('--rounds', '300')))))
  const taken = ((performance.now() - began) / 1000).toFixed(0)
  print(`K = ${size.arms}, N = ${size.budget}, processor time, all in one run (${taken} s)`)
  for (const { what, figure, target, unit } of figures) {
    const goal = target === undefined ? '' : `target ${target}`
    print(`${what.padEnd(60)} ${figure.toFixed(2).padStart(9)} ${unit.padEnd(3)} ${goal}`)
  }
  return figures
}
