// A store in memory, for groups that live inside one process. It keeps its content while the process lives, so that a
// node may be ended and started again: opening it again is the restart, and cuts off the one that had it open.
//
// Durable means nothing more here than "before the callback". The callback still comes later, never inside `save`:
// a node must not meet an order of events here that a disk would never show it.

import { assert, KeptLane } from '../../core/index.ts'
import { RECORD_BYTES_MAX, type Storage, type Store } from './storage.ts'

interface Waiting {
  readonly apply: () => void
  readonly durable?: (() => void) | undefined
}

type Kept = Map<string, KeptLane>

export function createMemoryStorage(): Store {
  let kept: Kept = new Map()

  return {
    async open() {
      const mine = new Map([...kept].map(([name, lane]) => [name, new KeptLane(lane.records)]))
      kept = mine
      return openMemory(mine, () => kept === mine)
    },
  }
}

function openMemory(kept: Kept, current: () => boolean): Storage {
  let waiting: Waiting[] = []
  let closed = false

  function lane(name: string): KeptLane {
    const found = kept.get(name) ?? new KeptLane()
    kept.set(name, found)
    return found
  }

  function wait(one: Waiting): void {
    if (waiting.length === 0) queueMicrotask(flush)
    waiting.push(one)
  }

  // Records that wait when the store is opened again are those of a node that has crashed: they are dropped.
  function flush(): void {
    const batch = waiting
    waiting = []
    if (!current()) return
    for (const { apply } of batch) apply()
    for (const { durable } of batch) durable?.()
  }

  return {
    async read() {
      return new Map([...kept].map(([name, { records }]) => [name, [...records]]))
    },
    save(name, record, kind, durable) {
      assert(!closed, 'a record saved after the store was closed')
      assert(record.length <= RECORD_BYTES_MAX, 'a record larger than RECORD_BYTES_MAX')
      // Not slice: a Buffer's shares the caller's memory.
      const own = new Uint8Array(record)
      wait({ apply: () => lane(name).save(own, kind), durable })
    },
    forget(name) {
      assert(!closed, 'records forgotten after the store was closed')
      wait({ apply: () => kept.get(name)?.forget() })
    },
    async close() {
      // A callback may save again: closed is closed only when nothing waits.
      while (waiting.length > 0) await Promise.resolve()
      closed = true
    },
  }
}
