// What the page draws of a run and of an experiment, apart from any browser: who is inside, two at once, lines of a chart.

import { describe, expect, it } from 'vitest'
import { axisOf, type Cells, chartsOf } from '../lab/row-charts.ts'
import { drawingOf, type Mark } from '../page/diagram/marks.ts'
import { listedAt, PAGE } from '../page/listed.ts'
import { sentenceOf } from '../page/words.ts'
import { allPlaygrounds } from '../src/play/all.ts'
import { playAddress } from '../src/play/index.ts'
import type { Play } from '../src/simulator/index.ts'

const lanes = ['client-1', 'client-2']
const told = (at: number, node: string, what: string): Mark => ({ at, kind: 'emit', node, what })
const drawn = (marks: readonly Mark[], broken: boolean) =>
  drawingOf({ marks, lanes, broken, asks: undefined, lost: [] })

describe('who is inside', () => {
  const both = [told(10, 'client-1', 'acquired id=1 name=a'), told(20, 'client-2', 'acquired id=1 name=a')]
  const apart = [told(10, 'client-1', 'acquired id=1 name=a'), told(20, 'client-2', 'acquired id=1 name=b')]

  it('two in the same are a clash where a promise broke, from when the second came in', () => {
    const { clashes, last } = drawn(both, true)
    expect(clashes).toEqual([{ from: 20, to: last }])
    expect(drawn(both, false).clashes).toEqual([])
  })
  it('two in two locks are none', () => {
    expect(drawn(apart, true).clashes).toEqual([])
  })
  it('leaving one lock is not leaving the other', () => {
    const marks = [
      told(10, 'client-1', 'acquired id=1 name=a'),
      told(20, 'client-1', 'acquired id=2 name=b'),
      told(30, 'client-1', 'released id=1 name=a'),
    ]
    const spans = drawn(marks, false).spans.map(({ of, from, to }) => [of, from, to > 30])
    expect(spans).toEqual([
      ['a', 10, false],
      ['b', 20, true],
    ])
  })
  it('a crash ends all of it', () => {
    const marks = [...apart, { at: 40, kind: 'crash', node: 'client-1', what: '' } as const]
    expect(drawn(marks, false).spans.filter(({ kind, to }) => kind === 'inside' && to === 40)).toHaveLength(1)
  })
  it('no run that held shows two at once; the broken first level does', () => {
    const of = (address: string) => {
      const play = playAddress(address, allPlaygrounds) as Play
      play.toEnd()
      return drawingOf({
        marks: play.trace,
        lanes: play.nodes.map(({ id }) => id),
        broken: play.status === 'broken',
        asks: undefined,
        lost: [],
      })
    }
    expect(of('run=lock.n7.b1&seed=17').clashes).toEqual([])
    expect(of('run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff').clashes).toHaveLength(1)
  })
})

describe('the list beside the picture', () => {
  it('has, in all its parts together, every event and every message that never arrives, each once and in words', () => {
    const play = playAddress('run=lock.n7.b1&seed=17', allPlaygrounds) as Play
    play.toEnd()
    const marks: readonly Mark[] = play.trace
    const lost = play.lost.map(({ from, to, sentAt, what }) => ({ from, to, sentAt, what }))
    expect(lost.length).toBeGreaterThan(PAGE)
    const parts = Array.from({ length: Math.ceil(marks.length / PAGE) }, (_, part) =>
      listedAt(marks, lost, part * PAGE),
    )
    expect(parts.flatMap(({ shown }) => shown)).toEqual(marks)
    expect(parts.flatMap(({ never }) => never)).toEqual(lost)
    expect(parts.map(({ first }) => first)).toEqual(parts.map((_, part) => part * PAGE))
    for (const mark of marks) {
      const words = sentenceOf(mark)
      for (const name of [mark.node, mark.from ?? '']) expect(words).toContain(name)
    }
  })
})

const cells = (what: string, measured: number, expected: number | null = null, unit = 's'): Cells => [
  what,
  expected,
  measured,
  expected === null ? null : 0.1,
  unit,
  1,
]

describe('charts of an experiment', () => {
  it('rows that differ in a size alone are a line, sorted; lines in one unit are a chart', () => {
    const rows = [
      cells('push, N = 2^10: rounds', 3),
      cells('push, N = 2^8: rounds', 1),
      cells('push, N = 2^9: rounds', 2, 2.1),
      ...[1, 2, 3].map(size => cells(`pull, N = ${size}: rounds`, size)),
      ...[1, 2, 3].map(size => cells(`t = ${size}`, size, null, 'ms')),
    ]
    const charts = chartsOf(rows)
    expect(charts.map(({ axis, unit, lines }) => [axis, unit, lines.map(({ name }) => name)])).toEqual([
      ['N', 's', ['push: rounds', 'pull: rounds']],
      ['t', 'ms', ['']],
    ])
    expect(charts[0]!.lines[0]!.points.map(({ x, measured, expected }) => [x, measured, expected])).toEqual([
      [256, 1, null],
      [512, 2, 2.1],
      [1024, 3, null],
    ])
  })
  it('two points, or none with a size, are no line', () => {
    expect(chartsOf([cells('t = 1', 1), cells('t = 2', 2), cells('violations', 0)])).toEqual([])
    // Lines at one value: the table says it better.
    expect(chartsOf([cells('t = 1', 2), cells('t = 2', 2), cells('t = 3', 2)])).toEqual([])
  })
  it('axes hold all their values, and go by powers of ten where they must', () => {
    for (const values of [[0.9, 0.95, 1], [0, 5], [3], [0.001, 1, 500], [-2, 7]]) {
      const { at, ticks } = axisOf(values, 0, 100)
      for (const value of values) {
        expect(at(value)).toBeGreaterThanOrEqual(-1e-9)
        expect(at(value)).toBeLessThanOrEqual(100 + 1e-9)
      }
      expect(ticks.length).toBeGreaterThanOrEqual(2)
      expect(ticks.length).toBeLessThanOrEqual(8)
    }
  })
})
