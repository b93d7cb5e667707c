// A group as its user sees it: promises over the commands and events of a client node.

import {
  assert,
  because,
  checkValue,
  explainTrust,
  LeaseLost,
  type Millis,
  NotAcquired,
  type NotAcquiredReason,
  type Rule,
  SettingsError,
  Unavailable,
  whole,
} from '../core/index.ts'
import type { Attributes } from '../events/values.ts'
import type { LedgerCommand } from '../ledger/index.ts'
import { QUESTIONS_MAX } from '../lock/client/state.ts'
import type {
  AccountedServer,
  ClientCommand,
  ClientEvent,
  ForcedServer,
  InspectedServer,
  ResetServer,
} from '../lock/index.ts'
import { lockRules } from '../lock/rules.ts'
import { NAME_BYTES_MAX } from '../lock/wire.ts'
import type { ClientNodeEvent } from '../node/index.ts'
import { treeApplier } from '../ordering/tree/index.ts'
import type { EventChannel, EventReceipt } from './events/channel.ts'
import type { EventHandler } from './events/event.ts'
import type { GroupEvents } from './events/group-events.ts'
import type { ChannelOptions, FilterLike, PublishOptions, SubscribeOptions } from './events/options.ts'
import type { EventSubscription } from './events/subscription.ts'
import { describeForced, describeReset, type FloorReset, type ForcedUnlock } from './force.ts'
import { type GroupDriver, type GroupShape, type GroupStatus, type PendingLock, whyNoObjects } from './group-shape.ts'
import { canGrant, describeServers, describeTokens, type LockInfo, tallyLocks } from './inspect.ts'
import { repairableVersion, spoiledObjects, tallyComplaints, tallyLockComplaints } from './inspect-objects.ts'
import { type Lease, LeaseHandle, type LeaseOwner } from './lease.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { LedgerOptions, Ledgers } from './ledger/ledgers.ts'
import { checkLockOptions, checkStrategy, checkTryOptions, type LockOptions } from './lock-options.ts'
import { checkName } from './names.ts'
import { type DeletedObject, deleteObject } from './objects/delete.ts'
import { ObjectSession } from './objects/object-session.ts'
import { type Lie, Orders } from './objects/orders.ts'
import type { Recipes } from './objects/recipes.ts'
import { describeRepaired, type RepairedObject } from './objects/repair.ts'
import { type ObjectDefinition, SharedObject } from './objects/shared-object.ts'
import {
  checkTreeOptions,
  SharedTree,
  TREE_NAME,
  TREE_TTL_DEFAULT_MS,
  type TreeOptions,
} from './objects/shared-tree.ts'
import { Questions } from './questions.ts'
import { onWaitEnd, type WaitEnd, type WaitOptions } from './waiting.ts'

export type { GroupDriver, GroupShape, GroupStatus } from './group-shape.ts'

const MICROS_PER_MS = 1_000
const TTL_DEFAULT_MS = 10_000
/** A lease shorter than this is over before its answers are back on an ordinary network. */
const TTL_MIN_MS = 20

/** A group as one client sees it: locks, objects, a tree of entries, and what is built on them. */
export class Group {
  private readonly shape: GroupShape
  private readonly driver: GroupDriver
  private readonly pending = new Map<number, PendingLock>()
  private readonly leases = new Map<number, LeaseHandle>()
  private readonly inspections = new Questions<InspectedServer>()
  private readonly forces = new Questions<ForcedServer>()
  private readonly accounts = new Questions<AccountedServer>()
  private readonly resets = new Questions<ResetServer>()
  /** Lies about locks that this client was told: one for each server and kind. */
  private readonly lockLies: Lie[] = []
  private readonly owner: LeaseOwner
  private readonly orders: Orders
  private ledgers: Ledgers | undefined
  private readonly channels: GroupEvents | undefined
  private readonly trees = new Map<string, SharedTree>()
  private readonly openRecipes: (() => Recipes) | undefined
  private readonly objects = new Map<string, { close(): Promise<void> }>()
  private readonly ttlRule: Rule
  private ids = 0
  private closed: Promise<void> | undefined
  private broken: Error | undefined

