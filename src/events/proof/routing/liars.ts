// Members that lie about what they want and about what they were given to pass on.

import { generalLiars, type Liar, twisting } from '../../../simulator/index.ts'
import { ASKED_MAX, CLAUSES_A_LINK } from '../../routing/limits.ts'
import type { RoutingMessage } from '../../routing/wire.ts'

type Twist = (body: RoutingMessage, below: (bound: number) => number) => readonly RoutingMessage[]

function twisted(name: string, twist: Twist): Liar {
  return twisting(name, (send, turn) => {
    for (const body of twist(send.body as unknown as RoutingMessage, bound => turn.below(bound))) {
      turn.do({ ...send, body: body as unknown as Record<string, unknown> })
    }
  })
}

/** Takes events and passes none on. */
const swallowing = twisted('swallowing', body => (body.kind === 'event' ? [] : [body]))

/** Passes on every other event: not silent, and still not to be relied upon. */
const choosy = twisted('choosy', (body, below) => (body.kind === 'event' && below(2) === 0 ? [] : [body]))

/** Its side wants nothing. */
const wantsNothing = twisted('wants-nothing', body => (body.kind === 'announce' ? [{ ...body, add: [] }] : [body]))

/** Its side wants everything, in as many clauses as a link may have. */
const wantsAll = twisted('wants-all', body => {
  if (body.kind !== 'announce') return [body]
  const add = Array.from({ length: CLAUSES_A_LINK }, (_, id) => ({ id: id + 1_000_000, clause: [] }))
  return [{ ...body, add }]
})

/** Says something else under an event's id first, and spoils the proof of the true one. */
const twoFaced = twisted('two-faced', (body, below) => {
  if (body.kind !== 'event') return [body]
  const content = new Uint8Array(body.item.content)
  content[below(content.length)]! ^= 1
  const false1 = { ...body, item: { ...body.item, content } }
  const false2 = { ...body, item: { ...body.item, proof: undefined } }
  return below(2) === 0 ? [false1, false2, body] : [false1]
})

/** Events of others' names that it made itself. */
const inventing = twisted('inventing', (body, below) => {
  if (body.kind !== 'event') return [body]
  return [{ ...body, item: { ...body.item, counter: body.item.counter + 1 + below(40) } }, body]
})

/** Is ready before anybody. */
const eager = twisted('eager', body => (body.kind === 'standing' ? [{ ...body, ready: true }] : [body]))

/** Never ready. */
const never = twisted('never-ready', body => (body.kind === 'standing' ? [{ ...body, ready: false }] : [body]))

/** Numbers that do not follow on each other. */
const misnumbering = twisted('misnumbering', (body, below) =>
  body.kind === 'announce' ? [{ ...body, number: below(20) }] : [body],
)

/** Everything twice. */
const repeating = twisted('repeating', body => [body, body])

/** Gives receipts for everything that it is asked about. */
const falseReceipts = twisted('false-receipts', body => {
  if (body.kind !== 'answer') return [body]
  return [
    { ...body, handed: [...body.handed, ...body.seen, ...body.lacking].slice(0, ASKED_MAX), seen: [], lacking: [] },
  ]
})

/** Never has what it is asked about, and wants it sent again. */
const lackingAll = twisted('lacking-all', body => {
  if (body.kind !== 'answer') return [body]
  return [{ ...body, handed: [], seen: [], lacking: [...body.handed, ...body.seen, ...body.lacking] }]
})

/** Asks for everything, all the time. */
const asking = twisted('asking', body =>
  body.kind === 'standing'
    ? [body, ...Array.from({ length: 20 }, () => ({ kind: 'again', place: body.place }) as const)]
    : [body],
)

/** Fresh ones for each run: some remember. */
export function routingLiars(): readonly Liar[] {
  const own = [
    swallowing,
    choosy,
    wantsNothing,
    wantsAll,
    twoFaced,
    inventing,
    eager,
    never,
    misnumbering,
    repeating,
    asking,
    falseReceipts,
    lackingAll,
  ]
  return [...own, ...generalLiars()]
}
