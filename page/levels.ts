// The levels as the page tells them: the engine's data, with words for somebody who has never heard of quorums.

import { type Level, levels as played } from '../src/play/levels.ts'
import { decodeRun, type RunSpec } from '../src/simulator/index.ts'

interface Told {
  /** For the row of levels. */
  readonly short: string
  readonly headline: string
  readonly goal: string
  /** What it is called when it was won. */
  readonly won: string
}

export type ToldLevel = Level & Told

const TOLD: readonly Told[] = [
  {
    short: 'Five servers',
    headline: 'Five servers guard one lock. You are one of them, and you lie.',
    goal: 'Two clients ask all five at once: may I come in? A client goes in when, of the first four answers, at most one is LOCKED. Only one may be inside. Get them both in.',
    won: 'You broke it: two clients are inside.',
  },
  {
    short: 'Six servers',
    headline: 'One server more, and the same lie is worth nothing.',
    goal: 'You are server-6 now. A client goes in when, of the first five answers, at most one is LOCKED. Try what you like. Meanwhile your browser tries everything.',
    won: 'You broke it. Please tell us how.',
  },
  {
    short: 'The lock that ships',
    headline: 'The real lock: four servers, one liar, every trick allowed.',
    goal: 'You are server-4. Lie, hold messages back, cut links, pause and crash whom you like, turn clocks by up to 5 %. All you need is two holders at once.',
    won: 'You broke it. Please send us the address.',
  },
  {
    short: 'One order for all',
    headline: 'Seven servers keep one history. Tell two clients two.',
    goal: 'You are server-7. Clients change an object and read it back; everybody must see one order. Old states, invented states, silence: all are yours.',
    won: 'You broke it. Please send us the address.',
  },
  {
    short: 'Redlock’s rule',
    headline: 'A majority of five, as in a popular lock on Redis. You are one of the five.',
    goal: 'A client holds the lock when three of five servers say yes. That survives crashes. Does it survive you?',
    won: 'You broke it: two clients hold the lock.',
  },
]

export const levels: readonly ToldLevel[] = played.map((level, place) => ({ ...level, ...TOLD[place]! }))

export function specOf(address: string): RunSpec {
  const decoded = decodeRun(address)
  if (!decoded.ok) throw new Error(decoded.refusal)
  return decoded.spec
}
