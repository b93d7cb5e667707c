// How names are kept apart where several machines live in one: the owner's name, a slash, the machine's own name. Owners
// have no slash in their names; what they name themselves may have.

import { assert } from './assert.ts'
import type { Effect, Turn } from './process.ts'

const MARK = '/'

/** The name of something that belongs to `owner`. */
export function addressed(owner: string, name: string): string {
  return `${owner}${MARK}${name}`
}

/** Takes such a name apart. One without an owner was never made here: that is a bug. */
export function ownName(given: string): { readonly owner: string; readonly name: string } {
  const mark = given.indexOf(MARK)
  assert(mark >= 0, `a name without an owner: ${given}`)
  return { owner: given.slice(0, mark), name: given.slice(mark + 1) }
}

/** The turn of a machine that lives in another: the same time and chance, and effects that its host addresses. */
export function ownTurn<Message, Event>(
  turn: Turn<never, never>,
  take: (effect: Effect<Message, Event>) => void,
): Turn<Message, Event> {
  return { now: turn.now, below: bound => turn.below(bound), bytes: length => turn.bytes(length), do: take }
}
