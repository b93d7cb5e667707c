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

export interface PrintedCosts {
  /** Everybody's first operation: before it the initial state, which nobody has committed, is proposed and committed. */
  readonly first: Batch
  /** Everybody's second: a state is committed, and nobody holds the lock. */
  readonly warm: Batch
  /** Then one that had not submitted before: it completes the others' last version first. */
  readonly newcomer: Batch
}

/** Each time these submit one operation each at the same moment, and the world runs until all have their responses. */
export function printedCosts(trust: Trust, clients: number, seed: number): PrintedCosts {
  const world = new World({ seed, network: EXACT })
  const { liars, crashes } = trust
  // Δ covers the ordering's three round trips.
  const lock: PrintedSettings = { liars, crashes, hold: 8 * MESSAGE_MS, delayMax: MESSAGE_MS }
  const ordering = { ...printedOrderingDefaults, liars, crashes, contends: true }
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  const server = compose('server', { lock: printedServer(lock), ordering: printedOrderingServer() })
  for (const id of servers) world.add({ id, protocol: server, peers: [], vocabulary, clockOffset: 1_000 })
  for (const id of servers) world.start(id)
  const users: NodeId[] = Array.from({ length: clients + 1 }, (_, place) => `client-${place}`)
  for (const [place, id] of users.entries()) {
    const parts = { lock: printedClient(lock), ordering: printedOrderingClient(ordering, place + 1) }
    const protocol = compose('client', parts, { wires: WIRES })
    world.add({ id, protocol, peers: servers, vocabulary })
    world.start(id)
  }
  const [newcomer, ...others] = users
  const seen = new Observer(world)
  const step = (who: readonly NodeId[]) => {
    const batch = seen.together(who)
    world.run(world.now + SETTLED)
    return batch
  }
  return { first: step(others), warm: step(others), newcomer: step([newcomer!]) }
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
/** Longer than the lock is held. */
const SETTLED: Micros = 1_000_000

/** Counts what passes in the world between a submission and the last response. */
class Observer {
  private readonly world: World
  private readonly refused = new Set<NodeId>()
  private readonly versions = new Set<number>()
  private delays: number[] = []
  private began: Micros = 0
  private delivered = 0
  private messages = 0
  private batches = 0

  constructor(world: World) {
    this.world = world
    world.listen((node, parted) => {
      const { part, body } = parted as { part: string; body: PrintedOrderingEvent | PrintedEvent }
      this.heard(node.spec.id, part, body)
    })
  }

  together(users: readonly NodeId[]): Batch {
    const { world, versions } = this
    this.delays = []
    this.began = world.now
    this.delivered = world.delivered
    versions.clear()
    this.batches++
    for (const id of users) {
      const operation = `${id}.${this.batches}`
      world.command(id, { part: 'ordering', body: { kind: 'submit', operation } })
    }
    const end = this.began + LONGEST
    while (this.delays.length < users.length && world.now < end) world.run(world.now + MESSAGE)
    return { delays: this.delays, messages: this.messages, versions: versions.size }
  }

  private heard(id: NodeId, part: string, body: PrintedOrderingEvent | PrintedEvent): void {
    const { world, refused } = this
    // Figure 1 has no release: a client that wants in again while it is inside waits until its Δ is over.
    if (body.kind === 'busy') refused.add(id)
    if (body.kind === 'left' && refused.delete(id))
      world.command(id, { part: 'lock', body: { kind: 'contend', id: 1 } })
    if (part !== 'ordering') return
    if (body.kind === 'decided') this.versions.add(body.state.version)
    if (body.kind !== 'done') return
    this.delays.push((world.now - this.began) / MESSAGE)
    this.messages = world.delivered - this.delivered
  }
}
