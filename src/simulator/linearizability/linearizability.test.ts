// The judge must be right before anybody is judged: bad histories by name, good ones that look bad, and a dumb twin
// that tries every order. (Herlihy and Wing 1990, §3; Wing and Gong 1993; Lowe 2017.)

import { describe, expect, it } from 'vitest'
import { fingerprint, type Random, seededRandom } from '../../core/index.ts'
import { checkLinearizability, explains } from './check.ts'
import { LinearizabilityChecker } from './checker.ts'
import { historyLine, readHistory } from './history.ts'
import type { Model, Operation } from './model.ts'
import { type CounterCall, counter, type QueueCall, queue, type RegisterCall, registers, type Value } from './models.ts'

type Register = Operation<RegisterCall, Value | boolean>
type Counter = Operation<CounterCall, number>
type Queue = Operation<QueueCall, Value>

/** From and until are times; no end means that nobody knows the outcome. */
function operation<Call, Result>(client: string, call: Call, from: number, until?: number, result?: Result) {
  const outcome =
    until === undefined ? { kind: 'unknown' as const } : { kind: 'returned' as const, at: until, result: result! }
  return { client, call, calledAt: from, outcome }
}
const write = (client: string, value: Value, from: number, until?: number, key = 'x'): Register =>
  operation(client, { kind: 'write', key, value }, from, until, null)
const read = (client: string, value: Value, from: number, until: number, key = 'x'): Register =>
  operation(client, { kind: 'read', key }, from, until, value)
const swap = (client: string, expected: Value, value: Value, done: boolean, from: number, until?: number): Register =>
  operation(client, { kind: 'swap', key: 'x', expected, value }, from, until, done)
const add = (client: string, sum: number, from: number, until?: number): Counter =>
  operation(client, { kind: 'add', by: 1 }, from, until, sum)
const sum = (client: string, value: number, from: number, until: number): Counter =>
  operation(client, { kind: 'read' }, from, until, value)
const put = (client: string, value: Value, from: number, until?: number): Queue =>
  operation(client, { kind: 'put', value }, from, until, null)
const take = (client: string, value: Value, from: number, until?: number): Queue =>
  operation(client, { kind: 'take' }, from, until, value)

/** A history with its model, judged. */
type Judged = () => string
function judge<State, Call, Result>(model: Model<State, Call, Result>, history: Operation<Call, Result>[]): Judged {
  return () => checkLinearizability(model, history).verdict
}
const register = (...history: Register[]) => judge(registers, history)
const counting = (...history: Counter[]) => judge(counter, history)
const queueing = (...history: Queue[]) => judge(queue, history)

