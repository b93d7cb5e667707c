// A store in memory, for groups that live inside one process. It keeps its content while the process lives, so that a
// node may be ended and started again: opening it again is the restart, and cuts off whoever had it open.
//
// Durable means nothing more here than "before the callback". The callback still comes later, never inside `save`:
// a node must not meet an order of events here that a disk would never show it.

import { assert, type Saved } from '../../core/index.ts'
import { RECORD_BYTES_MAX, type Storage, type Store } from './storage.ts'

interface Waiting {
  readonly lane: string
  readonly record: Uint8Array
  readonly replaces: boolean
  readonly durable: () => void
}

export function createMemoryStorage(): Store {
  const kept = new Map<string, Uint8Array[]>()
  let openings = 0

  function keep(saved: Waiting): void {
    const records = kept.get(saved.lane)
    if (records === undefined || saved.replaces) kept.set(saved.lane, [saved.record])
    else records.push(saved.record)
  }

  return {
    async open() {
      openings++
      const opening = openings
      return openMemory(kept, keep, () => opening === openings)
    },
  }
}

function openMemory(kept: Saved, keep: (saved: Waiting) => void, current: () => boolean): Storage {
  let waiting: Waiting[] = []
  let closed = false

  // Records that wait when the store is opened anew are those of a node that has crashed: they are dropped.
  function flush(): void {
    const batch = waiting
    waiting = []
    if (!current()) return
    for (const saved of batch) keep(saved)
    for (const saved of batch) saved.durable()
  }

  return {
    async read() {
      return new Map([...kept].map(([lane, records]) => [lane, [...records]]))
    },
    save(lane, record, replaces, durable) {
      assert(!closed, 'a record saved after the store was closed')
      assert(record.length <= RECORD_BYTES_MAX, 'a record larger than RECORD_BYTES_MAX')
      if (waiting.length === 0) queueMicrotask(flush)
      // Not slice: a Buffer's shares the caller's memory.
      waiting.push({ lane, record: new Uint8Array(record), replaces, durable })
    },
    async close() {
      // A callback may save again: closed is closed only when nothing waits.
      while (waiting.length > 0) await Promise.resolve()
      closed = true
    },
  }
}
