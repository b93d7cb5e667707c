// Which of two saved cursors counts, and what several servers' answers come to.

import type { EventsRules } from './rules.ts'
import { type Position, type SavedCursor, sourceKey } from './wire.ts'

/** Whether one was saved after the other: by generation, then by process, then by its serial number. */
export function newer(one: SavedCursor, other: SavedCursor): boolean {
  if (one.generation !== other.generation) return one.generation > other.generation
  if (one.instance !== other.instance) return one.instance > other.instance
  return one.serial > other.serial
}

/**
 * Of several servers' cursors the newest generation, within it the largest of each position: an old one costs repeats.
 *
 * Two processes that began at once may have one generation. Only one of them can have opened, and which is not known: what
 * both have done counts.
 */
export function resumed(rules: EventsRules, cursors: readonly SavedCursor[]): Map<string, Position> {
  const newest = Math.max(...cursors.map(({ generation }) => generation))
  const positions = new Map<string, Position>()
  for (const generation of new Set(cursors.map(cursor => cursor.generation))) {
    if (!rules.outranks(newest, generation))
      raise(positions, common(cursors.filter(one => one.generation === generation)))
  }
  return positions
}

/** What every process of one generation has done. */
function common(cursors: readonly SavedCursor[]): Map<string, Position> {
  const lives = [...new Set(cursors.map(({ instance }) => instance))].map(life => {
    const positions = new Map<string, Position>()
    for (const { channel, instance, entries } of cursors) {
      if (instance === life) raise(positions, new Map(entries.map(entry => [sourceKey({ channel, ...entry }), entry])))
    }
    return positions
  })
  const [first = new Map<string, Position>(), ...others] = lives
  for (const [key, entry] of first) {
    const least = Math.min(entry.counter, ...others.map(other => other.get(key)?.counter ?? 0))
    if (least > 0) first.set(key, { ...entry, counter: least })
    else first.delete(key)
  }
  return first
}

function raise(positions: Map<string, Position>, by: ReadonlyMap<string, Position>): void {
  for (const [key, entry] of by) if ((positions.get(key)?.counter ?? 0) < entry.counter) positions.set(key, entry)
}
