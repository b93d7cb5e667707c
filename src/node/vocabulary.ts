// A composed node's words: the number of the part, then that part's own words.

import { assert, type Codec, type Parted } from '../core/index.ts'

// biome-ignore lint/suspicious/noExplicitAny: each part has a vocabulary of its own
type Codecs = Readonly<Record<string, Codec<any>>>
type Words<C extends Codecs> = {
  [Part in keyof C & string]: Parted<Part, C[Part] extends Codec<infer Message> ? Message : never>
}[keyof C & string]

/** The number on the wire is the place in the record: append only. */
export function partedVocabulary<C extends Codecs>(parts: C): Codec<Words<C>> {
  const names: (keyof C & string)[] = Object.keys(parts)
  return {
    write(writer, { part, body }) {
      const place = names.indexOf(part)
      assert(place >= 0, `no part '${part}' in this vocabulary`)
      writer.uint(place)
      parts[part]!.write(writer, body)
    },
    read(reader) {
      const place = reader.uint()
      const part = names[place] ?? reader.refuse(`unknown part ${place}`)
      return { part, body: parts[part]!.read(reader) } as Words<C>
    },
  }
}