  /** @internal Made by `embedded` and `connect`. */
  constructor(shape: GroupShape, driver: GroupDriver) {
    this.shape = shape
    this.driver = driver
    const range = whole(TTL_MIN_MS, shape.ttlMax, 'milliseconds')
    this.ttlRule = { ...range, must: `${range.must}, the group's ttlMax` }
    const { keeper } = driver
    this.orders = new Orders(
      body => driver.command({ part: 'ordering', body }),
      () => ++this.ids,
      whyNoObjects(shape.trust),
      driver.appliers,
      () => driver.now(),
    )
    this.channels = driver.openEvents?.({
      command: body => driver.command({ part: 'events', body }),
      newId: () => ++this.ids,
      liars: shape.trust.liars,
      servers: shape.servers,
      needed: shape.trust.servers - shape.trust.crashes,
      whyAway: server => (driver.isConnected?.(server) === false ? (driver.whySilent?.(server) ?? 'away') : undefined),
      keepMax: shape.keepMax,
      object: (name, definition) => this.object(name, definition),
    })
    this.openRecipes = driver.openRecipes?.({
      tree: () => this.tree().plain,
      ordersFor: name => this.ordersFor(name),
      keep: (name, closable) => this.objects.set(name, closable),
      drop: name => this.objects.delete(name),
    })
    this.owner = {
      now: () => driver.now(),
      belief: ttl => lockRules.belief(this.checkTtl(ttl), shape.drift),
      sustained: id => keeper?.deadline(id) ?? Number.NEGATIVE_INFINITY,
      over: id => keeper?.drop(id),
      extend: ({ id, name }, ttl) => {
        keeper?.setTtl(id, ttl)
        this.say({ kind: 'extend', id, name, ttl })
      },
      release: lease => {
        this.leases.delete(lease.id)
        keeper?.drop(lease.id)
        this.say({ kind: 'release', id: lease.id, name: lease.name })
      },
    }
  }

  /** Waits for the lock. Rejects with `NotAcquired` after `timeout`, or when `signal` fires. */
  async lock(name: string, options: LockOptions = {}): Promise<Lease> {
    checkLockOptions('group.lock', options)
    if (options.reentrant) {
      const shared = this.share(name)
      if (shared !== undefined) return shared
    }
    if (options.timeout !== 0) return this.acquire(name, options, true)
    const { timeout: _now, ...rest } = options
    return this.acquire(name, rest, false)
  }

  /** The lock, or undefined where somebody else holds it. Rejects where too few servers answer. */
  async tryLock(name: string, options: Omit<LockOptions, 'timeout'> = {}): Promise<Lease | undefined> {
    checkTryOptions('group.tryLock', options)
    try {
      return (options.reentrant ? this.share(name) : undefined) ?? (await this.acquire(name, options, false))
    } catch (error) {
      if (error instanceof NotAcquired && error.reason === 'contended') return undefined
      throw error
    }
  }

  /**
   * An object that all clients of the group share: its state changes by operations, in one order for everybody.
   * A name stands for one object; asking for it again with another definition is a mistake.
   */
  object<State, Operation = unknown, Result = unknown>(
    name: string,
    definition: ObjectDefinition<State, Operation, Result>,
  ): SharedObject<State, Operation, Result> {
    const object = new SharedObject(this.ordersFor(name), name, definition, () => this.objects.delete(name))
    this.objects.set(name, object)
    return object
  }

  private ordersFor(object: string): Orders {
    this.checkOpen()
    this.orders.check(object)
    if (!this.objects.has(object)) return this.orders
    throw new SettingsError(`object '${object}' is in use in this process: keep it, or close it.`)
  }

  /** The group's tree of versioned entries; the same one at every call. */
  tree(options: TreeOptions = {}): SharedTree {
    this.checkOpen()
    checkTreeOptions('group.tree', options)
    const { name = TREE_NAME } = options
    this.orders.check(name)
    const known = this.trees.get(name)
    if (known !== undefined) return known
    if (this.objects.has(name))
      throw new SettingsError(`object '${name}' is in use in this process, and it is no tree.`)
    const over = () => {
      this.trees.delete(name)
      this.objects.delete(name)
    }
    const session = new ObjectSession(this.orders, name, options.ttl ?? TREE_TTL_DEFAULT_MS, treeApplier)
    const tree = new SharedTree(session, options, over)
    this.trees.set(name, tree)
    this.objects.set(name, tree)
    return tree
  }

