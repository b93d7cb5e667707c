// Members that lie in gossip by interest: about whom they know, and about what they were given to pass on.

import { generalLiars, type Liar, twisting } from '../../../simulator/index.ts'
import type { InterestMessage } from '../../interest/wire.ts'

type Twist = (body: InterestMessage, below: (bound: number) => number) => readonly InterestMessage[]

function twisted(name: string, twist: Twist): Liar {
  return twisting(name, (send, turn) => {
    for (const body of twist(send.body as unknown as InterestMessage, bound => turn.below(bound))) {
      turn.do({ ...send, body: body as unknown as Record<string, unknown> })
    }
  })
}

/** Takes events, says that they came, and passes none on. */
const swallowing = twisted('swallowing', body => (body.kind === 'event' ? [] : [body]))

/** Gives nobody but itself. */
const selfish = twisted('selfish', body => (body.kind === 'exchange' ? [{ ...body, given: [] }] : [body]))

/** Everything that it gives was said just now. */
const rejuvenating = twisted('rejuvenating', body =>
  body.kind === 'exchange' ? [{ ...body, given: body.given.map(one => ({ ...one, age: 0 })) }] : [body],
)

/** Gives others interests that they do not have. */
const misquoting = twisted('misquoting', body => {
  if (body.kind !== 'exchange') return [body]
  const given = body.given.map(({ claim, age }) => ({ claim: { ...claim, number: claim.number + 5, boxes: [] }, age }))
  return [{ ...body, given }]
})

/** Something else under an event's id, first. */
const twoFaced = twisted('two-faced', (body, below) => {
  if (body.kind !== 'event') return [body]
  const content = new Uint8Array(body.item.content)
  content[below(content.length)]! ^= 1
  return [{ ...body, item: { ...body.item, content } }, body]
})

/** Remembers an event, and sends it again with each later one. */
function remembering(): Liar {
  let first: InterestMessage | undefined
  return twisted('remembering', body => {
    if (body.kind !== 'event') return [body]
    first ??= body
    return [first, body]
  })
}

/** Fresh ones for each run: some remember. */
export function interestLiars(): readonly Liar[] {
  return [swallowing, selfish, rejuvenating, misquoting, twoFaced, remembering(), ...generalLiars()]
}
