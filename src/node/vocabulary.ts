// A composed node's words: the number of the part, then that part's own words.

import type { Codec, Parted } from '../core/index.ts'

/** The number on the wire is the place in the record: append only. */
// biome-ignore lint/suspicious/noExplicitAny: each part has a vocabulary of its own
export function partedVocabulary(parts: Readonly<Record<string, Codec<any>>>): Codec<Parted> {
  const names = Object.keys(parts)
  const codecs = Object.values(parts)
  return {
    write(writer, message) {
      const place = names.indexOf(message.part)
      if (place < 0) throw new RangeError(`no part '${message.part}' in this vocabulary`)
      writer.uint(place)
      codecs[place]!.write(writer, message.body)
    },
    read(reader) {
      const place = reader.uint()
      const codec = codecs[place] ?? reader.refuse(`unknown part ${place}`)
      return { part: names[place]!, body: codec.read(reader) }
    },
  }
}