  /** What is usually built on a tree: counters, semaphores, queues, barriers. */
  get recipes(): Recipes {
    assert(this.openRecipes !== undefined, 'a command that uses recipes says so')
    return this.openRecipes()
  }

  /** Makes a ledger, kept by the servers of this group; takes all of them. The same one may be made again. */
  async createLedger(name: string, options: LedgerOptions & WaitOptions): Promise<Ledger> {
    this.checkOpen()
    return (await this.openLedgers()).create(name, options)
  }

  /** The ledger of that name; or of that id. */
  async ledger(name: string, options: WaitOptions = {}): Promise<Ledger> {
    this.checkOpen()
    return (await this.openLedgers()).find(name, options)
  }

  /** Loaded by who asks for one. */
  private async openLedgers(): Promise<Ledgers> {
    if (this.driver.openLedgers === undefined) throw new Unavailable('a group in a browser tab keeps no ledgers.')
    const { Ledgers: Opened } = await this.driver.openLedgers()
    const command = (body: LedgerCommand) => this.driver.command({ part: 'ledger', body })
    this.ledgers ??= new Opened(command, () => ++this.ids, this.shape.trust)
    if (this.broken !== undefined) this.ledgers.ended(this.broken)
    return this.ledgers
  }

  /** A channel of events: what is published there goes to every subscription that wants it. */
  events<Payload = unknown>(name: string, options: ChannelOptions<Payload> = {}): EventChannel<Payload> {
    this.checkOpen()
    if (this.channels === undefined) throw new SettingsError('this group has no events: a browser tab keeps none.')
    return this.channels.open(name, options)
  }

  /** Publishes in the channel 'default'. */
  async publish(attributes: Attributes, payload?: unknown, options: PublishOptions = {}): Promise<EventReceipt> {
    return this.events('default').publish(attributes, payload, options)
  }

  /** Subscribes to the channel 'default'. */
  subscribe(filter: FilterLike, options?: SubscribeOptions | EventHandler, handler?: EventHandler): EventSubscription {
    return this.events('default').subscribe(filter, options as SubscribeOptions, handler)
  }

  /** Who holds what, as far as more servers than can lie agree on it. */
  async locks(): Promise<LockInfo[]> {
    return tallyLocks(await this.inspect(), this.shape.trust)
  }

  /**
   * Takes a lock from its holder; for operators. The old holder may believe in its lease until that ends, and
   * somebody else may hold already: only guards that check tokens protect then. Rejects with `Refused` where servers
   * say that this client is no operator.
   */
  async forceUnlock(name: string): Promise<ForcedUnlock> {
    this.checkOpen()
    checkName('lock', name, NAME_BYTES_MAX)
    const id = ++this.ids
    const answers = await this.forces.ask(id, () => this.say({ kind: 'force', id, name }))
    return describeForced(name, answers, this.shape)
  }

  /**
   * Repairs an object that stands still because a client has spoiled it; for operators. Servers let go of turns that are
   * promised far into the future, and of a version that too few have: what was under way may be lost with it. Rejects
   * with `Refused` where servers say that this client is no operator.
   */
  async repairObject(name: string): Promise<RepairedObject> {
    this.checkOpen()
    this.orders.check(name)
    const version = repairableVersion(await this.orders.inspect(), name, this.shape.trust.liars)
    return describeRepaired(name, version, await this.orders.repair(name, version), this.shape)
  }

  /**
   * Deletes an object, or a tree by its object's name; for operators. Its content goes, every session of it ends, and who holds
   * something there loses it. A client that uses the name again begins with nothing. Rejects with `Refused` where servers say that
   * this client is no operator.
   */
  async deleteObject(name: string): Promise<DeletedObject> {
    this.checkOpen()
    this.orders.check(name)
    return deleteObject(this.orders, name, this.shape)
  }

