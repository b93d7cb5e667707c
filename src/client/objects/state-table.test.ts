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

it('a state that did not change is the very same, and one that did has the same order', () => {
  const tables = new StateTable()
  const first = tables.read(tableOf({ b: 1, a: { x: 1 } }))
  expect(tables.read(tableOf({ b: 1, a: { x: 1 } }))).toBe(first)
  const second = tables.read(tableOf({ b: 2, a: { x: 1 } })) as Record<string, unknown>
  expect(Object.entries(second)).toEqual([
    ['a', { x: 1 }],
    ['b', 2],
  ])
  expect(first).toEqual({ a: { x: 1 }, b: 1 })
  expect(Object.isFrozen(second)).toBe(true)
})

it('a state is patched by writes of properties that it has, and else must be read', () => {
  const tables = new StateTable()
  const before = tables.read(tableOf({ b: 1, a: { x: 1 } })) as Record<string, unknown>
  const after = tables.patched(before, [{ key: 'p:b', value: bytes([7]) }]) as Record<string, unknown>
  expect(Object.entries(after)).toEqual([
    ['a', { x: 1 }],
    ['b', [7]],
  ])
  expect(after.a).toBe(before.a)
  expect(before.b).toBe(1)
  expect(Object.isFrozen(after) && Object.isFrozen(after.b)).toBe(true)
  expect(tables.patched(before, [])).toEqual(before)
  for (const key of ['p:c', 'p:toString', 'form', 'value']) {
    expect(tables.patched(before, [{ key, value: bytes(1) }]), key).toBe(undefined)
  }
  expect(tables.patched(before, [{ key: 'p:b', value: undefined }])).toBe(undefined)
  for (const other of [undefined, null, 5, [1]]) expect(tables.patched(other, [])).toBe(undefined)
})

it('a property may have any name, those of all objects too', () => {
  const tables = new StateTable()
  const state = JSON.parse('{"__proto__":1,"constructor":2,"toString":3}')
  expect(Object.entries(tables.read(tableOf(state)) as object)).toEqual(Object.entries(state))
  const next = JSON.parse('{"__proto__":4,"constructor":2,"toString":3}')
  const read = tables.read(tableOf(next))
  expect(Object.entries(read as object)).toEqual(Object.entries(next))
  const patched = tables.patched(read, [{ key: 'p:__proto__', value: bytes({ a: 1 }) }]) as object
  expect(Object.getOwnPropertyDescriptor(patched, '__proto__')?.value).toEqual({ a: 1 })
  expect(Object.getPrototypeOf(patched)).toBe(Object.prototype)
})
