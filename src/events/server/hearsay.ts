// What other servers say that too few others say yet: where a source was cut that is not here, how far a queue is.
//
// The obvious way takes their word for a new source or a new queue at once. One that lies invents a hundred thousand of them,
// and nobody finds room any more. So each server has a share of this one's memory, and beyond it its own oldest words go.

import type { NodeId } from '../../core/index.ts'
import type { Hearsay, Said, ServerScene, ServerState } from './state.ts'

/** Of a word beside what it is about: its place in a map. */
const WORD_BYTES = 300
const ENTRY_BYTES = 150

/** By what it is about; kinds have no name in common. */
export function cutWord(source: string): string {
  return `cut ${source}`
}

export function queueWord(queue: string): string {
  return `queue ${queue}`
}

function bytesOf(name: string, said: Said): number {
  let bytes = WORD_BYTES + name.length
  for (const key of said.positions?.keys() ?? []) bytes += ENTRY_BYTES + key.length
  return bytes
}

/** Remembers it as the newest of this server; its oldest go where there is no room. */
export function hear({ state, settings }: ServerScene, from: NodeId, name: string, said: Said): void {
  const hearsay: Hearsay = state.hearsay.get(from) ?? { bytes: 0, words: new Map() }
  state.hearsay.set(from, hearsay)
  forget(hearsay, name)
  hearsay.words.set(name, said)
  hearsay.bytes += bytesOf(name, said)
  while (!settings.rules.mayKeep(hearsay.bytes, settings.shareBytesMax)) {
    forget(hearsay, hearsay.words.keys().next().value!)
  }
}

function forget(hearsay: Hearsay, name: string): void {
  const said = hearsay.words.get(name)
  if (said === undefined) return
  hearsay.bytes -= bytesOf(name, said)
  hearsay.words.delete(name)
}

/** What each says of it. */
export function saidOf({ hearsay }: ServerState, name: string): Said[] {
  return [...hearsay.values()].flatMap(({ words }) => words.get(name) ?? [])
}

/** It is known here now. */
export function settleWord({ hearsay }: ServerState, name: string): void {
  for (const its of hearsay.values()) forget(its, name)
}
