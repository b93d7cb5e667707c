// Elements and scalars on the wire: of fixed length, and refused unless they are canonical and belong.

import type { Codec, Reader } from '../core/index.ts'
import type { Element, Group, Scalar } from './group.ts'

function fixed(length: number, what: string, decode: (bytes: Uint8Array) => Uint8Array | undefined): Codec<Uint8Array> {
  return {
    write(writer, value) {
      if (value.length !== length) throw new RangeError(`cannot encode ${what}: ${value.length} bytes`)
      writer.raw(value)
    },
    read: (reader: Reader) => decode(reader.raw(length)) ?? reader.refuse(`not ${what}`),
  }
}

/** An element of the group other than the identity. */
export function elementCodec(group: Group): Codec<Element> {
  return fixed(group.elementBytes, `an element of ${group.name}`, bytes => group.decode(bytes))
}

/** An integer below the order. */
export function scalarCodec(group: Group): Codec<Scalar> {
  return fixed(group.scalarBytes, `a scalar of ${group.name}`, bytes => group.decodeScalar(bytes))
}
