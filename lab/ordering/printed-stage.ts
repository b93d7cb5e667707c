// A world with the ordering as printed: the lock of figure 1 below the ordering of figures 2 and 3, in every client.
// Every message takes exactly one message time, so that delays come out whole.

import { compose, type NodeId, type Trust, type Wire } from '../../src/core/index.ts'
import { partedVocabulary } from '../../src/node/vocabulary.ts'
import {
  type PrintedEvent,
  type PrintedSettings,
  printedClient,
  printedServer,
  printedVocabulary,
} from '../../src/papers/lock/index.ts'
import {
  type PrintedOrderingEvent,
  printedOrderingClient,
  printedOrderingDefaults,
  printedOrderingServer,
  printedOrderingVocabulary,
} from '../../src/papers/ordering/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'
import type { Batch } from './measure.ts'

export const MESSAGE: Micros = 1_000
export const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }
const MESSAGE_MS = MESSAGE / 1000
const vocabulary = partedVocabulary({ lock: printedVocabulary, ordering: printedOrderingVocabulary })

/** Everybody submits one operation at time 0; the world runs until all have their responses. */
export function printedBatch(trust: Trust, clients: number, seed: number): Batch {
  const world = new World({ seed, network: EXACT })
  const { liars, crashes } = trust
  // Δ covers the ordering's three round trips.
  const lock: PrintedSettings = { liars, crashes, hold: 8 * MESSAGE_MS, delayMax: MESSAGE_MS }
  const ordering = { ...printedOrderingDefaults, liars, crashes, contends: true }
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  const server = compose('server', { lock: printedServer(lock), ordering: printedOrderingServer() })
  for (const id of servers) world.add({ id, protocol: server, peers: [], vocabulary, clockOffset: 1_000 })
  for (const id of servers) world.start(id)
  const users: NodeId[] = Array.from({ length: clients }, (_, place) => `client-${place + 1}`)
  for (const [place, id] of users.entries()) {
    const parts = { lock: printedClient(lock), ordering: printedOrderingClient(ordering, place + 1) }
    const protocol = compose('client', parts, { wires: WIRES })
    world.add({ id, protocol, peers: servers, vocabulary })
    world.start(id)
  }
  return observe(world, users)
}

type Parts = {
  readonly lock: ReturnType<typeof printedClient>
  readonly ordering: ReturnType<typeof printedOrderingClient>
}

const WIRES: readonly Wire<Parts>[] = [
  {
    from: 'ordering',
    to: 'lock',
    turn: event => (event.kind === 'contend' ? { kind: 'contend', id: 1 } : undefined),
  },
  {
    from: 'lock',
    to: 'ordering',
    turn: event => (event.kind === 'entered' ? { kind: 'turn' } : undefined),
  },
]

/** Longer than any backoff that these few clients need. */
const LONGEST: Micros = 600_000_000

function observe(world: World, users: readonly NodeId[]): Batch {
  const delays: number[] = []
  let messages = 0
  const versions = new Set<number>()
  const refused = new Set<NodeId>()
  world.listen((node, parted) => {
    const { part, body } = parted as { part: string; body: PrintedOrderingEvent | PrintedEvent }
    const { id } = node.spec
    // Figure 1 has no release: a client that wants in again while it is inside waits until its Δ is over.
    if (body.kind === 'busy') refused.add(id)
    if (body.kind === 'left' && refused.delete(id))
      world.command(id, { part: 'lock', body: { kind: 'contend', id: 1 } })
    if (part !== 'ordering') return
    if (body.kind === 'decided') versions.add(body.state.version)
    if (body.kind !== 'done') return
    delays.push(world.now / MESSAGE)
    messages = world.delivered
  })
  for (const id of users) world.command(id, { part: 'ordering', body: { kind: 'submit', operation: id } })
  for (let until = MESSAGE; delays.length < users.length && until < LONGEST; until += 100 * MESSAGE) world.run(until)
  return { delays, messages, versions: versions.size }
}
