// What depends on time, in virtual time: boxes that keep a beat, arms that are not ready, and arms that are lost.

import { describe, expect, it } from 'vitest'
import { tieRanks } from './encoding.ts'
import { GRID, ucb1 } from './policies/index.ts'
import { openTwin, playTimed, type TimedResult, tapes } from './proof/index.ts'

/** For each box how long after its slot it left, with its round, attempt and arm. */
function delays({ said }: TimedResult) {
  const slots = new Map<string, number>()
  const found: { readonly key: string; readonly round: number; readonly delay: number }[] = []
  for (const { at, from, to, body } of said) {
    if (body.kind === 'turn')
      slots.set(`${to} ${body.round} ${body.attempt}`, slots.get(`${to} ${body.round} ${body.attempt}`) ?? at)
    if (body.kind !== 'box') continue
    const key = `${from} ${body.round} ${body.attempt}`
    if (!found.some(one => one.key === key)) found.push({ key, round: body.round, delay: at - slots.get(key)! })
  }
  return found
}

const slow = (_arm: number, number: number) => 3 + ((number * 7) % 15)

describe('pace', () => {
  it('without it, who pulls is late: its box tells the shuffler', () => {
    const played = playTimed({ run: { algorithm: 'ucb1', budget: 40 }, sources: tapes(4, 3, 3), seed: 4, pullMs: slow })
    const late = delays(played).filter(({ round, delay }) => round > 0 && delay > 1)
    expect(late.length).toBe(37 - 1)
  })

  it('with it every box leaves as long after its slot, whoever pulled, and the pulls are those of the open algorithm', () => {
    const sources = tapes(4, 3, 3)
    for (const pullMs of [slow, () => 0]) {
      const played = playTimed({ run: { algorithm: 'ucb1', budget: 40, pace: 20 }, sources, seed: 4, pullMs })
      // A millisecond on the wire, then the beat.
      expect(new Set(delays(played).map(({ delay }) => delay))).toEqual(new Set([21]))
      const twin = openTwin(played.run, played.parties.tools, played.arms, sources)
      expect(played.arms.map(({ pulls, sum }) => ({ pulls, sum }))).toEqual(twin.arms)
      expect(played.answer).toMatchObject({ steps: twin.arms.reduce((all, { sum }) => all + sum, 0), again: 0 })
    }
  })

  it('an arm that is not ready sends a box that says so, on time and as long, and the round is tried in other seats', () => {
    const sources = tapes(4, 3, 3)
    const pullMs = (arm: number, number: number) => (number === 3 ? 100 : arm)
    const played = playTimed({ run: { algorithm: 'ucb1', budget: 30, pace: 20 }, sources, seed: 4, pullMs })
    expect(new Set(delays(played).map(({ delay }) => delay))).toEqual(new Set([21]))
    const lengths = played.said.flatMap(({ body }) => (body.kind === 'box' ? [body.box.length] : []))
    expect(new Set(lengths).size).toBe(1)
    const again = played.said.filter(({ body }) => body.kind === 'again').length
    expect(again).toBeGreaterThan(3)
    const twin = openTwin(played.run, played.parties.tools, played.arms, sources)
    expect(played.arms.map(({ pulls, sum }) => ({ pulls, sum }))).toEqual(twin.arms)
    expect(played.answer?.again).toBe(again)
    // One box of an arm in an attempt, whatever it says.
    const boxes = new Map<string, string>()
    for (const { from, body } of played.said) {
      if (body.kind !== 'box') continue
      const key = `${from} ${body.round} ${body.attempt}`
      const bytes = Buffer.from(body.box).toString('hex')
      expect(boxes.get(key) ?? bytes).toBe(bytes)
      boxes.set(key, bytes)
    }
  })

  it('a batch has as many beats as pulls', () => {
    const run = { algorithm: 'ucb1', budget: 60, batch: 0.2, pace: 10 } as const
    const played = playTimed({ run, sources: tapes(2, 3, 3), seed: 2, pullMs: () => 2 })
    const pulls = new Map<number, number>()
    for (const { body } of played.said) if (body.kind === 'turn') pulls.set(body.round, body.pulls)
    for (const { round, delay } of delays(played)) expect(delay).toBe(1 + 10 * pulls.get(round)!)
    expect(Math.max(...pulls.values())).toBeGreaterThan(5)
    expect(played.answer?.again).toBe(0)
  })
})

