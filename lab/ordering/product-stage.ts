// A world with the ordering as built: every message takes exactly one message time, and disks take none, so that
// delays come out whole and only the protocol is measured.

import type { NodeId, Trust } from '../../src/core/index.ts'
import {
  type OrderingEvent,
  type OrderingServerState,
  orderingClient,
  orderingDefaults,
  orderingServer,
  orderingVocabulary,
} from '../../src/ordering/index.ts'
import { HistoryChecker, OneOrderChecker } from '../../src/ordering/proof/history.ts'
import {
  decodeWords,
  encodeWords,
  logOf,
  type RegisterOperation,
  type RegisterResult,
  registers,
} from '../../src/ordering/proof/register.ts'
import { type Liar, World } from '../../src/simulator/index.ts'
import type { Batch } from './measure.ts'
import { EXACT, MESSAGE } from './printed-stage.ts'

const OBJECT = 'object'
const SECOND = 1_000_000
/** Long enough that nobody pings while something is counted. */
const TTL = 600_000

export class ProductStage {
  readonly world: World
  readonly order = new OneOrderChecker()
  readonly history = new HistoryChecker()
  readonly users: readonly NodeId[]
  private readonly servers: readonly NodeId[]
  private readonly liars: number
  private readonly began = new Map<number, number>()
  private batch: { delays: number[]; messages: number; versions: number } = { delays: [], messages: 0, versions: 0 }
  private answered: ((user: NodeId) => void) | undefined
  private ids = 0

  /** The last servers lie, one for each liar. */
  constructor(trust: Trust, clients: number, seed: number, liars: readonly Liar[] = []) {
    this.world = new World({ seed, network: EXACT, eventsMax: 20_000_000 })
    this.servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
    this.users = Array.from({ length: clients }, (_, place) => `client-${place + 1}`)
    this.liars = liars.length
    const settings = {
      ...orderingDefaults,
      liars: trust.liars,
      crashes: trust.crashes,
      findApplier: () => registers,
    }
    for (const [place, id] of this.servers.entries()) {
      const liar = liars[place - (this.servers.length - liars.length)]
      const honest = orderingServer(settings)
      const protocol = liar === undefined ? honest : liar.corrupt(honest)
      const peers = this.servers.filter(server => server !== id)
      const spec = { id, protocol, peers, vocabulary: orderingVocabulary, clockOffset: 1_000 }
      this.world.add({ ...spec, diskMax: 0, lies: liar !== undefined })
      this.world.start(id)
    }
    for (const id of this.users) {
      const spec = { id, protocol: orderingClient(settings), peers: this.servers, vocabulary: orderingVocabulary }
      this.world.add({ ...spec, returns: false })
      this.world.start(id)
      this.world.command(id, { kind: 'open', id: ++this.ids, object: OBJECT, ttl: TTL })
    }
    this.world.listen((node, event) => this.heard(node.spec.id, event as OrderingEvent))
    this.settle()
  }

  /** Everybody's session is open, and nobody's turn is under way. */
  settle(): void {
    this.world.run(this.world.now + 5 * SECOND)
  }

  /** These submit one operation each, now; until all have their answers. */
  together(users: readonly NodeId[]): Batch {
    this.batch = { delays: [], messages: 0, versions: 0 }
    const before = this.world.delivered
    for (const user of users) this.submit(user)
    const end = this.world.now + 60 * SECOND
    while (this.batch.delays.length < users.length && this.world.now < end) this.world.run(this.world.now + MESSAGE)
    return { ...this.batch, messages: this.world.delivered - before }
  }

  /**
   * How long everybody goes on submitting the next operation when the one before is answered. One that was told that its
   * session is gone stops.
   */
  keepBusy(lasts: number): Batch {
    this.batch = { delays: [], messages: 0, versions: 0 }
    const before = this.world.delivered
    this.answered = user => this.submit(user)
    for (const user of this.users) this.submit(user)
    this.world.run(this.world.now + lasts)
    this.answered = undefined
    return { ...this.batch, messages: this.world.delivered - before }
  }

  /** What clients were told that is not so, by the newest log of an honest server. */
  violations(): number {
    const states = this.servers
      .slice(0, this.servers.length - this.liars)
      .map(id => this.world.node(id).host!.state as OrderingServerState)
    const contents = states.flatMap(state => state.objects.get(OBJECT)?.content ?? [])
    const newest = contents.sort((one, other) => other.version - one.version)[0]
    this.history.finish(OBJECT, newest === undefined ? [] : logOf(newest.table), this.world.now)
    return this.history.violations().length + this.order.violations().length
  }

  private submit(user: NodeId): void {
    const id = ++this.ids
    const operation: RegisterOperation = { kind: 'write', id, key: 'x', value: `${id}` }
    this.began.set(id, this.world.now)
    this.history.began(id, OBJECT, operation, this.world.now)
    this.world.command(user, { kind: 'submit', id, object: OBJECT, body: encodeWords(operation) })
  }

  private heard(user: NodeId, event: OrderingEvent): void {
    if (event.kind === 'decided') {
      this.batch.versions++
      return this.order.saw(OBJECT, event.head, user, this.world.now)
    }
    if (event.kind !== 'answered' && event.kind !== 'failed') return
    const began = this.began.get(event.id)
    if (began === undefined) return
    if (event.kind === 'failed') {
      // Its session is over, and whatever it submits now fails in the same instant: it would never stop submitting.
      this.history.failed(event.id, event.outcome === 'did not happen', this.world.now)
      return
    }
    this.batch.delays.push((this.world.now - began) / MESSAGE)
    this.history.answered(event.id, event.version, decodeWords<RegisterResult>(event.body), this.world.now)
    this.answered?.(user)
  }
}
