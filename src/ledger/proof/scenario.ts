// Ledgers under faults and liars: two of them on the same servers, linked, with owners that pay and move between them,
// clients that lie, servers that lie, crash and lose their stores. Who watches: checkers.ts.

import type { NodeId, Random, Trust } from '../../core/index.ts'
import { fromHex } from '../../core/index.ts'
import {
  drawFaults,
  drawNetwork,
  type Micros,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../simulator/index.ts'
import { ledgerClient } from '../client/machine.ts'
import type { LedgerEvent } from '../client/state.ts'
import type { Descriptor } from '../genesis.ts'
import { encodeDescriptor } from '../light.ts'
import type { LedgerReceipt } from '../receipt.ts'
import { type LedgerRules, ledgerRules } from '../rules.ts'
import { ledgerServer } from '../server/machine.ts'
import type { LedgerServerEvent, LedgerServerState } from '../server/state.ts'
import { ledgerDefaults } from '../settings.ts'
import { type Evidence, signingBytes, type Transaction, writeTransaction } from '../transactions.ts'
import { ledgerVocabulary } from '../wire.ts'
import { type Actors, firstDisk, ideals, linked, makeLedger, serverSettings, signed } from './actors.ts'
import { EndsChecker, OneHistoryChecker, ReceiptChecker, ReplayChecker } from './checkers.ts'
import { ledgerLiars, lyingClient } from './liars.ts'

export type LedgerAct =
  | { kind: 'pay'; owner: string; ledger: number; to: string; amount: number }
  /** Burns on one ledger; then mints on the other, or makes void and refunds. */
  | { kind: 'move'; owner: string; ledger: number; amount: number; ends: 'mint' | 'refund' }
  | { kind: 'read'; owner: string; ledger: number }
  /** The server's disk is gone; only while all others have theirs. */
  | { kind: 'lose'; server: string; lasts: Micros }

/** Everything that is drawn for one run. */
export interface LedgerPlan extends Plan<LedgerAct> {
  readonly trust: { readonly servers: number; readonly crashes: number; readonly liars: number }
  readonly rules: LedgerRules
  readonly owners: readonly string[]
  readonly liars: ReadonlyMap<NodeId, number>
  readonly lyingClients: number
  /** Of the servers: short ones make many attempts. */
  readonly attemptMax: number
}

const SECOND: Micros = 1_000_000
const SAFETY = 12 * SECOND
const LIVENESS = 40 * SECOND
const LOOK_EVERY = SECOND / 2
const UNTIL = 2 ** 30

/**
 * Ledgers under faults and liars, for the simulator. `hurried`: short attempts, many short crashes and lost stores, which is
 * where votes go wrong; so that a planted bug is found in few seeds.
 */
export function ledgerScenario(
  trust: Pick<Trust, 'servers' | 'crashes' | 'liars'>,
  rules: LedgerRules = ledgerRules,
  hurried = rules !== ledgerRules,
): Scenario<LedgerPlan, LedgerAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  return {
    name: 'ledger',
    plan: random => {
      const plan = drawPlan(random, trust, servers, rules)
      return hurried ? hurry(random, plan, servers) : plan
    },
    stage: (world, plan) => new LedgerStage(world, servers, plan).begin(),
  }
}

function drawPlan(
  random: Random,
  trust: LedgerPlan['trust'],
  servers: readonly string[],
  rules: LedgerRules,
): LedgerPlan {
  const owners = ['anna', 'bela', 'cleo'].slice(0, 2 + random.below(2))
  const liars = new Map<NodeId, number>()
  const kinds = ledgerLiars(() => undefined as never)
  for (let i = 0; i < trust.liars; i++) liars.set(pick(random, servers), random.below(kinds.length))
  const faults = drawFaults(random, { durable: servers, all: [...servers, ...owners] }, SAFETY, 4 * SECOND)
  const lyingClients = random.below(2)
  return {
    trust,
    rules,
    owners,
    liars,
    lyingClients,
    attemptMax: pick(random, [60, 150, 400]),
    network: drawNetwork(random),
    faults,
    acts: [...drawActs(random, owners), ...drawLosses(random, trust, servers)],
    healsAt: SAFETY,
    ends: SAFETY + LIVENESS,
    drawn: {
      servers: trust.servers,
      liars: [...liars].map(([server, kind]) => `${server} ${kinds[kind]!.name}`).join(', ') || 'none',
      lyingClients,
      faults: faults.length,
    },
  }
}

const CRASHES = 24
const CRASH_MAX = 300_000

