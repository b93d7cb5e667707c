// What the tree needs of an object's table: the same words as the core of ordering uses.

export interface TableReader {
  get(key: string): Uint8Array | undefined
}

/** The table as one operation sees it: its own writes included. The tree never asks for all keys of a prefix. */
export interface TableView extends TableReader {
  set(key: string, value: Uint8Array): void
  remove(key: string): void
}

/** One changed key of a version; no value: it was removed. */
export interface TableWrite {
  readonly key: string
  readonly value: Uint8Array | undefined
}

/** Writes that may still be dropped: a transaction holds back all of its own until the last has passed. */
export class Draft implements TableView {
  private readonly below: TableView
  private readonly writes = new Map<string, Uint8Array | undefined>()

  constructor(below: TableView) {
    this.below = below
  }

  get(key: string): Uint8Array | undefined {
    return this.writes.has(key) ? this.writes.get(key) : this.below.get(key)
  }

  set(key: string, value: Uint8Array): void {
    this.writes.set(key, value)
  }

  remove(key: string): void {
    this.writes.set(key, undefined)
  }

  keep(): void {
    for (const [key, value] of this.writes) {
      if (value === undefined) this.below.remove(key)
      else this.below.set(key, value)
    }
  }
}
