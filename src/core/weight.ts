// What an effect that is held back takes of memory, about: what it carries in bytes and texts, and something for each part of it.
// Measured only while a save is under way, and then of every word that waits for it, so it must be cheaper than encoding it.

import type { Effect } from './process.ts'

/** Of an effect in a list, with what points to it. */
export const EFFECT_BYTES = 256
/** Of a number, or of a place in a list. */
const PART_BYTES = 16

export function weightOf(effect: Effect<unknown, unknown>): number {
  switch (effect.kind) {
    case 'send':
      return EFFECT_BYTES + bytesOf(effect.body)
    case 'save':
    case 'snapshot':
      return EFFECT_BYTES + effect.record.length
    default:
      // An event is the node's own, and what a peer said is in the words that follow from it.
      return EFFECT_BYTES
  }
}

/** Of plain data, as it comes out of a codec: no circles in it. What two words share counts for both, as each is sent. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return PART_BYTES + value.length
  if (typeof value !== 'object' || value === null) return PART_BYTES
  if (value instanceof Uint8Array) return PART_BYTES + value.length
  let sum = PART_BYTES
  if (Array.isArray(value)) for (const part of value) sum += bytesOf(part)
  else for (const name in value) sum += bytesOf((value as Record<string, unknown>)[name])
  return sum
}