function hurry(random: Random, plan: LedgerPlan, servers: readonly string[]): LedgerPlan {
  const crashes = Array.from({ length: CRASHES }, () => {
    const fault = {
      kind: 'crash' as const,
      node: pick(random, servers),
      lasts: 1 + random.below(CRASH_MAX),
      clean: false,
    }
    return { ...fault, at: random.below(SAFETY) }
  })
  const losses = [0, 1, 2, 3].flatMap(() => drawLosses(random, plan.trust, servers))
  const network = { ...plan.network, delaySpread: 20_000 + random.below(100_000), loss: random.unit() * 0.3 }
  return { ...plan, network, attemptMax: 60, acts: [...plan.acts, ...losses], faults: [...plan.faults, ...crashes] }
}

function drawActs(random: Random, owners: readonly string[]): LedgerPlan['acts'] {
  const acts: (LedgerAct & { at: Micros })[] = []
  const busy = 2 + random.below(12)
  for (const owner of owners) {
    for (let i = 0; i < busy; i++) {
      const at = random.below(SAFETY)
      const ledger = random.below(2)
      const amount = 1 + random.below(40)
      const kind = pick(random, ['pay', 'pay', 'pay', 'move', 'read'] as const)
      if (kind === 'pay') acts.push({ kind, at, owner, ledger, to: pick(random, owners), amount })
      if (kind === 'move')
        acts.push({ kind, at, owner, ledger, amount, ends: pick(random, ['mint', 'mint', 'refund']) })
      if (kind === 'read') acts.push({ kind, at, owner, ledger })
    }
  }
  return acts
}

// One that lost its store counts as gone until its votes are behind: where the liars are all that may be gone, none is lost.
function drawLosses(random: Random, trust: LedgerPlan['trust'], servers: readonly string[]): LedgerPlan['acts'] {
  if (trust.liars >= trust.crashes) return []
  return Array.from({ length: pick(random, [0, 0, 1, 2]) }, () => {
    return { kind: 'lose', server: pick(random, servers), lasts: random.below(SECOND), at: random.below(SAFETY) }
  })
}

interface Task {
  readonly owner: string
  readonly ledger: Descriptor
  leaf: () => Uint8Array
  /** It uses the account's sequence. */
  readonly spends: boolean
  readonly followed?: (receipt: LedgerReceipt) => void
  readonly ended?: () => void
}

type AnyEvent = LedgerEvent | LedgerServerEvent

class LedgerStage extends ScenarioStage<LedgerPlan, LedgerAct, AnyEvent> {
  readonly checkers
  private readonly actors: Actors = ideals()
  private readonly servers: readonly string[]
  private readonly history: OneHistoryChecker
  private readonly replay: ReplayChecker
  private readonly receipts: ReceiptChecker
  private readonly ends = new EndsChecker()
  private readonly ledgers: readonly Descriptor[]
  /** What each owner has under way, one after the other; and the next sequence of each account. */
  private readonly queues = new Map<string, Task[]>()
  private readonly sequences = new Map<string, number>()
  private readonly tasks = new Map<string, Task>()
  private readonly reads = new Map<string, Descriptor>()
  private readonly lost = new Set<string>()

  constructor(world: World, servers: readonly string[], plan: LedgerPlan) {
    super(world, plan)
    this.servers = servers
    const { suite } = this.actors
    this.history = new OneHistoryChecker(suite)
    this.replay = new ReplayChecker(suite)
    this.receipts = new ReceiptChecker(suite)
    this.checkers = [this.history, this.replay, this.receipts, this.ends]
    const balances = Object.fromEntries([...plan.owners, 'liar'].map(owner => [owner, 100n]))
    this.ledgers = ['a', 'b'].map(name => makeLedger(this.actors, { name, ...plan.trust, servers, balances }))
  }

  protected populate(): void {
    for (const server of this.servers) this.addServer(server)
    for (const owner of this.plan.owners) this.addOwner(owner)
    for (let i = 0; i < this.plan.lyingClients; i++) {
      const id = `liar-${i + 1}`
      const spec = {
        id,
        protocol: lyingClient(this.actors, this.ledgers, 'liar'),
        peers: this.servers,
        vocabulary: ledgerVocabulary,
      }
      this.addNode({ ...spec, returns: false, lies: true })
      this.world.start(id)
    }
    const [first] = this.plan.owners
    for (const [place, ledger] of this.ledgers.entries()) {
      this.call(first!, { kind: 'create', genesis: encodeDescriptor(ledger) })
      const link = { number: 0, peer: encodeDescriptor(this.ledgers[1 - place]!), cap: 1_000n, rate: 0n, window: 0 }
      this.queue({
        owner: first!,
        ledger,
        leaf: () => linked(this.actors, ledger, link),
        spends: false,
      })
    }
    this.look()
  }

