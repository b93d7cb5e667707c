// A string's bytes, written into a buffer that is kept: the platform's encoder allocates per call and is not part of
// the language. Lone surrogates are written as three bytes of their own (WTF-8), so that no two strings become one.

/** Up to here a unit of a string is one byte. */
export const ASCII_MAX = 0x7f

const SCRATCH_BYTES = 256
/** A longer string gets a buffer of its own, which the next short one lets go of. */
const SCRATCH_KEPT_MAX = 65_536

export class Utf8Scratch {
  bytes = new Uint8Array(SCRATCH_BYTES)

  /** Returns how many bytes were written. */
  write(text: string): number {
    this.fit(text.length * 3)
    const { bytes } = this
    let at = 0
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit <= ASCII_MAX) bytes[at++] = unit
      else {
        const point = text.codePointAt(i)!
        if (point > 0xffff) i++
        at = writePoint(bytes, at, point)
      }
    }
    return at
  }

  private fit(length: number): void {
    const tooSmall = this.bytes.length < length
    const tooLarge = this.bytes.length > SCRATCH_KEPT_MAX && length <= SCRATCH_KEPT_MAX
    if (tooSmall || tooLarge) this.bytes = new Uint8Array(Math.max(SCRATCH_BYTES, length))
  }
}

function writePoint(bytes: Uint8Array, start: number, point: number): number {
  let at = start
  if (point < 0x800) bytes[at++] = 0xc0 | (point >> 6)
  else {
    if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12)
    else {
      bytes[at++] = 0xf0 | (point >> 18)
      bytes[at++] = 0x80 | ((point >> 12) & 63)
    }
    bytes[at++] = 0x80 | ((point >> 6) & 63)
  }
  bytes[at++] = 0x80 | (point & 63)
  return at
}
