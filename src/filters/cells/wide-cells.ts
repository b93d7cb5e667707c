// Packed cells of 1 to 64 bits, as pairs of words: the lower 32 bits, and what is above them.

import { PackedCells } from './packed.ts'

export class WideCells {
  private readonly lower: PackedCells
  private readonly upper: PackedCells | null

  constructor(count: number, width: number) {
    this.lower = new PackedCells(count, Math.min(width, 32))
    this.upper = width > 32 ? new PackedCells(count, width - 32) : null
  }

  get bits(): number {
    return this.lower.bits + (this.upper?.bits ?? 0)
  }

  get words(): readonly Int32Array[] {
    return this.upper === null ? [this.lower.words] : [this.lower.words, this.upper.words]
  }

  low(index: number): number {
    return this.lower.get(index)
  }

  high(index: number): number {
    return this.upper === null ? 0 : this.upper.get(index)
  }

  equals(index: number, low: number, high: number): boolean {
    return this.lower.get(index) === low && (this.upper === null || this.upper.get(index) === high)
  }

  set(index: number, low: number, high: number): void {
    this.lower.set(index, low)
    if (this.upper !== null) this.upper.set(index, high)
  }

  clear(): void {
    this.lower.clear()
    if (this.upper !== null) this.upper.clear()
  }
}
