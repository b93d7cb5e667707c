// A broker as simple as brokers are: who listens to a name gets what is sent under it. And brokers that lie.

import type { NodeId, Protocol } from '../../../core/index.ts'
import { type Liar, slow, twisting } from '../../../simulator/index.ts'
import { type CarrierMessage, decodeFrame } from '../../secret/wire.ts'

interface CarrierState {
  readonly listeners: Map<string, Set<NodeId>>
}

/** An honest carrier. */
export function carrier(): Protocol<CarrierState, CarrierMessage, never, never> {
  return {
    name: 'carrier',
    init: () => ({ listeners: new Map() }),
    step({ listeners }, input, turn) {
      if (input.kind !== 'message') return
      const { from, body } = input
      if (body.kind === 'listen') {
        const known = listeners.get(body.name) ?? new Set()
        listeners.set(body.name, known.add(from))
      } else if (body.kind === 'leave') listeners.get(body.name)?.delete(from)
      else if (body.kind === 'send') {
        for (const to of listeners.get(body.name) ?? []) turn.do({ kind: 'send', to, body: { ...body, kind: 'came' } })
      }
    },
  }
}

type Came = CarrierMessage & { kind: 'came' }
type Twist = (body: Came, below: (bound: number) => number) => readonly Came[]

function twisted(name: string, twist: Twist): Liar {
  return twisting(name, (send, turn) => {
    for (const body of twist(send.body as unknown as Came, bound => turn.below(bound))) {
      turn.do({ ...send, body: body as unknown as Record<string, unknown> })
    }
  })
}

const dropping = () => twisted('dropping', (body, below) => (below(4) === 0 ? [] : [body]))

/** Everything twice, and now and then something from long ago. */
function repeating(): Liar {
  const old: Came[] = []
  return twisted('repeating', (body, below) => {
    if (old.length < 500) old.push(body)
    return [body, body, { ...old[below(old.length)]!, name: body.name }]
  })
}

/** Bytes of its own, and what it was given with a bit turned. */
const inventing = () =>
  twisted('inventing', (body, below) => {
    const turned = new Uint8Array(body.body)
    if (turned.length > 0) turned[below(turned.length)]! ^= 1 << below(8)
    return [
      { ...body, body: turned },
      { ...body, body: Uint8Array.from({ length: below(80) }, () => below(256)) },
      body,
    ]
  })

/** Keeps new records to itself. */
const holdingRecords = () =>
  twisted('holding-records', body => {
    const frame = decodeFrame(body.body)
    return frame.ok && frame.value.kind === 'record' ? [] : [body]
  })

/** Shows the first record that it ever saw, again and again. */
function oldRecords(): Liar {
  let first: Came | undefined
  return twisted('old-records', body => {
    const frame = decodeFrame(body.body)
    if (frame.ok && frame.value.kind === 'record') first ??= body
    return first === undefined ? [body] : [body, first]
  })
}

/** Drops what closes an epoch, and every third event. */
const hidingTotals = () =>
  twisted('hiding-totals', (body, below) => {
    const frame = decodeFrame(body.body)
    if (frame.ok && frame.value.kind === 'totals') return []
    return frame.ok && frame.value.kind === 'event' && below(3) === 0 ? [] : [body]
  })

/** Fresh ones for each run: some remember. */
export function carrierLiars(): readonly Liar[] {
  return [dropping(), repeating(), inventing(), holdingRecords(), oldRecords(), hidingTotals(), slow]
}
