// The entries of an object. To everybody a map from keys to bytes; inside, small values are kept as texts of one byte
// a character.
//
// The obvious map of byte arrays costs 280 bytes for an entry of 60: an array, a buffer that it is a view of, and the
// bytes. The same bytes as a text cost 80. A server with a million entries is 200 MB smaller for it.

/** Larger values pay for their array, and are not worth the copying. */
const SMALL_BYTES = 512

type Kept = string | Uint8Array

export class Table extends Map<string, Uint8Array> {
  override get(key: string): Uint8Array | undefined {
    const kept: Kept | undefined = super.get(key)
    return kept === undefined ? undefined : unpack(kept)
  }

  override set(key: string, value: Uint8Array): this {
    return super.set(key, pack(value) as Uint8Array)
  }

  override forEach(look: (value: Uint8Array, key: string, map: Map<string, Uint8Array>) => void): void {
    for (const [key, value] of this) look(value, key, this)
  }

  override *entries(): MapIterator<[string, Uint8Array]> {
    for (const [key, kept] of super.entries()) yield [key, unpack(kept)]
  }

  override *values(): MapIterator<Uint8Array> {
    for (const kept of super.values()) yield unpack(kept)
  }

  override [Symbol.iterator](): MapIterator<[string, Uint8Array]> {
    return this.entries()
  }
}

function pack(value: Uint8Array): Kept {
  if (value.length > SMALL_BYTES) return value
  return String.fromCharCode.apply(undefined, value as unknown as number[])
}

function unpack(kept: Kept): Uint8Array {
  if (typeof kept !== 'string') return kept
  const value = new Uint8Array(kept.length)
  for (let i = 0; i < kept.length; i++) value[i] = kept.charCodeAt(i)
  return value
}
