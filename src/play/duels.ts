// All duels of one attempt each under the printed rule: who is first at each honest server, and which of three words the traitor
// says to each client. With n = 5b a few make two holders; with one server more none does. The answers that refuse are held back
// as long as δ allows, so that each client decides on the best it can hear: no other order of messages is better for a liar.

import { decodeRun, Play, type RunSpec } from '../simulator/index.ts'
import { printedPlayground } from './lock-printed.ts'
import { openAmong } from './open.ts'

/** By so much the later of two questions comes later than any delay of the network, and its refusal after every other answer. */
const LATER = 1_000
const LAST = 1_500
const WORDS = ['f', 'l', '-'] as const

/** Every duel among so many servers, the last of which is the traitor. */
export function* duels(servers: number): Generator<RunSpec> {
  const honest = servers - 1
  for (let first = 0; first < 2 ** honest; first++) {
    for (const toOne of WORDS) for (const toOther of WORDS) yield duel(servers, first, { toOne, toOther })
  }
}

function duel(servers: number, first: number, { toOne, toOther }: { toOne: string; toOther: string }): RunSpec {
  const traitor = `server-${servers}`
  // client-1 asks the traitor first, so that the first word is for it.
  const acts = [`hold:client-2>${traitor}#1:${LATER}`]
  for (let place = 0; place < servers - 1; place++) {
    const server = `server-${place + 1}`
    const later = (first >> place) & 1 ? 'client-1' : 'client-2'
    acts.push(`hold:${later}>${server}#1:${LATER}`, `hold:${server}>${later}#1:${LAST}`)
  }
  const text = `run=lock-printed.n${servers}.b1.f1.s-duel&seed=1&do=${acts.join(';')}&say=${traitor}:${toOne}${toOther}*h`
  const decoded = decodeRun(text)
  if (!decoded.ok) throw new RangeError(decoded.refusal)
  return decoded.spec
}

/** What came of trying all duels. */
export interface Exhausted {
  readonly tried: number
  readonly broken: readonly RunSpec[]
  /** Duels that left what the rule is made for; there are none, or the count means nothing. */
  readonly outside: number
}

/** Tries all duels. `tell` is called after each. */
export function exhaustDuels(servers: number, tell: (tried: number, broken: number) => void = () => {}): Exhausted {
  const playable = openAmong([printedPlayground], {
    name: 'lock-printed',
    servers,
    liars: 1,
    crashes: 1,
    story: 'duel',
  })
  if (typeof playable === 'string') throw new RangeError(playable)
  const broken: RunSpec[] = []
  let tried = 0
  let outside = 0
  for (const spec of duels(servers)) {
    const play = new Play(spec, playable)
    // One attempt each: all answers are there long before anybody tries again.
    while (play.status === 'on' && play.now < DECIDED) play.step()
    tried++
    if (play.outside.length > 0) outside++
    if (play.status === 'broken') broken.push(spec)
    tell(tried, broken.length)
  }
  return { tried, broken, outside }
}

/** After two delays of δ each. */
const DECIDED = 1_000 + 2 * 4_000
