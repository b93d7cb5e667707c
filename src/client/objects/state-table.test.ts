// States in the table of an object: what did not change is the very same value, also where its bytes are fresh copies.

import { expect, it } from 'vitest'
import { readable, StateTable } from './state-table.ts'

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const tableOf = (state: Record<string, unknown>) =>
  readable(
    new Map([
      ['form', new TextEncoder().encode('object')],
      ...Object.entries(state).map(([key, value]) => [`p:${key}`, bytes(value)] as const),
    ]),
  )

it('a property whose bytes are the same is the same value, and another one where they are not', () => {
  const tables = new StateTable()
  const first = tables.read(tableOf({ a: { x: 1 }, b: [1] })) as Record<string, unknown>
  const second = tables.read(tableOf({ a: { x: 1 }, b: [2] })) as Record<string, unknown>
  expect(second.a).toBe(first.a)
  expect(second.b).toEqual([2])
})

it('properties stand in one order, however they were kept', () => {
  const tables = new StateTable()
  const names = (state: Record<string, unknown>) => Object.keys(tables.read(tableOf(state)) as object)
  expect(names({ b: 1, a: 1, c: 1 })).toEqual(['a', 'b', 'c'])
  expect(names({ b: 2, a: 1, c: 1 })).toEqual(['a', 'b', 'c'])
  expect(names({ c: 1, b: 1 })).toEqual(['b', 'c'])
  expect(names({ d: 1, c: 1, a: 1 })).toEqual(['a', 'c', 'd'])
})

it('what is gone is forgotten', () => {
  const tables = new StateTable()
  for (let at = 0; at < 1_000; at++) tables.read(tableOf({ [`job ${at}`]: at }))
  const { parsed } = tables as unknown as { parsed: Map<string, unknown> }
  expect(parsed.size).toBeLessThan(150)
})
