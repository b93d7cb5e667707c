import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameSplitter, HEADER_BYTES, writeHeader } from './frames.ts'

function framed(frames: readonly Uint8Array[]): Uint8Array {
  const stream = new Uint8Array(frames.reduce((sum, frame) => sum + HEADER_BYTES + frame.length, 0))
  let at = 0
  for (const frame of frames) {
    writeHeader(stream, at, frame.length)
    stream.set(frame, at + HEADER_BYTES)
    at += HEADER_BYTES + frame.length
  }
  return stream
}

/** The stream in pieces whose sizes go round and round; 0 is an empty piece. */
function cut(stream: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let at = 0
  for (let i = 0; at < stream.length; i++) {
    const size = sizes[i % sizes.length]!
    pieces.push(stream.subarray(at, at + size))
    at += size
  }
  return pieces
}

function drain(splitter: FrameSplitter, pieces: readonly Uint8Array[]): Uint8Array[] {
  const out: Uint8Array[] = []
  for (const piece of pieces) {
    splitter.push(piece)
    for (let frame = splitter.next(); frame !== undefined; frame = splitter.next()) out.push(frame.slice())
  }
  return out
}

function header(length: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  writeHeader(bytes, 0, length)
  return bytes
}

const someFrames = fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 12 })
const someSizes = fc.array(fc.nat(700), { minLength: 1, maxLength: 8 }).filter(sizes => sizes.some(size => size > 0))

describe('frames', () => {
  it('come out the same however the stream is cut', () => {
    fc.assert(
      fc.property(someFrames, someSizes, (frames, sizes) => {
        const splitter = new FrameSplitter(600)
        expect(drain(splitter, cut(framed(frames), sizes))).toEqual(frames)
        expect(splitter.insideFrame).toBe(false)
        expect(splitter.refusal).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })

  it('before an oversized one come out, and nothing after it, however the stream is cut', () => {
    fc.assert(
      fc.property(
        someFrames,
        someFrames,
        someSizes,
        fc.integer({ min: 601, max: 0xffff_ffff }),
        (good, late, sizes, length) => {
          const stream = Buffer.concat([framed(good), header(length), framed(late)])
          const splitter = new FrameSplitter(600)
          expect(drain(splitter, cut(stream, sizes))).toEqual(good)
          expect(splitter.refusal).toBe(`a frame of ${length} bytes is announced, 600 are allowed`)
        },
      ),
    )
  })

  it('inside one piece are views of it, not copies', () => {
    const stream = framed([new Uint8Array([1, 2]), new Uint8Array([3])])
    const splitter = new FrameSplitter(10)
    splitter.push(stream)
    expect(splitter.next()!.buffer).toBe(stream.buffer)
    expect(splitter.next()!.buffer).toBe(stream.buffer)
    expect(splitter.next()).toBeUndefined()
  })

  it('that are announced but do not arrive cost what arrived', () => {
    const splitter = new FrameSplitter(1 << 20)
    drain(splitter, [header(1 << 20), new Uint8Array(300)])
    expect(splitter.insideFrame).toBe(true)
    const carry = (splitter as unknown as { carry: Uint8Array }).carry
    expect(carry.length).toBeLessThan(2048)
  })

  it('of the largest size leave no large buffer behind', () => {
    const splitter = new FrameSplitter(1 << 20)
    const large = new Uint8Array(1 << 20).fill(7)
    const [frame] = drain(splitter, cut(framed([large]), [16_384]))
    expect(Buffer.compare(frame!, large)).toBe(0)
    expect((splitter as unknown as { carry: Uint8Array }).carry.length).toBe(0)
  })

  it('are accepted at the limit and refused one byte above it', () => {
    expect(drain(new FrameSplitter(8), [framed([new Uint8Array(8)])])).toHaveLength(1)
    const splitter = new FrameSplitter(8)
    expect(drain(splitter, [framed([new Uint8Array(9)])])).toHaveLength(0)
    expect(splitter.refusal).toContain('9 bytes')
  })

  it('may become larger once the limit is raised', () => {
    const splitter = new FrameSplitter(2)
    expect(drain(splitter, [framed([new Uint8Array(2)])])).toHaveLength(1)
    splitter.frameBytesMax = 100
    expect(drain(splitter, [framed([new Uint8Array(100)])])).toHaveLength(1)
  })
})
