import { Readable, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { ExactWindow } from '../../filters/index.ts'
import { dedup } from './stream.ts'

const filter = () => new ExactWindow({ window: 100, keyBytes: 32 })

/** A writer that takes its time: it accepts one piece and has no room for the next until it is done. */
function slowWriter(): { writer: Writable; text: () => string; most: () => number } {
  const pieces: Buffer[] = []
  let waiting = 0
  let most = 0
  const writer = new Writable({
    highWaterMark: 1,
    write(piece: Buffer, _encoding, done) {
      waiting++
      most = Math.max(most, waiting)
      setImmediate(() => {
        pieces.push(Buffer.from(piece))
        waiting--
        done()
      })
    },
  })
  return { writer, text: () => Buffer.concat(pieces).toString(), most: () => most }
}

test('first-seen lines come out in order, over chunks that cut lines, and the report counts them', async () => {
  const chunks = ['a\nb', 'b\na\nbb\n', 'a\n', 'a\nc'].map(text => Buffer.from(text))
  const { writer, text, most } = slowWriter()
  const seen: number[] = []
  const report = await dedup(
    { filter: filter(), progress: ({ lines }) => seen.push(lines) },
    Readable.from(chunks),
    writer,
  )
  await new Promise<void>(resolve => writer.end(resolve))
  expect(text()).toBe('a\nbb\nc')
  expect(report).toMatchObject({ lines: 7, duplicates: 4, bytes: 15 })
  expect(seen).toEqual([1, 4, 5, 6])
  expect(most()).toBe(1)
})

test('an empty stream is no error', async () => {
  const { writer, text } = slowWriter()
  expect(await dedup({ filter: filter() }, Readable.from([]), writer)).toMatchObject({ lines: 0, bytes: 0 })
  expect(text()).toBe('')
})

test('a writer that fails fails the call', async () => {
  const writer = new Writable({ highWaterMark: 1, write: (_piece, _encoding, done) => done(new Error('disk full')) })
  await expect(dedup({ filter: filter() }, Readable.from([Buffer.from('a\n')]), writer)).rejects.toThrow('disk full')
})
