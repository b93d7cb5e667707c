// The names of a machine's timers: a closed union of kinds, each about something or about nothing.
//
// A driver knows timers by one string. Here is the one place that makes such a string and takes it apart, so that a
// machine switches on kinds that the compiler knows, and what a timer is about may contain any character.

import { assert } from './assert.ts'
import type { Millis, Turn } from './process.ts'

const MARK = ':'

/** A timer that has run out, taken apart. */
export interface TimerDue<Kind extends string> {
  readonly kind: Kind
  /** What was named when it was set; empty where it is about nothing. */
  readonly about: string
}

/** The timers of one machine, by their kinds. */
export interface Timers<Kind extends string> {
  /** Replaces the timer of that kind about that. */
  set(turn: TimerTurn, kind: Kind, after: Millis, about?: string): void
  cancel(turn: TimerTurn, kind: Kind, about?: string): void
  /** A name that this machine never gave is a bug: nobody else can set its timers. */
  due(name: string): TimerDue<Kind>
  name(kind: Kind, about?: string): string
}

// biome-ignore lint/suspicious/noExplicitAny: a timer has no part in a machine's messages and events
type TimerTurn = Pick<Turn<any, any>, 'do'>

/** Declares the kinds of timers that a machine has. */
export function timers<const Kind extends string>(...kinds: readonly Kind[]): Timers<Kind> {
  const known: ReadonlySet<string> = new Set(kinds)
  for (const kind of kinds) assert(!kind.includes(MARK), `a timer's kind has no colon: ${kind}`)
  const name = (kind: Kind, about = '') => (about === '' ? kind : `${kind}${MARK}${about}`)
  return {
    name,
    set: (turn, kind, after, about) => turn.do({ kind: 'timer', name: name(kind, about), after }),
    cancel: (turn, kind, about) => turn.do({ kind: 'cancel', name: name(kind, about) }),
    due(given) {
      const mark = given.indexOf(MARK)
      const kind = mark < 0 ? given : given.slice(0, mark)
      assert(known.has(kind), `no timer of this machine: ${given}`)
      return { kind: kind as Kind, about: mark < 0 ? '' : given.slice(mark + 1) }
    },
  }
}
