// The package brings no types. What the benchmark uses of it:

declare module 'bloomfilter' {
  export class BloomFilter {
    constructor(bits: number, hashes: number)
    add(text: string): void
    test(text: string): boolean
  }
}