const bad: Record<string, Judged> = {
  'a stale read': register(write('a', 1, 0, 1), write('a', 2, 2, 3), read('b', 1, 4, 5)),
  'a read of nothing after a write': register(write('a', 1, 0, 1), read('b', null, 2, 3)),
  'a read of what was never written': register(write('a', 1, 0, 9), read('b', 7, 1, 2)),
  'a read of what is written only later': register(read('b', 1, 0, 1), write('a', 1, 2, 3)),
  'new, then old, while the write is under way': register(
    write('a', 1, 0, 1),
    write('a', 2, 2, 20),
    read('b', 2, 3, 4),
    read('c', 1, 5, 6),
  ),
  'two readers that see two writes in two orders': register(
    write('a', 1, 0, 20),
    write('b', 2, 0, 20),
    read('c', 1, 21, 22),
    read('d', 2, 23, 24),
  ),
  'split brain: each side sees its own write only': register(
    write('a', 1, 0, 10),
    write('b', 2, 0, 10),
    read('a', 1, 11, 12),
    read('b', 2, 13, 14),
    read('a', 1, 15, 16),
  ),
  'two swaps of one value that both succeed': register(
    write('a', 0, 0, 1),
    swap('b', 0, 1, true, 2, 9),
    swap('c', 0, 2, true, 2, 9),
  ),
  'a swap that fails although the value stood there all the time': register(
    write('a', 0, 0, 1),
    swap('b', 0, 1, false, 2, 3),
  ),
  'a lost update': register(
    write('a', 0, 0, 1),
    swap('b', 0, 1, true, 2, 3),
    swap('c', 1, 2, true, 4, 5),
    read('a', 1, 6, 7),
  ),
  'a write that nobody heard of, seen, and then unseen': register(
    write('a', 1, 0, 1),
    write('b', 2, 2),
    read('c', 2, 3, 4),
    read('c', 1, 5, 6),
  ),
  'a lost write that takes effect twice': register(
    write('b', 2, 0),
    write('a', 1, 1, 2),
    read('c', 2, 3, 4),
    write('a', 3, 5, 6),
    read('c', 2, 7, 8),
  ),
  'a lost write that takes effect before its call': register(read('c', 2, 0, 1), write('b', 2, 2)),
  'one key of several': register(write('a', 1, 0, 1, 'y'), read('b', 1, 2, 3, 'y'), read('b', 5, 4, 5, 'z')),
  'an addition applied twice': counting(add('a', 1, 0, 1), sum('b', 2, 2, 3)),
  'a lost addition applied twice': counting(add('a', 1, 0), sum('b', 2, 2, 3)),
  'two additions that answer one sum': counting(add('a', 1, 0, 5), add('b', 1, 0, 5)),
  'an acknowledged addition that is gone': counting(add('a', 1, 0, 1), add('b', 2, 2, 3), sum('c', 1, 4, 5)),
  'a counter that goes back': counting(add('a', 1, 0), sum('b', 1, 2, 3), sum('b', 0, 4, 5)),
  'a skipped sum': counting(add('a', 1, 0, 1), add('b', 3, 2, 3)),
  'last in, first out': queueing(put('a', 1, 0, 1), put('a', 2, 2, 3), take('b', 2, 4, 5)),
  'an item taken twice': queueing(put('a', 1, 0, 1), take('b', 1, 2, 3), take('c', 1, 4, 5)),
  'an item taken twice at one time': queueing(put('a', 1, 0, 1), take('b', 1, 2, 5), take('c', 1, 2, 5)),
  'an item that came from nowhere': queueing(put('a', 1, 0, 9), take('b', 3, 1, 2)),
  'an item taken before it was put': queueing(take('b', 1, 0, 1), put('a', 1, 2, 3)),
  'empty, though something was put': queueing(put('a', 1, 0, 1), take('b', null, 2, 3)),
  'overtaking: two puts in turn, taken in the other order': queueing(
    put('a', 1, 0, 1),
    put('b', 2, 2, 3),
    take('c', 2, 4, 9),
    take('d', 1, 10, 11),
  ),
}