describe('an arm that is silent', () => {
  const sources = tapes(9, 4, 3)
  const gone = { 'arm-2': { from: 60 } }

  it.each(['ucb1', 'successive-rejects'] as const)(
    '%s: by default it is waited for until the user gives up',
    algorithm => {
      const played = playTimed({ run: { algorithm, budget: 60 }, sources, seed: 9, pullMs: () => 5, gone })
      expect([played.stopped, played.endedAt]).toEqual(['there was no answer in time', 100_000])
    },
  )

  it('armTimeout: the run ends, just after that time and not before', () => {
    const run = { algorithm: 'ucb1', budget: 60, armTimeout: 400 } as const
    const played = playTimed({ run, sources, seed: 9, pullMs: () => 5, gone })
    expect(played.stopped).toBe('an arm was silent for too long')
    expect(played.endedAt).toBeGreaterThanOrEqual(60 + 400 - 20)
    expect(played.endedAt).toBeLessThan(60 + 400 + 20)
    const back = { 'arm-2': { from: 60, until: 60 + 300 } }
    expect(playTimed({ run, sources, seed: 9, pullMs: () => 5, gone: back }).answer).toBeDefined()
  })

  it("'drop': the others go on as the open algorithm does without it, and its rewards are not in the sum", () => {
    const run = { algorithm: 'ucb1', budget: 60, armTimeout: 400, drops: true } as const
    const played = playTimed({ run, sources, seed: 9, pullMs: () => 5, gone })
    const { answer, arms, pulls } = played
    expect(answer?.lost).toEqual([1])
    const left = arms.filter((_, place) => place !== 1)
    expect(answer?.steps).toBe(left.reduce((sum, arm) => sum + arm.sum, 0))
    expect(pulls.length).toBeLessThanOrEqual(60)
    expect(twinWithout(played, 1)).toEqual(left.map(({ pulls: count, sum }) => ({ pulls: count, sum })))
  })

  it("'drop' in a search: the best of those that are left", () => {
    const run = { algorithm: 'successive-rejects', budget: 80, armTimeout: 400, drops: true } as const
    const values = [0.2, 1, 0.6, 0.4].map(value => () => value)
    const all = playTimed({ run, sources: values, seed: 3, pullMs: () => 5 })
    expect([all.answer?.best, all.answer?.lost]).toEqual([1, []])
    const played = playTimed({ run, sources: values, seed: 3, pullMs: () => 5, gone: { 'arm-2': { from: 60 } } })
    expect([played.answer?.best, played.answer?.lost]).toEqual([2, [1]])
  })

  it('a lost arm that comes back is told so, and the run goes on without it', () => {
    const run = { algorithm: 'ucb1', budget: 60, armTimeout: 400, drops: true } as const
    const back = { 'arm-2': { from: 60, until: 480 } }
    const played = playTimed({ run, sources, seed: 9, pullMs: () => 5, gone: back })
    expect(played.answer?.lost).toEqual([1])
    expect(played.stopped).toBe('')
  })

  it('no more than half are left behind, and never all but one', () => {
    const run = { algorithm: 'ucb1', budget: 60, armTimeout: 400, drops: true } as const
    const three = { 'arm-1': { from: 60 }, 'arm-2': { from: 60 }, 'arm-3': { from: 60 } }
    expect(playTimed({ run, sources, seed: 9, pullMs: () => 5, gone: three }).stopped).toBe(
      'too many arms were silent for too long',
    )
  })

  it('at the end nobody is left out: a part of the answer that does not come is an error, and nobody masks twice', () => {
    const run = { algorithm: 'ucb1', budget: 60, armTimeout: 400, drops: true } as const
    const whole = playTimed({ run, sources, seed: 9, pullMs: () => 5 })
    const first = whole.said.find(({ body }) => body.kind === 'answer')!.at
    const played = playTimed({ run, sources, seed: 9, pullMs: () => 5, gone: { 'arm-2': { from: first - 1 } } })
    expect(played.stopped).toBe('a part of the answer did not come')
  })
})

/** UCB1 on the same tapes: until the arm is lost among all, from the first round without it among the others. */
function twinWithout({ said, arms, parties, run }: TimedResult, lost: number) {
  const since = Math.min(...said.flatMap(({ body }) => (body.kind === 'boxes' && body.lost > 0 ? [body.round] : [])))
  const sources = tapes(9, 4, 3)
  const own = sources.map(source => ({ pulls: 1, sum: source(1) * GRID }))
  const blocks = parties.tools.blocks(arms[0]!.keys!.arms)
  for (let all = own.length; all < run.budget; all++) {
    const ties = tieRanks(own.length, all, blocks)
    const index = own.map(record => ucb1.index(record, all, () => 0.5))
    const there = [...own.keys()].filter(arm => arm !== lost || all - own.length < since)
    there.sort((a, b) => index[b]! - index[a]! || ties[b]! - ties[a]!)
    const chosen = there[0]!
    own[chosen]!.pulls++
    own[chosen]!.sum += sources[chosen]!(own[chosen]!.pulls) * GRID
  }
  return own.filter((_, arm) => arm !== lost)
}
