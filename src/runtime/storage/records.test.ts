// The format: what is written is read, and no bytes, however odd, make the decoder throw.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BATCH_HEAD_BYTES,
  createBatchBuilder,
  decodeBatch,
  decodeBatchHead,
  decodeFileHead,
  encodeFileHead,
  isBatchAt,
  MARK_BYTES,
} from './records.ts'

const MARK = Buffer.from('abcdefgh')
const record = fc.record({
  lane: fc.string({ maxLength: 60, unit: 'grapheme' }).filter(lane => Buffer.byteLength(lane) <= 255),
  payload: fc.uint8Array({ maxLength: 300 }),
  kind: fc.constantFrom('append' as const, 'replace' as const, 'begin' as const, 'forget' as const),
})
const position = fc.nat({ max: Number.MAX_SAFE_INTEGER })

describe('a batch', () => {
  it('is read as it was written, at its own position only', () => {
    const builder = createBatchBuilder()
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), position, (records, at) => {
        builder.reset()
        for (const { lane, payload, kind } of records) builder.add(lane, payload, kind)
        const batch = builder.finish(MARK, at)
        expect(decodeBatchHead(batch, MARK, at)).toBe(batch.length - BATCH_HEAD_BYTES)
        expect(decodeBatchHead(batch, MARK, at + 1)).toBeUndefined()
        const read = decodeBatch(batch)!.map(({ lane, payload, kind }) => ({
          lane,
          payload: Uint8Array.from(payload),
          kind,
        }))
        expect(read).toEqual(records)
      }),
    )
  })

  it('says in one byte of a record what kind it is: the format, for good', () => {
    const kinds = (['append', 'replace', 'begin', 'forget'] as const).map(kind => {
      const builder = createBatchBuilder()
      const offset = builder.add('a', Buffer.from('bcd'), kind)
      return Buffer.from(builder.finish(MARK, 24)).toString('hex', offset)
    })
    expect(kinds).toEqual(['01', '02', '03', '04'].map(kind => `00000003${kind}0161626364`))
  })

  it('with any one byte changed is refused', () => {
    const builder = createBatchBuilder()
    builder.add('lock', Buffer.from('a record'), 'replace')
    const batch = builder.finish(MARK, 24)
    for (let at = 0; at < batch.length; at++) {
      for (let mask = 1; mask < 256; mask++) {
        const changed = Uint8Array.from(batch)
        changed[at]! ^= mask
        expect(decodeBatch(changed)).toBeUndefined()
      }
    }
  })
})

describe('strange bytes', () => {
  it('never make the decoder throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        expect(decodeFileHead(bytes).kind).toBe('foreign')
        expect(isBatchAt(bytes, MARK, 24)).toBe(false)
        expect(decodeBatchHead(bytes, MARK, 24)).toBeUndefined()
        if (bytes.length >= BATCH_HEAD_BYTES) expect(decodeBatch(bytes)).toBeUndefined()
      }),
    )
  })

  it('in the head of a file are damage, not a newer format', () => {
    const head = encodeFileHead(new Uint8Array(MARK_BYTES).fill(7))
    expect(decodeFileHead(head)).toMatchObject({ kind: 'ours' })
    for (let at = 8; at < head.length; at++) {
      const changed = Uint8Array.from(head)
      changed[at]! ^= 1
      expect(decodeFileHead(changed)).toEqual({ kind: 'damaged' })
    }
  })
})