const good: Record<string, Judged> = {
  nothing: register(),
  'one after the other': register(write('a', 1, 0, 1), read('b', 1, 2, 3), write('b', 2, 4, 5), read('a', 2, 6, 7)),
  'old or new while the write is under way': register(
    write('a', 1, 0, 1),
    write('a', 2, 2, 20),
    read('b', 1, 3, 4),
    read('c', 2, 5, 6),
  ),
  'writes at one time, in either order': register(
    write('a', 1, 0, 10),
    write('b', 2, 0, 10),
    read('c', 2, 1, 2),
    read('d', 1, 3, 4),
  ),
  'a return and a call at the same time overlap': register(write('a', 1, 0, 5), read('b', null, 5, 6)),
  'a lost write that never happens': register(write('a', 1, 0, 1), write('b', 2, 2), read('c', 1, 30, 40)),
  'a lost write that happens much later': register(
    write('b', 2, 0),
    write('a', 1, 1, 2),
    read('c', 1, 3, 4),
    read('c', 2, 50, 60),
  ),
  'of two lost operations that explain a read, the one that no later read needs': register(
    write('a', 5, 0),
    swap('b', null, 5, true, 1),
    read('c', 5, 2, 3),
    write('c', 7, 4, 5),
    read('c', 5, 6, 7),
  ),
  'a failed write is as if never called': () =>
    checkLinearizability(registers, [{ ...write('a', 9, 0), outcome: { kind: 'failed' } }, read('b', null, 1, 2)])
      .verdict,
  'a swap that fails beside one that succeeds': register(
    write('a', 0, 0, 1),
    swap('b', 0, 1, true, 2, 9),
    swap('c', 0, 2, false, 2, 9),
  ),
  'the keys of one client in two orders': register(
    write('a', 1, 0, 1, 'x'),
    write('a', 1, 2, 3, 'y'),
    read('b', 1, 4, 5, 'y'),
    read('b', 1, 6, 7, 'x'),
  ),
  'additions at one time': counting(add('a', 2, 0, 9), add('b', 1, 0, 9), sum('c', 2, 10, 11)),
  'a lost addition that is counted once': counting(add('a', 1, 0), add('b', 2, 2, 3), sum('c', 2, 4, 5)),
  'items put at one time come in either order': queueing(
    put('a', 1, 0, 9),
    put('b', 2, 0, 9),
    take('c', 2, 10, 11),
    take('c', 1, 12, 13),
  ),
  'a take that nobody heard of took one': queueing(
    put('a', 1, 0, 1),
    put('a', 2, 2, 3),
    take('b', null, 4),
    take('c', 2, 5, 6),
  ),
}

describe('known histories', () => {
  it.each(Object.keys(bad))('refuses %s', name => {
    expect(bad[name]!()).toBe('violation')
  })
  it.each(Object.keys(good))('accepts %s', name => {
    expect(good[name]!()).toBe('linearizable')
  })
  it('an object that may choose is held to one of its choices', () => {
    const die: Model<number, 'throw' | 'look', number> = {
      initial: 0,
      step: (state, call) =>
        call === 'look' ? [{ state, result: state }] : [1, 2, 3].map(side => ({ state: side, result: 0 })),
    }
    const seen = (...sides: number[]) =>
      checkLinearizability(die, [
        operation('a', 'throw' as const, 0, 1, 0),
        ...sides.map((side, at) => operation('b', 'look' as const, 2 * at + 2, 2 * at + 3, side)),
      ]).verdict
    expect(seen(3, 3)).toBe('linearizable')
    expect(seen(3, 2)).toBe('violation')
    expect(seen(4)).toBe('violation')
  })
  it('says that it gave up rather than guess', () => {
    const many = Array.from({ length: 12 }, (_, at) => put(`c${at}`, at, 0, 100))
    const answer = checkLinearizability(queue, [...many, take('z', 77, 101, 102)], { configurationsMax: 100 })
    expect(answer.verdict).toBe('undecided')
  })
})