  /**
   * Lowers the floor of lock tokens to the servers' wall clocks; for operators, where tokens were spoiled for good. Tokens go
   * back by it: guards that have seen larger ones must be told to forget them. Nothing is granted for the longest lease.
   */
  async resetFloor(): Promise<FloorReset> {
    this.checkOpen()
    const id = ++this.ids
    return describeReset(await this.resets.ask(id, () => this.say({ kind: 'resetFloor', id })), this.shape)
  }

  /** How the group is: which servers answer, whether locks can be taken, who was caught lying. */
  async status(): Promise<GroupStatus> {
    const { trust, servers: names, tokenAheadMax, rankAheadMax } = this.shape
    const [inspected, accounts] = await Promise.all([this.inspect(), this.account()])
    const servers = describeServers(names, inspected, this.driver).map(server => {
      const account = accounts.find(one => one.server === server.server)
      return account === undefined ? server : { ...server, ...describeTokens(account, this.driver.wallMicros()) }
    })
    const ready = servers.filter(server => canGrant(server, tokenAheadMax)).length
    const objects = trust.orderingQuorum === undefined ? [] : await this.orders.inspect()
    return {
      trust,
      explanation: explainTrust(trust),
      servers,
      locksWork: ready >= trust.lockGrants,
      objects,
      lies: [...this.orders.lies, ...this.lockLies, ...(this.channels?.lies ?? [])],
      accusations: [
        ...tallyComplaints(objects, this.orders.lies, trust.liars),
        ...tallyLockComplaints(accounts, this.lockLies, trust.liars),
        ...((await this.channels?.accusations()) ?? []),
        ...(this.driver.keepsLedgers ? await (await this.openLedgers()).accusations(names) : []),
      ],
      spoiled: spoiledObjects(objects, trust.liars, this.driver.wallMicros() / MICROS_PER_MS, rankAheadMax),
    }
  }

