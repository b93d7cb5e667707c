// Cells of any width from 1 to 32 bits, packed without gaps: three-bit fingerprints take three bits.
//
// A cell may lie across two words. Both are read and written every time, which is cheaper than guessing wrong whether
// they must be; so there is one word more than the cells fill, and it stays zero.

export class PackedCells {
  readonly count: number
  readonly width: number
  readonly words: Int32Array
  private readonly mask: number

  constructor(count: number, width: number) {
    this.count = count
    this.width = width
    this.mask = width === 32 ? -1 : (1 << width) - 1
    this.words = new Int32Array(Math.ceil((count * width) / 32) + 1)
  }

  get bits(): number {
    return this.count * this.width
  }

  get(index: number): number {
    const bit = Math.imul(index, this.width)
    const word = bit >>> 5
    const shift = bit & 31
    // Shifting by 32 is shifting by 0, so the upper part goes in two steps that stay below it.
    const upper = (this.words[word + 1]! << 1) << (31 - shift)
    return (((this.words[word]! >>> shift) | upper) & this.mask) >>> 0
  }

  set(index: number, value: number): void {
    const { words, mask } = this
    const bit = Math.imul(index, this.width)
    const word = bit >>> 5
    const shift = bit & 31
    words[word] = (words[word]! & ~(mask << shift)) | (value << shift)
    const rest = 31 - shift
    words[word + 1] = (words[word + 1]! & ~((mask >>> 1) >>> rest)) | ((value >>> 1) >>> rest)
  }

  clear(): void {
    this.words.fill(0)
  }
}
