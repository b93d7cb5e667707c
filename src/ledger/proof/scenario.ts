// Ledgers under faults and liars: two of them on the same servers, linked, with owners that pay and move between them,
// clients that lie, servers that lie, crash and lose their stores, and operators who let others keep a ledger. Who watches:
// checkers.ts; what is drawn: plan.ts.

import type { NodeId, Trust } from '../../core/index.ts'
import { fromHex } from '../../core/index.ts'
import { BlameChecker, type Scenario, ScenarioStage, type SimulatedNode, type World } from '../../simulator/index.ts'
import type { Checkpoint } from '../checkpoint.ts'
import { ledgerClient } from '../client/machine.ts'
import type { LedgerEvent } from '../client/state.ts'
import type { Descriptor } from '../genesis.ts'
import { encodeDescriptor, stepsOf } from '../light.ts'
import type { LedgerReceipt } from '../receipt.ts'
import { type LedgerRules, ledgerRules } from '../rules.ts'
import { ledgerServer } from '../server/machine.ts'
import type { LedgerServerEvent, LedgerServerState } from '../server/state.ts'
import { ledgerDefaults } from '../settings.ts'
import { readTransaction, signingBytes, type Transaction, writeTransaction } from '../transactions.ts'
import { ledgerVocabulary } from '../wire.ts'
import { type Actors, firstDisk, ideals, linked, makeLedger, nextEpoch, serverSettings, signed } from './actors.ts'
import {
  EndsChecker,
  KeepersChecker,
  OneHistoryChecker,
  ReceiptChecker,
  ReplayChecker,
  VotesChecker,
} from './checkers.ts'
import { ledgerLiars, lyingClient } from './liars.ts'
import { drawPlan, hurry, type LedgerAct, type LedgerPlan, SECOND } from './plan.ts'
import { Stores } from './stores.ts'
import { proof, sequenceName, type Task, type Way } from './tasks.ts'

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

type EpochTransaction = Transaction & { readonly kind: 'epoch' }

type AnyEvent = LedgerEvent | LedgerServerEvent

class LedgerStage extends ScenarioStage<LedgerPlan, LedgerAct, AnyEvent> {
  readonly checkers
  private readonly actors: Actors = ideals()
  private readonly servers: readonly string[]
  private readonly history: OneHistoryChecker
  private readonly replay: ReplayChecker
  private readonly receipts: ReceiptChecker
  private readonly ends = new EndsChecker()
  private readonly keepers: KeepersChecker
  private readonly blame = new BlameChecker()
  private readonly votes = new VotesChecker()
  private readonly stores: Stores
  private readonly ledgers: readonly Descriptor[]
  /** What each owner has under way, one after the other; and the next sequence of each account. */
  private readonly queues = new Map<string, Task[]>()
  private readonly sequences = new Map<string, number>()
  private readonly tasks = new Map<string, Task>()
  private readonly reads = new Map<string, Descriptor>()
  /** What waits for offers, for pledges and for proofs. */
  private readonly offering = new Map<string, LedgerAct & { kind: 'epoch' }>()
  private readonly pledging = new Map<
    string,
    { readonly owner: string; readonly ledger: Descriptor; readonly next: EpochTransaction }
  >()
  private readonly proving = new Map<string, (receipt: LedgerReceipt) => void>()
  /** The longest chain of keepers that a client has followed, by ledger. */
  private readonly chains = new Map<string, Descriptor>()