describe('the explanation', () => {
  it('names what fits nowhere, the order so far, and what the answer should have been', () => {
    const answer = checkLinearizability(registers, [
      write('a', 1, 0, 1),
      write('a', 2, 2, 3),
      read('b', 1, 4, 5),
      read('b', 2, 6, 7),
      write('c', 9, 0, 1, 'other'),
    ])
    expect(answer).toMatchObject({ verdict: 'violation', key: 'x', at: 5, prefix: 3 })
    expect(answer.verdict === 'violation' && answer.explanation).toBe(
      [
        'key "x" is not linearizable at 5:',
        '  b: {"kind":"read","key":"x"} → 1 [4, 5]   ← fits nowhere',
        'an order that explains every return before it:',
        '  a: {"kind":"write","key":"x","value":1} → null [0, 1]',
        '  a: {"kind":"write","key":"x","value":2} → null [2, 3]',
        'then the state is 2, where it would return 2',
      ].join('\n'),
    )
  })
  it('of several keys tells the one with the shortest story, and stays short itself', () => {
    const long = Array.from({ length: 300 }, (_, at) => write('a', at, 2 * at, 2 * at + 1, 'long'))
    const answer = checkLinearizability(registers, [
      ...long,
      read('b', 3, 900, 901, 'long'),
      write('a', 1, 0, 1, 'short'),
      read('b', 2, 950, 951, 'short'),
    ])
    expect(answer).toMatchObject({ verdict: 'violation', key: 'short', prefix: 2 })
    const alone = checkLinearizability(registers, [...long, read('b', 3, 900, 901, 'long')])
    expect(alone.verdict === 'violation' && alone.explanation.split('\n').length).toBeLessThan(20)
  })
  it('the prefix without its last return has an order', () => {
    const random = seededRandom(5)
    let checked = 0
    for (let run = 0; run < 400; run++) {
      const history = drawn(random, 8, 3, drawRegister)
      const answer = checkLinearizability(registers, history)
      if (answer.verdict !== 'violation') continue
      const begun = history.filter(one => one.calledAt <= answer.at && one.outcome.kind !== 'failed')
      const heard = (until: number) =>
        begun.map(one => (one.outcome.kind === 'returned' && one.outcome.at > until ? { ...one, outcome: LOST } : one))
      expect(begun.length).toBe(answer.prefix)
      expect(checkLinearizability(registers, heard(answer.at)).verdict).toBe('violation')
      expect(checkLinearizability(registers, heard(answer.at - 1)).verdict).toBe('linearizable')
      checked++
    }
    expect(checked).toBeGreaterThan(100)
  })
})

const LOST = { kind: 'unknown' } as const

/** Tries every order of every choice of operations, and nothing clever. */
function dumb<State, Call, Result>(model: Model<State, Call, Result>, history: Operation<Call, Result>[]): boolean {
  const left = history.filter(one => one.outcome.kind !== 'failed')
  return tryAll(model, model.initial, left)
}

function tryAll<State, Call, Result>(
  model: Model<State, Call, Result>,
  state: State,
  left: Operation<Call, Result>[],
): boolean {
  if (left.every(one => one.outcome.kind === 'unknown')) return true
  const firstReturn = Math.min(...left.map(one => (one.outcome.kind === 'returned' ? one.outcome.at : 1e9)))
  return left.some(
    one =>
      one.calledAt <= firstReturn &&
      model.step(state, one.call).some(({ state: after, result }) => {
        const fits = one.outcome.kind !== 'returned' || fingerprint(one.outcome.result) === fingerprint(result)
        const rest = left.filter(other => other !== one)
        return fits && tryAll(model, after, rest)
      }),
  )
}

/** Operations with times and answers drawn at random: small numbers, so that answers are often right by chance. */
function drawn<Call, Result>(
  random: Random,
  size: number,
  clients: number,
  draw: (random: Random) => { call: Call; result: Result },
  lost = 0.12,
): Operation<Call, Result>[] {
  const free = Array.from({ length: clients }, () => 0)
  return Array.from({ length: 1 + random.below(size) }, () => {
    const client = random.below(clients)
    const calledAt = free[client]! + random.below(4)
    const until = calledAt + random.below(6)
    free[client] = until + 1
    const { call, result } = draw(random)
    const heard = random.chance(0.04) ? { kind: 'failed' as const } : { kind: 'returned' as const, at: until, result }
    const outcome = random.chance(lost) ? LOST : heard
    return { client: `c${client}`, call, calledAt, outcome }
  })
}

function drawRegister(random: Random): { call: RegisterCall; result: Value | boolean } {
  const value = random.below(2)
  switch (random.below(4)) {
    case 0:
      return { call: { kind: 'read', key: 'x' }, result: random.below(4) === 0 ? null : value }
    case 1:
      return { call: { kind: 'swap', key: 'x', expected: random.below(2), value }, result: random.chance(0.5) }
    default:
      return { call: { kind: 'write', key: 'x', value }, result: null }
  }
}
const drawCounter = (random: Random): { call: CounterCall; result: number } =>
  random.chance(0.5)
    ? { call: { kind: 'read' }, result: random.below(4) }
    : { call: { kind: 'add', by: 1 }, result: 1 + random.below(3) }
