// Play the traitor: five levels. Two of them can be won, and three have been tried.

import type { ManualKind } from '../simulator/index.ts'

/** One level of the game. */
export interface Level {
  readonly number: number
  readonly title: string
  /** What the visitor is, and what counts as winning. */
  readonly task: string
  /** Where it begins: an address in which the traitor waits for its first word. */
  readonly start: string
  readonly traitor: string
  /** What the visitor may do besides speaking. */
  readonly acts: readonly ManualKind[]
  /** One more after every third try. */
  readonly hints: readonly string[]
  /** The shortest attack that is known. */
  readonly attack?: string
  /** Why there is none, or why it works. */
  readonly why: string
  /** How it was tried: all duels of so many servers. */
  readonly exhausts?: number
  /** The same, to be tried once the visitor has found a way. */
  readonly exhaustsOnce?: number
}

/** The levels, in order. */
export const levels: readonly Level[] = [
  {
    number: 1,
    title: 'Five servers, one traitor',
    task: 'You are server-5. Two clients want in at the same moment. Let both in.',
    start: 'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:',
    traitor: 'server-5',
    acts: ['hold'],
    hints: [
      'A client enters when at most one of four answers says LOCKED.',
      'The four honest servers are split: two heard client-1 first, two client-2.',
      'Say FREE to the one, and FREE to the other.',
    ],
    attack: 'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:hf',
    why: 'Two sets of four servers out of five share three, one of them the traitor: two honest ones can both have said LOCKED once, and each client forgives one.',
    exhaustsOnce: 5,
  },
  {
    number: 2,
    title: 'One server more',
    task: 'You are server-6, and there are five honest ones. Let both in.',
    start: 'v=1&run=lock-printed.n6.b1.f1.s-duel&seed=2&say=server-6:',
    traitor: 'server-6',
    acts: ['hold'],
    hints: [
      'Five honest servers cannot be split evenly.',
      'Let the page try all 288 ways in which two clients can meet.',
    ],
    why: 'Two sets of five servers out of six share three honest ones at least, and each client forgives one LOCKED: one honest server would have said FREE to both, which it does not.',
    exhausts: 6,
  },
  {
    number: 3,
    title: 'The lock that ships',
    task: 'You are server-4 of four. Words, delays, cuts, pauses, crashes, clocks within 5 %: all are yours. Make two holders.',
    start: 'v=1&run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:',
    traitor: 'server-4',
    acts: ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash', 'drift', 'do'],
    hints: [
      'A holder needs three grants of four. Yours is one of them.',
      'Pause a holder for longer than its lease: it must notice before it goes on.',
      'Let a server restart: it grants nothing until every old lease has run out.',
    ],
    why: 'Two sets of three grants share two servers, so one that is honest, and that one grants once at a time. Time is counted from before the request was sent, and shortened by the drift.',
  },
  {
    number: 4,
    title: 'One order for all',
    task: 'You are server-7 of seven that keep an object. Show two clients different histories.',
    start: 'v=1&run=ordering.n7.b1.f1.s-duel&seed=1&say=server-7:',
    traitor: 'server-7',
    acts: ['hold', 'drop', 'twice', 'cut', 'slow', 'pause', 'crash', 'drift', 'do'],
    hints: [
      'Invent a state that nobody proposed, and call it committed.',
      'Clients go on from what enough servers vouch for, and you are one.',
      'Try an old state after a newer one was decided.',
    ],
    why: 'A client believes nothing that fewer than two servers vouch for, and two quorums share enough honest servers to know what was decided.',
  },
  {
    number: 5,
    title: 'Redlock’s rule',
    task: 'You are server-5 of five under the rule of the popular lock on several Redis servers. Let both in.',
    start: 'v=1&run=redlock.n5&seed=2&say=server-5:',
    traitor: 'server-5',
    acts: ['hold', 'drop', 'twice', 'cut', 'slow', 'do'],
    hints: ['A majority is three of five.', 'Two honest servers and you are three. So are the other two and you.'],
    attack: 'v=1&run=redlock.n5&seed=2&say=server-5:hy',
    why: 'Two majorities of five share one server. If that one says yes to both, there are two holders: a majority is no protection against a liar.',
  },
]
