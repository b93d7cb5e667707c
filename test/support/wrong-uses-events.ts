// Wrong uses of events: a part of the list in wrong-uses.ts.

import { carried, nats } from '../../src/index.ts'
import { any, type WrongUse, wrong } from './wrong-use.ts'

function cycle(): unknown {
  const round: Record<string, unknown> = {}
  round.again = round
  return round
}

/** What JSON would turn into something else is refused with the path to it, as everywhere. */
const payloads: readonly (readonly [payload: unknown, says: string])[] = [
  [{ deep: [1, Number.NaN] }, 'payload.deep[1] is NaN, and JSON has no word for that'],
  [new Map([['a', 1]]), 'payload is a Map, and JSON'],
  [{ when: new Date(0) }, 'payload.when is a Date, and JSON'],
  [{ n: 1n }, 'payload.n is a bigint, and JSON'],
  [{ n: undefined }, 'payload.n is undefined, and JSON'],
  [cycle(), 'payload.again contains itself'],
  [() => 1, 'payload is a function'],
]

export const eventWrongUses: readonly WrongUse[] = [
  ...payloads.map(([payload, says]) =>
    wrong('EventChannel.publish', says, ({ group }) => group.events('prices').publish({ topic: 'a' }, payload)),
  ),
  ...payloads.map(([payload, says]) =>
    wrong('MemberChannel.publish', says, ({ joined }) => joined.events('news').publish({ topic: 'a' }, payload)),
  ),
  wrong('EventChannel.publish', 'the call was cancelled before it began. Nothing happened', ({ group }) =>
    group.events('prices').publish({ topic: 'a' }, 1, { signal: AbortSignal.abort() }),
  ),
  wrong('carried', '"a b" cannot be a topic: a level has no blank', () =>
    carried({ plain: true, channel: 'a b', carriers: [nats('nats://127.0.0.1:1')] }),
  ),
  wrong('carried', 'carried has no option "secret"', () =>
    carried(any({ plain: true, channel: 'x', carriers: [nats('nats://127.0.0.1:1')], secret: {} })),
  ),
  wrong('EventChannel.publish', 'timeout is "soon"', ({ group }) =>
    group.events('prices').publish({ topic: 'a' }, 1, { timeout: any('soon') }),
  ),
]
