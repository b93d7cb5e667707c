// The table is a map to whoever uses it, however it keeps its values.

import { describe, expect, it } from 'vitest'
import { copy, fingerprint } from '../../core/index.ts'
import { Table } from './table.ts'

const small = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const large = new Uint8Array(2_000).fill(255)

function filled(): Table {
  return new Table().set('small', small).set('large', large).set('empty', new Uint8Array(0))
}

describe('a table of entries', () => {
  it('gives back every byte, of small values and of large ones', () => {
    const table = filled()
    expect(table.get('small')).toEqual(small)
    expect(table.get('large')).toEqual(large)
    expect(table.get('empty')).toEqual(new Uint8Array(0))
    expect(table.get('nothing')).toBeUndefined()
  })

  it('is a map in every other way', () => {
    const table = filled()
    const entries: [string, Uint8Array][] = [
      ['small', small],
      ['large', large],
      ['empty', new Uint8Array(0)],
    ]
    expect([...table]).toEqual(entries)
    expect([...table.entries()]).toEqual(entries)
    expect([...table.values()]).toEqual(entries.map(([, value]) => value))
    expect([...table.keys()]).toEqual(['small', 'large', 'empty'])
    const seen: [string, Uint8Array][] = []
    table.forEach((value, key) => {
      seen.push([key, value])
    })
    expect(seen).toEqual(entries)
    expect(table.delete('small')).toBe(true)
    expect(table.size).toBe(2)
  })

  it('does not change with the array that it was given', () => {
    const mine = new Uint8Array([1, 2, 3])
    const table = new Table().set('a', mine)
    mine[0] = 9
    expect(table.get('a')).toEqual(new Uint8Array([1, 2, 3]))
  })

  it('is plain data to the explorer', () => {
    const table = filled()
    expect(fingerprint(copy(table))).toBe(fingerprint(table))
    expect(copy(table).get('small')).toEqual(small)
  })
})