  private addServer(id: string): void {
    const { rules, liars } = this.plan
    const { attemptMax } = this.plan
    const timing = { attemptMax, repeatEvery: Math.max(60, attemptMax / 3) }
    const settings = (server: NodeId) => ({ ...serverSettings(this.actors, server, rules), ...timing })
    const kind = liars.get(id)
    const liar = kind === undefined ? undefined : ledgerLiars(settings)[kind]!
    const spec = {
      id,
      protocol: ledgerServer(settings(id)),
      peers: this.servers,
      vocabulary: ledgerVocabulary,
      diskMax: 5_000,
    }
    this.addNode({ ...spec, saved: firstDisk(id) }, liar && (honest => liar.corrupt(honest)))
    this.world.start(id)
  }

  private addOwner(owner: string): void {
    const { liars, crashes } = this.plan.trust
    const settings = { ...ledgerDefaults, suite: this.actors.suite, liars, crashes, rules: this.plan.rules }
    const id = this.nextProcess(owner)
    this.addNode({
      id,
      protocol: ledgerClient(settings),
      peers: this.servers,
      vocabulary: ledgerVocabulary,
      returns: false,
    })
    this.world.start(id)
    for (const ledger of this.ledgers) this.world.command(id, { kind: 'open', genesis: encodeDescriptor(ledger) })
    this.queues.set(owner, [])
  }

  private call(owner: string, command: Record<string, unknown>): string {
    const id = this.nextCommand()
    this.world.command(this.processOf(owner), { id, ...command })
    return `${owner} ${id}`
  }

  private queue(task: Task): void {
    const queue = this.queues.get(task.owner)!
    queue.push(task)
    if (queue.length === 1) this.submitTask(task)
  }

  private submitTask(task: Task): void {
    const name = this.call(task.owner, { kind: 'submit', ledger: task.ledger.hex, leaf: task.leaf() })
    this.tasks.set(name, task)
  }

  private endTask(name: string, receipt: LedgerReceipt | undefined): void {
    const task = this.tasks.get(name)
    if (task === undefined) return
    this.tasks.delete(name)
    this.ends.served(name)
    if (receipt !== undefined && task.spends) this.sequences.set(sequenceName(task), this.sequenceOf(task) + 1)
    if (receipt !== undefined) task.followed?.(receipt)
    task.ended?.()
    const queue = this.queues.get(task.owner)!
    queue.shift()
    if (queue.length > 0) this.submitTask(queue[0]!)
  }

  private sequenceOf(task: Pick<Task, 'owner' | 'ledger'>): number {
    return this.sequences.get(sequenceName(task)) ?? 0
  }

  protected act(act: LedgerAct): void {
    if (act.kind === 'lose') return this.lose(act)
    const { owner } = act
    const ledger = this.ledgers[act.ledger]!
    if (act.kind === 'read') return this.read(owner, ledger)
    if (act.kind === 'pay') return this.queue(this.payment(owner, ledger, act.to, BigInt(act.amount)))
    this.move(act, ledger, this.ledgers[1 - act.ledger]!)
  }

  private read(owner: string, ledger: Descriptor): void {
    const key = this.actors.signer(owner).publicKey
    const name = this.call(owner, { kind: 'ask', ledger: ledger.hex, question: { kind: 'account', register: 0, key } })
    this.reads.set(name, ledger)
    this.receipts.readBegins(name, ledger)
  }

  private payment(owner: string, ledger: Descriptor, to: string, amount: bigint): Task {
    const task: Task = {
      owner,
      ledger,
      spends: true,
      leaf: () =>
        signed(this.actors, ledger, owner, {
          kind: 'transfer',
          ...this.spending(task, to, amount),
          memo: '',
        }),
    }
    return task
  }

  private spending(task: Task, to: string, amount: bigint) {
    const { publicKey } = this.actors.signer(to)
    return { register: 0, sequence: this.sequenceOf(task), asset: task.ledger.id, to: publicKey, amount, until: UNTIL }
  }

  private move(act: LedgerAct & { kind: 'move' }, from: Descriptor, to: Descriptor): void {
    const { owner, amount, ends } = act
    const burn: Task = {
      owner,
      ledger: from,
      spends: true,
      leaf: () =>
        signed(this.actors, from, owner, {
          kind: 'burn',
          ...this.spending(burn, owner, BigInt(amount)),
          peer: to.id,
          expires: 0,
        }),
      followed: receipt => this.afterBurn(owner, from, to, receipt, ends),
    }
    this.queue(burn)
  }

