// Random numbers for a hundred million draws: the generator of `seededRandom` (sfc32) without its checks and closures.
// `below` multiplies instead of rejecting; for bounds up to a million that is off by less than 2^-12 of a chance of one
// in a million, which no experiment here could see.

export class Chance {
  private a: number
  private b: number
  private c: number
  private counter = 1

  constructor(seed: number, stream = 0) {
    this.a = seed | 0
    this.b = Math.floor(seed / 2 ** 32) | 0
    this.c = stream | 0
    for (let round = 0; round < 12; round++) this.next()
  }

  /** 32 random bits, not negative. */
  next(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  below(bound: number): number {
    return Math.floor((this.next() * bound) / 2 ** 32)
  }

  unit(): number {
    return this.next() / 2 ** 32
  }

  /** Another one that differs: one for each purpose. */
  fork(stream: number): Chance {
    return new Chance(this.next() * 2 ** 20 + (this.next() & 0xf_ffff), stream)
  }
}

/** Puts the numbers into random order, in place. */
export function shuffle(numbers: Int32Array, chance: Chance): void {
  for (let last = numbers.length - 1; last > 0; last--) {
    const other = chance.below(last + 1)
    const kept = numbers[last]!
    numbers[last] = numbers[other]!
    numbers[other] = kept
  }
}