const drawQueue = (random: Random): { call: QueueCall; result: Value } =>
  random.chance(0.6)
    ? { call: { kind: 'put', value: random.below(3) }, result: null }
    : { call: { kind: 'take' }, result: random.below(4) === 0 ? null : random.below(3) }

/** Both verdicts of the twin, counted, after each was compared. */
function compare<State, Call, Result>(
  model: Model<State, Call, Result>,
  seed: number,
  runs: number,
  draw: (random: Random) => { call: Call; result: Result },
  lost?: number,
): { yes: number; no: number } {
  const random = seededRandom(seed)
  const count = { yes: 0, no: 0 }
  for (let run = 0; run < runs; run++) {
    const history = drawn(random, lost === undefined ? 6 : 7, 4, draw, lost)
    const expected = dumb(model, history)
    count[expected ? 'yes' : 'no']++
    const { verdict } = checkLinearizability(model, history)
    if ((verdict === 'linearizable') !== expected) {
      throw new Error(`run ${run} of seed ${seed}: ${verdict}, but the twin says ${expected}: ${fingerprint(history)}`)
    }
  }
  return count
}

describe('agrees with a twin that tries every order', () => {
  const enough = { yes: 500, no: 500 }
  const check = (count: { yes: number; no: number }) => {
    expect(count.yes).toBeGreaterThan(enough.yes)
    expect(count.no).toBeGreaterThan(enough.no)
  }
  it('on registers', () => check(compare(registers, 1, 4_000, drawRegister)))
  it('on counters', () => check(compare(counter, 2, 4_000, drawCounter)))
  it('on registers whose writes are mostly lost', () => check(compare(registers, 5, 4_000, drawRegister, 0.5)))
  it('on queues', () => check(compare(queue, 3, 4_000, drawQueue)))
  it('on registers without the hint which calls read', () => {
    const { reads: _, ...blind } = registers
    check(compare(blind, 4, 4_000, drawRegister))
  })
})

describe('long histories', () => {
  it('with a hundred lost writes to one key, right and wrong, take few configurations', () => {
    const history: Register[] = []
    for (let at = 0; at < 100; at++) {
      history.push(write('lost', `l${at}`, 10 * at), write('a', at, 10 * at + 1, 10 * at + 2))
      history.push(read('b', at % 3 === 0 ? `l${at}` : at, 10 * at + 3, 10 * at + 4))
    }
    const right = checkLinearizability(registers, history)
    expect(right.verdict).toBe('linearizable')
    const wrong = checkLinearizability(registers, [...history, read('b', 'nowhere', 9_000, 9_001)])
    expect(wrong.verdict).toBe('violation')
    // 100 lost writes in any subset would be 2^100.
    expect(wrong.configurations).toBeLessThan(20_000)
  })
})

describe('the checker of a simulated run', () => {
  it('collects, judges at the end, and calls what it could not hear of unknown', () => {
    const checker = new LinearizabilityChecker(counter)
    checker.called('1', 'a', { kind: 'add', by: 1 }, 0)
    checker.returned('1', 1, 5)
    checker.called('2', 'b', { kind: 'add', by: 1 }, 6)
    checker.abandoned('2')
    checker.called('3', 'c', { kind: 'add', by: 1 }, 7)
    checker.failed('3')
    checker.called('4', 'c', { kind: 'read' }, 8)
    checker.returned('4', 2, 9)
    expect(checker.finish(10).verdict).toBe('linearizable')
    expect(checker.violations()).toEqual([])
    checker.called('5', 'c', { kind: 'read' }, 10)
    checker.returned('5', 3, 11)
    expect(checker.finish(12).verdict).toBe('violation')
    expect(checker.violations()[0]?.what).toContain('fits nowhere')
  })

  it('checks an order that it is told, and searches where that explains nothing', () => {
    const checker = new LinearizabilityChecker(registers)
    const order: string[] = []
    // A hundred writes at one time: a search would go through their orders.
    for (let id = 0; id < 100; id++) {
      checker.called(`${id}`, 'a', { kind: 'write', key: 'x', value: id }, 0)
      checker.returned(`${id}`, null, 100)
      order.push(`${id}`)
    }
    checker.called('read', 'b', { kind: 'read', key: 'x' }, 101)
    checker.returned('read', 99, 102)
    expect(checker.finish(103, [[...order, 'read']])).toEqual({ verdict: 'linearizable', configurations: 0 })
    const others = [['read', ...order], order, [...order, 'read', 'nobody']]
    for (const other of others) {
      const { verdict, configurations } = checker.finish(103, [other])
      expect(verdict).toBe('linearizable')
      expect(configurations).toBeGreaterThan(0)
    }
  })
})

