// Which of two saved cursors counts, and what several servers' answers come to.

import type { EventsRules } from './rules.ts'
import { type Position, type SavedCursor, sourceKey } from './wire.ts'

/** Whether one was saved after the other: by generation, then by process, then by its serial number. */
export function newer(one: SavedCursor, other: SavedCursor): boolean {
  if (one.generation !== other.generation) return one.generation > other.generation
  if (one.instance !== other.instance) return one.instance > other.instance
  return one.serial > other.serial
}

/** Of several servers' cursors the newest generation, within it the largest of each position. An old one costs repeats. */
export function resumed(rules: EventsRules, cursors: readonly SavedCursor[]): Map<string, Position> {
  const positions = new Map<string, Position>()
  let newest: SavedCursor | undefined
  for (const cursor of cursors) if (newest === undefined || newer(cursor, newest)) newest = cursor
  for (const { channel, generation, instance, entries } of cursors) {
    if (rules.outranks(newest!.generation, generation)) continue
    if (newest!.generation === generation && newest!.instance !== instance) continue
    for (const entry of entries) {
      const key = sourceKey({ channel, author: entry.author, boot: entry.boot })
      if ((positions.get(key)?.counter ?? -1) < entry.counter) positions.set(key, entry)
    }
  }
  return positions
}
