// A vocabulary that uses every combinator, values of it, and frames that are nearly right.

import fc from 'fast-check'
import {
  bool,
  bytes,
  type Codec,
  decode,
  encode,
  list,
  option,
  type Random,
  struct,
  text,
  uint,
  variants,
} from '../../src/core/index.ts'

interface Item {
  readonly key: Uint8Array
  readonly weight: number
}

export type Specimen =
  | { kind: 'empty' }
  | { kind: 'plain'; name: string; count: number; sure: boolean }
  | { kind: 'deep'; items: readonly Item[]; note: string | undefined; small: number }

export const specimenCodec: Codec<Specimen> = variants<Specimen>({
  empty: {},
  plain: { name: text(64), count: uint(), sure: bool },
  deep: {
    items: list(struct<Item>({ key: bytes(16), weight: uint(1_000) }), 8),
    note: option(text(200)),
    small: uint(3),
  },
})

export const specimen: fc.Arbitrary<Specimen> = fc.oneof(
  fc.constant<Specimen>({ kind: 'empty' }),
  fc.record({
    kind: fc.constant('plain' as const),
    name: fc.string({ unit: 'binary', maxLength: 16 }),
    count: fc.maxSafeNat(),
    sure: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('deep' as const),
    items: fc.array(fc.record({ key: fc.uint8Array({ maxLength: 16 }), weight: fc.nat(1_000) }), { maxLength: 8 }),
    note: fc.option(fc.string({ unit: 'binary', maxLength: 50 }), { nil: undefined }),
    small: fc.nat(3),
  }),
)

/** True where the frame is taken, which it may be only if it is the one encoding of what it says. */
export function encodesBack(frame: Uint8Array): boolean {
  const decoded = decode(specimenCodec, frame)
  if (!decoded.ok) return false
  const again = encode(specimenCodec, decoded.value)
  if (Buffer.compare(again, frame) !== 0) throw new Error(`${Buffer.from(frame).toString('hex')} has a second encoding`)
  return true
}

function randomSpecimen(random: Random): Specimen {
  const letters = (max: number) =>
    String.fromCodePoint(...Array.from({ length: random.below(max) }, () => 0x20 + random.below(0x2000)))
  switch (random.below(3)) {
    case 0:
      return { kind: 'empty' }
    case 1:
      return { kind: 'plain', name: letters(20), count: random.below(2 ** 32), sure: random.chance(0.5) }
    default:
      return {
        kind: 'deep',
        items: Array.from({ length: random.below(9) }, () => ({
          key: random.bytes(random.below(17)),
          weight: random.below(1_001),
        })),
        note: random.chance(0.5) ? letters(60) : undefined,
        small: random.below(4),
      }
  }
}

/** A frame that was right before a few bytes were changed, lost, repeated or added. */
export function mutations(random: Random): Uint8Array {
  let frame = [...encode(specimenCodec, randomSpecimen(random))]
  for (let changes = 1 + random.below(3); changes > 0; changes--) {
    const at = random.below(frame.length + 1)
    switch (random.below(5)) {
      case 0:
        frame[at] = random.below(256)
        break
      case 1:
        frame.splice(at, 1 + random.below(3))
        break
      case 2:
        frame.splice(at, 0, ...random.bytes(1 + random.below(3)))
        break
      case 3:
        frame = frame.slice(0, at)
        break
      case 4:
        frame.splice(at, 0, ...new Array(random.below(200)).fill([0x00, 0x80, 0xff][random.below(3)]))
        break
    }
  }
  return Uint8Array.from(frame)
}
