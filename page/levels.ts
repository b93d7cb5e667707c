// Play the traitor: five levels, what they ask, and what helps.

import { decodeRun, type RunSpec } from '../src/simulator/index.ts'

export interface Level {
  readonly number: number
  /** For the row of levels. */
  readonly title: string
  readonly headline: string
  readonly goal: string
  /** What is learned from it, shown when it is over. */
  readonly moral: string
  readonly address: string
  readonly hints: readonly string[]
  /** A run that breaks the promise, where there is one. */
  readonly attack?: string
}

export const levels: readonly Level[] = [
  {
    number: 1,
    title: 'Five servers',
    headline: 'Five servers guard one lock. You are one of them, and you lie.',
    goal: 'Two clients ask all five servers at once: may I come in? Each goes in when at most one of the first four answers is LOCKED. Get them both in.',
    moral:
      'The four honest servers split two and two. Your lie told each client what it wanted to hear: FREE. With five servers one liar is enough, although the paper’s rule allows for one.',
    address: 'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:',
    hints: ['You may tell two clients two different things, or the same to both.', 'Say FREE to whoever asks.'],
    attack: 'v=1&run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff',
  },
  {
    number: 2,
    title: 'Six servers',
    headline: 'One server more. The same lie.',
    goal: 'Six servers, and a client still goes in when at most one of the first five answers is LOCKED. Try what you like: every way has been tried below, while you read this.',
    moral:
      'Two clients would need more honest FREEs than there are: any two groups of five share three honest servers.',
    address: 'v=1&run=lock-printed.n6.b1.f1.s-duel&seed=2&say=server-6:',
    hints: ['It cannot be done. That is the point.'],
  },
  {
    number: 3,
    title: 'The lock that ships',
    headline: 'The real lock, four servers, every trick allowed.',
    goal: 'Lie, hold messages back, cut links, pause and crash whom you like, turn clocks by up to 5 %. Two holders at once is all you need.',
    moral: 'It promises never two holders, whatever the network and one liar do. Four servers are enough for that.',
    address: 'v=1&run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:',
    hints: [
      'Time is where locks break: pause a holder, and let its lease run out.',
      'A client stops believing before its lease ends.',
    ],
  },
]

export function specOf(address: string): RunSpec {
  const decoded = decodeRun(address)
  if (!decoded.ok) throw new Error(decoded.refusal)
  return decoded.spec
}