describe('an order that is told', () => {
  const history = [write('a', 1, 0, 5), write('b', 2, 6, 9), read('c', 1, 7, 8), write('d', 3, 1)]
  const [first, second, seen, lost] = history as [Register, Register, Register, Register]

  it('explains what it gives the results of, in an order that time allows', () => {
    expect(explains(registers, [first, seen, second])).toBe(true)
    expect(explains(registers, [lost, first, seen, second])).toBe(true)
  })

  it('explains no other result, no other order, and nothing that did not happen', () => {
    expect(explains(registers, [first, second, seen])).toBe(false)
    expect(explains(registers, [second, first, seen])).toBe(false)
    expect(explains(registers, [lost, write('a', 9, 20, 21), first])).toBe(false)
    expect(explains(registers, [{ ...first, outcome: { kind: 'failed' } }])).toBe(false)
  })
})

describe('a history on disk', () => {
  const lines = [
    historyLine({ at: 0, who: 'a', id: 1, what: 'call', call: { kind: 'write', key: 'x', value: 1 } }),
    historyLine({ at: 3, who: 'a', id: 1, what: 'returned', result: null }),
    historyLine({ at: 4, who: 'a', id: 2, what: 'call', call: { kind: 'write', key: 'x', value: 2 } }),
    historyLine({ at: 5, who: 'a', id: 2, what: 'failed' }),
    historyLine({ at: 6, who: 'a', id: 3, what: 'call', call: { kind: 'write', key: 'x', value: 3 } }),
  ]
  const other = historyLine({ at: 7, who: 'b', id: 1, what: 'call', call: { kind: 'read', key: 'x' } })
  const heard = historyLine({ at: 8, who: 'b', id: 1, what: 'returned', result: 3 })

  it('comes back as operations; a killed process leaves unknown outcomes and half a line', () => {
    const { operations, unknown, problems } = readHistory<RegisterCall, Value>([
      `${lines.join('')}{"at":9,"who":"a","id":3,"what":"retu`,
      other + heard,
    ])
    expect(problems).toEqual([])
    expect(unknown).toBe(1)
    expect(operations.map(one => one.outcome.kind)).toEqual(['returned', 'failed', 'unknown', 'returned'])
    expect(checkLinearizability(registers, operations).verdict).toBe('linearizable')
  })
  it('whole, is refused where a read saw what had failed', () => {
    const lie = historyLine({ at: 8, who: 'b', id: 1, what: 'returned', result: 2 })
    const { operations } = readHistory<RegisterCall, Value>([lines.join(''), other + lie])
    expect(checkLinearizability(registers, operations).verdict).toBe('violation')
  })
  it.each([
    ['no event', '{"at":1}\n'],
    ['no JSON', 'hello\n'],
    ['half a line in the middle', `{"at":9,"who":"a"${other}`],
    ['an outcome without a call', heard],
    ['a second call of one id', other + other],
    ['a second outcome', other + heard + heard],
    ['an outcome before its call', other + historyLine({ at: 1, who: 'b', id: 1, what: 'returned', result: 3 })],
    ['a return without a result', `${other}{"at":8,"who":"b","id":1,"what":"returned"}\n`],
  ])('names %s as a problem', (_, text) => {
    expect(readHistory([text]).problems.length).toBe(1)
  })
})