  constructor(world: World, servers: readonly string[], plan: LedgerPlan) {
    super(world, plan)
    this.servers = servers
    const { suite } = this.actors
    this.history = new OneHistoryChecker(suite)
    this.replay = new ReplayChecker(suite)
    this.receipts = new ReceiptChecker(suite)
    this.keepers = new KeepersChecker(suite)
    this.checkers = [this.history, this.replay, this.receipts, this.ends, this.keepers, this.blame, this.votes]
    this.stores = new Stores(world, plan.liars, this.votes)
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
      protocol: this.stores.watched(id, ledgerServer(settings(id))),
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
    const leaf = task.leaf()
    const name = this.call(task.owner, { kind: 'submit', ledger: task.ledger.hex, leaf })
    this.tasks.set(name, { ...task, leaf: () => leaf })
    this.receipts.begins(name, task.ledger)
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
    if (act.kind === 'lose' || act.kind === 'copy' || act.kind === 'putBack') return this.stores.act(act)
    if (act.kind === 'epoch') return this.askOffers(act)
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
    this.receipts.begins(name, ledger)
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
      followed: receipt => this.afterBurn({ owner, from, to }, receipt, ends),
    }
    this.queue(burn)
  }

  private afterBurn(way: Way, burned: LedgerReceipt, ends: 'mint' | 'refund'): void {
    const { owner, from, to } = way
    const wanted = `burn ${burned.index} of ${from.genesis.name}`
    this.ends.demand(wanted, wanted)
    const ended = () => this.ends.served(wanted)
    if (ends === 'mint') return this.prove(way, burned, one => this.mint(owner, to, one, ended))
    const voided = (receipt: LedgerReceipt) => this.afterVoid({ owner, from: to, to: from }, receipt, ended)
    // A server that was behind refused it, and others took it: the leaf is there under another proof. Or the mint came first.
    const spent = () => {
      const index = this.voidOf(to, burned)
      if (index < 0) return ended()
      this.proving.set(this.call(owner, { kind: 'prove', ledger: to.hex, index }), voided)
    }
    this.prove(way, burned, one => ({ ...this.voiding(owner, to, one, voided), instead: { spent } }))
    // Both cannot be: whoever tries gets one of them.
    this.prove(way, burned, one => this.mint(owner, to, one))
  }

  /** Where the burn was made void, -1 where it was not; by the longest log that any server has. */
  private voidOf({ hex }: Descriptor, burned: LedgerReceipt): number {
    const logs = this.servers.map(server => this.stateOf<LedgerServerState>(server)?.ledgers.get(hex)?.leaves ?? [])
    const longest = logs.reduce((one, other) => (one.length < other.length ? other : one))
    return longest.findIndex(leaf => {
      const read = readTransaction(leaf)
      return read.ok && read.value.kind === 'void' && read.value.evidence.index === burned.index
    })
  }

  private afterVoid(way: Way, voided: LedgerReceipt, ended: () => void): void {
    this.prove(way, voided, receipt => ({
      owner: way.owner,
      ledger: way.to,
      leaf: () => writeTransaction({ kind: 'refund', register: 0, evidence: proof(receipt) }),
      spends: false,
      followed: ended,
      instead: { refunded: ended },
    }))
  }

  /**
   * What shows a leaf of one ledger to the other; where keepers changed meanwhile they are followed, and it is shown anew. As often
   * as it takes: a link may come late, and a move that is given up is in flight for ever.
   */
  private prove(way: Way, shown: LedgerReceipt, make: (receipt: LedgerReceipt) => Task): void {
    const { owner, from, to } = way
    const again = () => {
      for (const step of stepsOf(this.chains.get(from.hex) ?? from)) {
        const leaf = () => writeTransaction({ kind: 'follow', ledger: from.id, ...step })
        this.queue({ owner, ledger: to, leaf, spends: false })
      }
      const name = this.call(owner, { kind: 'prove', ledger: from.hex, index: shown.index })
      this.proving.set(name, receipt => this.prove(way, receipt, make))
    }
    // It rests on a proof that the other ledger does not take any more, or not yet; or the link is not there yet.
    const later = () => this.world.at(this.world.now + SECOND / 2, again)
    const task = make(shown)
    this.queue({ ...task, instead: { evidence: later, epoch: later, 'no link': later, ...task.instead } })
  }

  private mint(owner: string, to: Descriptor, burned: LedgerReceipt, ended?: () => void): Task {
    const leaf = () => writeTransaction({ kind: 'mint', register: 0, evidence: proof(burned) })
    return { owner, ledger: to, leaf, spends: false, ...(ended && { followed: ended, instead: { spent: ended } }) }
  }

  private voiding(
    owner: string,
    to: Descriptor,
    burned: LedgerReceipt,
    followed: (voided: LedgerReceipt) => void,
  ): Task {
    const unsigned: Transaction = {
      kind: 'void',
      register: 0,
      evidence: proof(burned),
      signature: new Uint8Array(0),
    }
    const signature = this.actors.signer(owner).sign(signingBytes(fromHex(to.registerIds[0]!)!, unsigned))
    return { owner, ledger: to, leaf: () => writeTransaction({ ...unsigned, signature }), spends: false, followed }
  }

  private askOffers(act: LedgerAct & { kind: 'epoch' }): void {
    const { servers, owner } = act
    const needed = servers.length - this.plan.trust.crashes
    this.stores.changing++
    this.offering.set(this.call(owner, { kind: 'offers', of: servers, needed }), act)
  }

  /** Each with the key that it offers now, or with the one it had. */
  private askPledges(act: LedgerAct & { kind: 'epoch' }, { offers }: LedgerEvent & { kind: 'offers' }): void {
    const { owner } = act
    const ledger = this.keepers.now(this.ledgers[act.ledger]!)
    const voters = act.servers.flatMap(name => {
      const offer = offers.find(one => one.server === name)
      return offer ? [{ ...offer, name }] : (ledger.epochs.at(-1)!.servers.find(one => one.name === name) ?? [])
    })
    const next = nextEpoch(this.actors, ledger, { ...this.plan.trust, servers: voters })
    const name = this.call(owner, { kind: 'pledge', ledger: ledger.hex, leaf: writeTransaction(next) })
    this.pledging.set(name, { owner, ledger: this.ledgers[act.ledger]!, next })
  }

  private endPledge(name: string, pledges: EpochTransaction['pledges']): void {
    const { owner, ledger, next } = this.pledging.get(name)!
    const leaf = () => writeTransaction({ ...next, pledges })
    const ended = () => this.stores.changing--
    this.queue({ owner, ledger, leaf, spends: false, followed: () => this.read(owner, ledger), ended })
  }

  protected observe(node: SimulatedNode, event: AnyEvent): void {
    const { id } = node.spec
    if (event.kind === 'certified') {
      const ledger = this.ledgers.find(one => one.hex === event.ledger)
      if (ledger !== undefined && !this.plan.liars.has(id)) this.certified(id, ledger, event.checkpoint)
      return
    }
    if (event.kind === 'lied') {
      // With a planted bug servers do sign what contradicts itself: that is found by what comes of it.
      if (!this.plan.liars.has(id) && this.plan.rules === ledgerRules)
        this.blame.blame(event.server, this.plan.liars.has(event.server), event.what, this.world.now)
      return
    }
    if (event.kind === 'lossKept') return this.stores.kept(id)
    if (!('id' in event)) return
    if (event.kind === 'epoch') return this.followed(event)
    const name = `${this.clientOf(id)} ${event.id}`
    const task = this.tasks.get(name)
    if (event.kind === 'receipt') this.receipt(name, task, event.receipt)
    if (event.kind === 'offers' && this.offering.has(name)) this.askPledges(this.offering.get(name)!, event)
    if (event.kind === 'pledged' && this.pledging.has(name)) this.endPledge(name, event.pledges)
    if (event.kind === 'refused' || event.kind === 'unknown') this.retryOrEnd(name, task, event)
    if (event.kind === 'answer') {
      this.ends.served(name)
      this.receipts.readEnds(name, event.checkpoint, this.world.now)
      const ledger = this.reads.get(name)
      if (ledger !== undefined) this.history.certified(this.keepers.now(ledger), event.checkpoint, this.world.now)
    }
  }

  /** Of an honest server: its last leaf may say who keeps the ledger next. */
  private certified(server: NodeId, ledger: Descriptor, checkpoint: Checkpoint): void {
    this.history.certified(this.keepers.now(ledger), checkpoint, this.world.now)
    const held = this.stateOf<LedgerServerState>(server)?.ledgers.get(ledger.hex)
    const leaf = held?.leaves[checkpoint.size - 1]
    if (leaf !== undefined) this.keepers.certified(ledger, leaf, checkpoint, this.world.now)
  }

  private receipt(name: string, task: Task | undefined, receipt: LedgerReceipt): void {
    const proved = this.proving.get(name)
    this.proving.delete(name)
    proved?.(receipt)
    if (task === undefined) return
    const ledger = this.keepers.now(task.ledger)
    this.receipts.receipt(ledger, receipt, this.world.now)
    this.history.certified(ledger, receipt.checkpoint, this.world.now)
    this.endTask(name, receipt)
  }

  /** A client was led to later keepers. */
  private followed({ descriptor }: LedgerEvent & { kind: 'epoch' }): void {
    this.keepers.followed(descriptor, this.world.now)
    const known = this.chains.get(descriptor.hex)
    if ((known?.epochs.length ?? 1) < descriptor.epochs.length) this.chains.set(descriptor.hex, descriptor)
  }

  /** A ledger that is not known yet is being made; a link may not be there yet. */
  private retryOrEnd(name: string, task: Task | undefined, event: AnyEvent): void {
    if (event.kind === 'refused' && this.pledging.has(name)) this.stores.changing--
    if (task === undefined) return
    if (event.kind === 'refused') {
      this.receipts.refused(name, task.leaf(), event as LedgerEvent & { kind: 'refused' }, this.world.now)
      const instead = task.instead?.[event.code]
      if (instead !== undefined) this.tasks.set(name, { ...task, ended: instead })
      return this.endTask(name, undefined)
    }
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
      this.receipts.begins(name, ledger!)
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
    for (const ledger of this.ledgers) this.receipts.forEver(this.keepers.now(ledger), this.world.now)
    this.keepers.finish(this.world.now)
    this.ends.finish(this.world.now)
  }
}
