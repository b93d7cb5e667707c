// What a server knows when it starts, from its records. They may stand in any order: an account is written bit by bit, among
// new events.

import { assert, decode } from '../../core/index.ts'
import type { EventsSettings } from '../settings.ts'
import { signedSource, withTrees } from '../signed.ts'
import { type EventsRecord, eventsRecord, type Item, type Source, type SourceTerms, sourceKey } from '../wire.ts'
import { remember as rememberCursor } from './cursors.ts'
import { leaveTree } from './cutting.ts'
import { resumeQueue } from './queueing.ts'
import { restoreRetained, settleRetained } from './retaining.ts'
import type { ServerState } from './state.ts'
import { append, streamOf } from './storing.ts'

/** What the records say of one source. */
interface Read {
  readonly source: Source
  terms: SourceTerms
  base: number
  readonly items: Map<number, { readonly item: Item; readonly at: number }>
}

/** Of a source whose record was lost with a crash: it is written lazily, beside its first events. */
const TERMS_UNKNOWN: SourceTerms = {
  live: false,
  keep: { age: 604_800_000, bytes: 64_000_000 },
  identity: new Uint8Array(),
}

export function readBack(state: ServerState, settings: EventsSettings, records: readonly Uint8Array[]): void {
  const sources = new Map<string, Read>()
  for (const record of records) {
    const decoded = decode(eventsRecord, record)
    // A record that passed the store's checksum and cannot be read: the node must not go on and say what it does not hold.
    assert(decoded.ok, 'a saved record that cannot be read')
    readOne(state, settings, sources, decoded.value)
  }
  for (const read of sources.values()) restore(state, settings, read)
  settleRetained(state)
}

function readOne(state: ServerState, settings: EventsSettings, sources: Map<string, Read>, record: EventsRecord): void {
  switch (record.kind) {
    case 'known':
      state.fresh = false
      return
    case 'cursor':
      rememberCursor(state, record.cursor)
      return
    case 'queue':
      return resumeQueue(state, record, record.entries)
    case 'retained':
      // Nobody would believe it, as below.
      if (settings.liars > 0 && record.item.proof === undefined) return
      return restoreRetained(state, record, Number.POSITIVE_INFINITY, true)
    case 'stream': {
      const one = readOf(sources, record.source)
      one.terms = record.terms
      one.base = Math.max(one.base, record.base)
      return
    }
    case 'events': {
      const one = readOf(sources, record.source)
      // What was written as a whole batch: some of it may be cut, and is needed for the tree.
      for (const item of withTrees(settings.hash, signedSource(settings, record.source), record.items))
        if (!one.items.has(item.counter)) one.items.set(item.counter, { item, at: record.at })
      return
    }
    case 'account':
      return
  }
}

function readOf(sources: Map<string, Read>, source: Source): Read {
  const key = sourceKey(source)
  const one = sources.get(key) ?? { source, terms: TERMS_UNKNOWN, base: 0, items: new Map() }
  sources.set(key, one)
  return one
}

function restore(state: ServerState, settings: EventsSettings, read: Read): void {
  const { source, terms, items } = read
  const stream = streamOf(state, source, terms)
  const base = settings.liars > 0 ? lastUnsigned(read) : read.base
  stream.base = base
  stream.held = base
  for (let counter = base + 1; items.has(counter); counter++) {
    const { item, at } = items.get(counter)!
    append(state, settings.hash, stream, at, [item])
    restoreRetained(state, { source, identity: terms.identity, item }, at, false)
  }
  leaveTree(state, stream)
  // Nothing is left of it: the heads say so, or who has not read it never hears that it is gone.
  if (stream.held === base) stream.changed = ++state.mark
}

// What was published while no server could lie has no signature. Now that one can, nobody would believe it, and whoever shows
// it would be called a liar: it counts as cut, and subscriptions say that they missed it.
function lastUnsigned({ base, items }: Read): number {
  let last = base
  for (let counter = base + 1; items.has(counter); counter++)
    if (items.get(counter)!.item.proof === undefined) last = counter
  return last
}
