// The linearizability checker on long histories: 10,000 operations of 20 clients, nearly all of which overlap others.
// Histories come from one true copy, with a moment drawn inside each operation at which it takes effect; the wrong
// ones have one answer that is half a history old.

import { type Random, seededRandom } from '../src/core/index.ts'
import {
  type CounterCall,
  checkLinearizability,
  counter,
  type Model,
  type Operation,
  type RegisterCall,
  registers,
} from '../src/simulator/index.ts'
import { type Print, printTable, show } from './support/figures.ts'

const OPERATIONS = 10_000
const CLIENTS = 20
const SEED = 7

interface Case {
  readonly name: string
  /** Operations whose outcome nobody knows; half of them happen. */
  readonly lost: number
  check(wrong: boolean): { verdict: string; configurations: number; ms: number }
}

interface Row {
  readonly name: string
  readonly verdict: string
  readonly configurations: number
  readonly ms: number
}

export function run(print: Print = console.log): Row[] {
  const rows: Row[] = []
  for (const wrong of [false, true]) {
    for (const one of cases) rows.push({ name: `${one.name}${wrong ? ', one wrong' : ''}`, ...one.check(wrong) })
  }
  print(`${OPERATIONS.toLocaleString('en-US')} operations of ${CLIENTS} clients, seed ${SEED}`)
  printTable(
    print,
    ['history', 'verdict', 'configurations', 'ms'],
    rows.map(row => [row.name, row.verdict, show(row.configurations), show(row.ms)]),
  )
  return rows
}

const register =
  (keys: number) =>
  (random: Random, at: number): RegisterCall => {
    const key = `k${random.below(keys)}`
    return random.chance(0.5) ? { kind: 'read', key } : { kind: 'write', key, value: at }
  }
const add = (random: Random): CounterCall => (random.chance(0.5) ? { kind: 'read' } : { kind: 'add', by: 1 })

const cases: readonly Case[] = [
  history('registers, 50 keys', registers, register(50), 0),
  history('registers, 10 keys', registers, register(10), 0),
  history('registers, 10 keys, 5% lost', registers, register(10), 0.05),
  history('one register', registers, register(1), 0),
  history('one counter, 1% lost', counter, add, 0.01),
]

function history<State, Call extends { kind: string }, Result>(
  name: string,
  model: Model<State, Call, Result>,
  draw: (random: Random, at: number) => Call,
  lost: number,
): Case {
  return {
    name,
    lost,
    check(wrong) {
      const operations = record(model, draw, lost)
      if (wrong) spoil(operations)
      const start = performance.now()
      const { verdict, configurations } = checkLinearizability(model, operations)
      return { verdict, configurations, ms: performance.now() - start }
    },
  }
}

function record<State, Call, Result>(
  model: Model<State, Call, Result>,
  draw: (random: Random, at: number) => Call,
  lost: number,
): Operation<Call, Result>[] {
  const random = seededRandom(SEED)
  const free = Array.from({ length: CLIENTS }, () => 0)
  const plans = Array.from({ length: OPERATIONS }, (_, at) => {
    const client = at % CLIENTS
    const calledAt = free[client]! + random.below(100)
    const until = calledAt + 1 + random.below(1_000)
    free[client] = until + 1
    const effect = calledAt + random.unit() * (until - calledAt)
    const unheard = random.chance(lost)
    return { client: `c${client}`, call: draw(random, at), calledAt, until, effect, unheard, never: random.chance(0.5) }
  })
  const states = new Map<string, State>()
  return plans
    .sort((a, b) => a.effect - b.effect)
    .map(({ client, call, calledAt, until, unheard, never }) => {
      if (unheard && never) return { client, call, calledAt, outcome: { kind: 'unknown' } }
      const key = model.partition?.(call) ?? ''
      const { state, result } = model.step(states.get(key) ?? model.initial, call)[0]!
      states.set(key, state)
      return {
        client,
        call,
        calledAt,
        outcome: unheard ? { kind: 'unknown' } : { kind: 'returned', at: until, result },
      }
    })
}

/** One of the last reads answers as one of the middle did. */
function spoil<Call extends { kind: string }, Result>(operations: Operation<Call, Result>[]): void {
  const reads = operations.filter(({ call, outcome }) => call.kind === 'read' && outcome.kind === 'returned')
  const late = reads[Math.floor(reads.length * 0.9)]!
  const stale = reads[Math.floor(reads.length * 0.5)]!.outcome
  const { outcome } = late
  if (outcome.kind !== 'returned' || stale.kind !== 'returned') return
  operations[operations.indexOf(late)] = { ...late, outcome: { ...outcome, result: stale.result } }
}