  private afterBurn(
    owner: string,
    from: Descriptor,
    to: Descriptor,
    burned: LedgerReceipt,
    ends: 'mint' | 'refund',
  ): void {
    const evidence = proof(burned)
    const mint = () => writeTransaction({ kind: 'mint', register: 0, evidence })
    if (ends === 'mint') return this.queue({ owner, ledger: to, leaf: mint, spends: false })
    const unsigned: Transaction = { kind: 'void', register: 0, evidence, signature: new Uint8Array(0) }
    const signature = this.actors.signer(owner).sign(signingBytes(fromHex(to.registerIds[0]!)!, unsigned))
    const refund = (voided: LedgerReceipt) => writeTransaction({ kind: 'refund', register: 0, evidence: proof(voided) })
    this.queue({
      owner,
      ledger: to,
      leaf: () => writeTransaction({ ...unsigned, signature }),
      spends: false,
      followed: voided => this.queue({ owner, ledger: from, leaf: () => refund(voided), spends: false }),
    })
    // Both cannot be: whoever tries gets one of them.
    this.queue({ owner, ledger: to, leaf: mint, spends: false })
  }

  private lose({ server, lasts }: LedgerAct & { kind: 'lose' }): void {
    const { world } = this
    if (this.plan.liars.has(server) || this.lost.size > 0) return
    this.lost.add(server)
    world.lose(server)
    world.at(world.now + lasts, () => world.start(server))
    this.whenBack(server)
  }

  // While it has forgotten its votes it counts as gone: another one's store is lost only when it is back.
  private whenBack(server: string): void {
    this.world.at(this.world.now + LOOK_EVERY, () => {
      const state = this.stateOf<LedgerServerState>(server)
      const back =
        state !== undefined &&
        state.ledgers.size >= 2 &&
        [...state.ledgers.values()].every(one => one.lost === undefined)
      if (back) this.lost.delete(server)
      else this.whenBack(server)
    })
  }

  protected observe(node: SimulatedNode, event: AnyEvent): void {
    const { id } = node.spec
    if (event.kind === 'certified') {
      const ledger = this.ledgers.find(one => one.hex === event.ledger)
      if (ledger !== undefined && !this.plan.liars.has(id))
        this.history.certified(ledger, event.checkpoint, this.world.now)
      return
    }
    if (!('id' in event)) return
    const name = `${this.clientOf(id)} ${event.id}`
    const task = this.tasks.get(name)
    if (event.kind === 'receipt' && task !== undefined) {
      this.receipts.receipt(task.ledger, event.receipt, this.world.now)
      this.history.certified(task.ledger, event.receipt.checkpoint, this.world.now)
      this.endTask(name, event.receipt)
    }
    if (event.kind === 'refused' || event.kind === 'unknown') this.retryOrEnd(name, task, event)
    if (event.kind === 'answer') {
      this.ends.served(name)
      this.receipts.readEnds(name, event.checkpoint, this.world.now)
      const ledger = this.reads.get(name)
      if (ledger !== undefined) this.history.certified(ledger, event.checkpoint, this.world.now)
    }
  }

  /** A ledger that is not known yet is being made; a link may not be there yet. */
  private retryOrEnd(name: string, task: Task | undefined, event: AnyEvent): void {
    if (task === undefined) return
    if (event.kind !== 'unknown') return this.endTask(name, undefined)
    this.tasks.delete(name)
    this.world.at(this.world.now + SECOND, () => this.submitTask(task))
  }

  private look(): void {
    this.world.at(this.world.now + 4 * SECOND, () => {
      this.lookNow()
      this.look()
    })
  }

  private lookNow(): void {
    for (const server of this.servers) {
      if (this.plan.liars.has(server)) continue
      const state = this.stateOf<LedgerServerState>(server)
      for (const ledger of this.ledgers) {
        const held = state?.ledgers.get(ledger.hex)
        if (held === undefined) continue
        this.replay.replay(ledger, held.head.root, held.leaves, this.world.now)
        this.receipts.logs(ledger, held.leaves, this.world.now)
      }
    }
  }

  protected override demand(): void {
    for (const owner of this.plan.owners) {
      for (const ledger of this.ledgers) this.demandPayment(owner, ledger)
      const [ledger] = this.ledgers
      const name = this.call(owner, { kind: 'ask', ledger: ledger!.hex, question: { kind: 'head' } })
      this.reads.set(name, ledger!)
      this.receipts.readBegins(name, ledger!)
      this.ends.demand(name, `a read of ${owner}`)
    }
  }

  /** To oneself; who has spent all is refused, which is an end as well. */
  private demandPayment(owner: string, ledger: Descriptor): void {
    const wanted = `${owner} pays on ${ledger.genesis.name} after healing`
    this.ends.demand(wanted, wanted)
    this.queue({ ...this.payment(owner, ledger, owner, 1n), ended: () => this.ends.served(wanted) })
  }

  protected override finish(): void {
    this.lookNow()
    this.ends.finish(this.world.now)
  }
}

function sequenceName({ owner, ledger }: Pick<Task, 'owner' | 'ledger'>): string {
  return `${owner} ${ledger.hex}`
}

function proof({ ledger, leaf, index, path, checkpoint }: LedgerReceipt): Evidence {
  return { kind: 'proof', ledger, leaf, index, path, checkpoint }
}