  /** Releases what is held, and lets go of connections. */
  close(): Promise<void> {
    this.closed ??= this.shutDown()
    return this.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @internal Everything that the client node says. */
  event(parted: ClientNodeEvent): void {
    if (parted.part === 'ordering') return this.orders.event(parted.body)
    if (parted.part === 'ledger') return this.ledgers?.event(parted.body)
    if (parted.part === 'events') return this.channels?.hub.event(parted.body)
    const event = parted.body
    switch (event.kind) {
      case 'acquired':
        return this.acquired(event)
      case 'failed':
        return this.failed(event.id, event.reason, event.answers)
      case 'extended':
        this.driver.keeper?.extended(event.id, event.deadline)
        this.leases.get(event.id)?.extended(event.deadline)
        return
      case 'lost':
        this.driver.keeper?.drop(event.id)
        this.leases.get(event.id)?.lost(new LeaseLost(event.name, 'it could not be renewed in time', event.answers))
        this.leases.delete(event.id)
        return
      case 'released':
        return
      case 'inspected':
        return this.inspections.answered(event.id, event.servers)
      case 'forced':
        return this.forces.answered(event.id, event.servers)
      case 'accounted':
        return this.accounts.answered(event.id, event.servers)
      case 'floorReset':
        return this.resets.answered(event.id, event.servers)
      case 'lied':
        this.lockLies.push({ server: event.server, what: event.what, object: event.name, version: 0 })
        return
      case 'refused':
        return this.refused(event.id)
    }
  }

  /** @internal The node below has ended: nothing more will be heard. */
  ended(error: Error): void {
    // Connections that nobody needs any more would keep the process from its end.
    this.closed ??= this.driver.close().catch(() => {})
    this.broken ??= error
    const why = because(new Unavailable(`this node ended: ${error.message}`), error)
    for (const part of [this.orders, this.ledgers, this.channels?.hub]) part?.ended(why)
    for (const lease of this.leases.values()) lease.lost(new LeaseLost(lease.name, `this node ended: ${error.message}`))
    this.leases.clear()
    for (const waiter of this.pending.values()) waiter.reject(why)
    this.pending.clear()
    for (const questions of [this.inspections, this.forces, this.accounts, this.resets]) questions.end(why)
  }

  private share(name: string): Lease | undefined {
    for (const lease of this.leases.values()) if (lease.name === name && lease.lives()) return lease.share()
    return undefined
  }

  private say(body: ClientCommand): void {
    this.driver.command({ part: 'lock', body })
  }

  private acquire(name: string, options: LockOptions, wait: boolean): Promise<Lease> {
    return new Promise((resolve, reject) => {
      this.checkOpen()
      checkName('lock', name, NAME_BYTES_MAX)
      const ttl = this.checkTtl(options.ttl ?? Math.min(TTL_DEFAULT_MS, this.shape.ttlMax))
      const { signal, renew = true, fair = true, strategy = 'exponential' } = options
      checkStrategy(fair, options.strategy)
      if (signal?.aborted) throw because(new NotAcquired(name, 'cancelled', {}, 'at all'), signal.reason)
      const id = ++this.ids
      const stop = onWaitEnd(options, (why, cause) => this.giveUp(id, name, why, cause))
      this.pending.set(id, {
        name,
        since: this.driver.now(),
        ttl,
        renew,
        resolve: lease => {
          stop()
          resolve(lease)
        },
        reject: error => {
          stop()
          reject(error)
        },
      })
      this.say({ kind: 'acquire', id, name, ttl, wait, fair, strategy, renew, hint: this.driver.wallMicros() })
    })
  }

  /** Where the time is up, the machine answers, and knows why it had to wait. */
  private giveUp(id: number, name: string, why: WaitEnd, cause: unknown): void {
    if (why === 'cancelled') this.failed(id, 'cancelled', {}, cause)
    this.say({ kind: 'release', id, name })
  }

  private acquired(event: ClientEvent & { kind: 'acquired' }): void {
    const { id, name, token, deadline } = event
    const waiter = this.pending.get(id)
    this.pending.delete(id)
    // The caller gave up in the very moment in which the lock was won.
    if (waiter === undefined) return this.say({ kind: 'release', id, name })
    const lease = new LeaseHandle(id, name, token, deadline, this.owner)
    this.leases.set(id, lease)
    if (waiter.renew) this.driver.keeper?.hold({ id, name, token, ttl: waiter.ttl, deadline })
    waiter.resolve(lease)
  }

  private failed(
    id: number,
    reason: NotAcquiredReason,
    answers: Readonly<Record<string, string>>,
    cause?: unknown,
  ): void {
    const waiter = this.pending.get(id)
    if (waiter === undefined) return
    this.pending.delete(id)
    const after = `after ${Math.round(this.driver.now() - waiter.since)} ms`
    waiter.reject(because(new NotAcquired(waiter.name, reason, answers, after), cause))
  }

  private async inspect(): Promise<readonly InspectedServer[]> {
    this.checkOpen()
    const id = ++this.ids
    return this.inspections.ask(id, () => this.say({ kind: 'inspect', id }))
  }

  private async account(): Promise<readonly AccountedServer[]> {
    const id = ++this.ids
    return this.accounts.ask(id, () => this.say({ kind: 'account', id }))
  }

  private refused(id: number): void {
    const refusal = new Unavailable(
      `no server was asked: ${QUESTIONS_MAX} questions of this process are under way. Wait for their answers first.`,
    )
    this.inspections.refused(id, refusal)
    this.forces.refused(id, refusal)
    this.accounts.refused(id, refusal)
    this.resets.refused(id, refusal)
  }

  private async shutDown(): Promise<void> {
    for (const lease of [...this.leases.values()]) lease.finish()
    for (const [id, { name }] of [...this.pending]) this.say({ kind: 'release', id, name })
    await this.channels?.close()
    await Promise.all([...this.objects.values()].map(object => object.close()))
    await this.driver.close()
    this.ended(new Error('the group was closed'))
  }

  private checkOpen(): void {
    if (this.broken !== undefined) throw new Unavailable(`this node ended: ${this.broken.message}`)
    if (this.closed !== undefined) throw new Unavailable('the group was closed')
  }

  private checkTtl(ttl: Millis): Millis {
    checkValue('ttl', this.ttlRule, ttl)
    return ttl
  }
}
