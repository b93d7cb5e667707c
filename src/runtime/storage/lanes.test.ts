// What is dead and what is alive, beside a twin that keeps every record and looks.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Lanes } from './lanes.ts'

const noted = fc.record({
  lane: fc.constantFrom('a', 'b'),
  kind: fc.constantFrom('append' as const, 'append' as const, 'replace' as const, 'begin' as const, 'forget' as const),
  bytes: fc.integer({ min: 7, max: 100 }),
})
type Noted = typeof noted extends fc.Arbitrary<infer T> ? T & { readonly position: number } : never

function living(all: readonly Noted[], lane: string): readonly Noted[] {
  let alive: Noted[] = []
  for (const one of all.filter(each => each.lane === lane)) {
    if (one.kind === 'replace') alive = []
    if (one.kind === 'forget') alive = alive.slice(Math.max(0, alive.map(({ kind }) => kind).lastIndexOf('begin')))
    alive.push(one)
  }
  return alive
}

it('the living bytes are those of the living records, after any of them', () => {
  fc.assert(
    fc.property(fc.array(noted, { maxLength: 60 }), records => {
      const lanes = new Lanes()
      let end = 0
      const all: Noted[] = []
      for (const record of records) {
        lanes.note(record.lane, end, record.bytes, record.kind)
        all.push({ ...record, position: end })
        end += record.bytes
        const alive = ['a', 'b'].flatMap(lane => living(all, lane))
        expect(lanes.livingBytes).toBe(alive.reduce((sum, { bytes }) => sum + bytes, 0))
        expect(all.filter(({ lane, position }) => lanes.isLiving(lane, position))).toEqual(
          all.filter(one => alive.includes(one)),
        )
      }
    }),
  )
})
