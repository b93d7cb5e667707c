// What waits to be ordered. A leaf comes in if it could be appended now, or soon: an account's sequences may arrive out of
// order, so up to 64 ahead wait here; and what is refused only for now waits for the end of a height that may change that.
// Waiting is not execution: what the executor takes depends on leaves alone.

import type { NodeId } from '../../core/index.ts'
import { toHex } from '../../core/index.ts'
import { type Undo, undoAll } from '../book.ts'
import { execute, whyNotNow } from '../execute.ts'
import type { KnownLeaf } from '../memory.ts'
import { inclusionProof } from '../merkle.ts'
import { BATCH_BYTES_MAX, BATCH_MAX } from '../proposal.ts'
import { isFinal, type Refusal } from '../refusal.ts'
import { type LedgerRequest, RECEIPTS_MAX, shortened } from '../wire.ts'
import {
  executionOf,
  type LedgerScene,
  mayPromise,
  type Pool,
  type Pooled,
  type ServedLedger,
  send,
  serverTimers,
} from './state.ts'
import { giveNewestSteps } from './steps.ts'

/** Leaves that wait, and their bytes. */
export const POOL_MAX = 20_000
const POOL_BYTES_MAX = 32 << 20
/** Of them, those that one client may bring, and their bytes: seven that flood still leave nobody out. */
export const POOL_OF_CLIENT_MAX = 2_000
export const POOL_BYTES_OF_CLIENT_MAX = 4 << 20
/** Bytes of one client's leaves over all ledgers: it may bring 64, and write in all that there are. */
export const POOLED_BYTES_OF_CLIENT_MAX = 32 << 20
/** Of a leaf beside its own bytes. */
const OVERHEAD_BYTES = 1_024
/** How far ahead of its account a sequence may wait. */
const AHEAD_MAX = 64
const ASKERS_MAX = 16

export function ownerOf(client: NodeId): string {
  return client.split('#')[0]!
}

export function onSubmit(scene: LedgerScene, from: NodeId, body: LedgerRequest & { kind: 'submit' }): void {
  const { ledger } = scene
  const { leaf, query, receipt } = body
  const looked = ledger.memory.of(leaf)
  const { name } = looked
  const index = ledger.indexes.get(name)
  if (index !== undefined) return receipt ? giveReceipt(scene, from, query, index) : undefined
  // A server that no longer keeps the ledger orders nothing and refuses nothing: it says who does.
  if (ledger.place < 0) return query === 0 ? undefined : giveNewestSteps(scene, from)
  const known = ledger.pool.entries.get(name)
  if (known !== undefined) return addAsker(known, from, query, receipt)
  const refused = whyNotNow(ledger.book, leaf, executionOf(scene))
  if (refused !== undefined && !mayWait(scene, leaf, refused)) return giveRefusal(scene, from, query, refused)
  if (!hasRoom(scene, ownerOf(from), leaf)) return send(scene, from, { kind: 'crowded', query })
  const entry = pooled(looked, ownerOf(from))
  addAsker(entry, from, query, receipt)
  put(scene, entry, refused === undefined)
}

function addAsker({ askers }: Pooled, client: NodeId, query: number, wanted: boolean): void {
  if (!wanted || askers.length >= ASKERS_MAX) return
  if (!askers.some(one => one.client === client && one.query === query)) askers.push({ client, query })
}

function pooled({ bytes, name, read }: KnownLeaf, owner: string): Pooled {
  const spending = read.ok && 'from' in read.value ? read.value : undefined
  return {
    leaf: bytes,
    name,
    owner,
    ready: false,
    account: spending && `${spending.register} ${toHex(spending.from)}`,
    sequence: spending?.sequence ?? 0,
    askers: [],
  }
}

function mayWait(scene: LedgerScene, leaf: Uint8Array, refused: Refusal): boolean {
  if (refused.code === 'sequence ahead' && isNear(scene.ledger, leaf)) return true
  return !isFinal(refused) && !scene.settings.rules.refusesForNow(isSettled(scene))
}

/** Whether it has every certificate that it voted for. */
function isSettled(scene: LedgerScene): boolean {
  return mayPromise(scene) && scene.ledger.round.vote === undefined
}

function isNear(ledger: ServedLedger, leaf: Uint8Array): boolean {
  const { read } = ledger.memory.of(leaf)
  if (!read.ok || !('from' in read.value)) return false
  const { register, from, sequence } = read.value
  const next = ledger.book.registers[register]?.accounts.get(toHex(from))?.next ?? 0
  return sequence <= next + AHEAD_MAX
}

function hasRoom({ ledger: { pool }, state }: LedgerScene, owner: string, leaf: Uint8Array): boolean {
  if (pool.entries.size >= POOL_MAX || pool.bytes + leaf.length > POOL_BYTES_MAX) return false
  const { leaves, bytes } = pool.shares.get(owner) ?? { leaves: 0, bytes: 0 }
  const overAll = (state.pooledBytesOf.get(owner) ?? 0) + leaf.length + OVERHEAD_BYTES
  if (overAll > POOLED_BYTES_OF_CLIENT_MAX) return false
  return leaves < POOL_OF_CLIENT_MAX && bytes + leaf.length <= POOL_BYTES_OF_CLIENT_MAX
}

export function put({ ledger: { pool, memory }, state }: LedgerScene, entry: Pooled, ready: boolean): void {
  pool.entries.set(entry.name, entry)
  memory.keep(memory.of(entry.leaf))
  setReady(pool, entry, ready)
  pool.bytes += entry.leaf.length
  const { leaves, bytes } = pool.shares.get(entry.owner) ?? { leaves: 0, bytes: 0 }
  pool.shares.set(entry.owner, { leaves: leaves + 1, bytes: bytes + entry.leaf.length })
  countOverAll(state, entry, 1)
}

function countOverAll({ pooledBytesOf }: LedgerScene['state'], { owner, leaf }: Pooled, change: 1 | -1): void {
  const bytes = (pooledBytesOf.get(owner) ?? 0) + change * (leaf.length + OVERHEAD_BYTES)
  if (bytes > 0) pooledBytesOf.set(owner, bytes)
  else pooledBytesOf.delete(owner)
}

function setReady(pool: Pool, entry: Pooled, ready: boolean): void {
  if (entry.ready !== ready) pool.ready += ready ? 1 : -1
  entry.ready = ready
}

function drop({ ledger: { pool, memory }, state }: LedgerScene, entry: Pooled): void {
  if (!pool.entries.delete(entry.name)) return
  countOverAll(state, entry, -1)
  memory.forgetNamed(entry.name)
  setReady(pool, entry, false)
  pool.bytes -= entry.leaf.length
  const { leaves, bytes } = pool.shares.get(entry.owner) ?? { leaves: 1, bytes: entry.leaf.length }
  if (leaves > 1) pool.shares.set(entry.owner, { leaves: leaves - 1, bytes: bytes - entry.leaf.length })
  else pool.shares.delete(entry.owner)
}

/** Whether something waits that could be appended now. */
export function hasWork({ pool }: ServedLedger): boolean {
  return pool.ready > 0
}

/** Whether about as much waits as the last height had, or more was waited for long enough: half as many heights. */
export function hasGathered({ ledger, settings, turn }: LedgerScene): boolean {
  const { round, pool, lately, descriptor } = ledger
  if (round.attempt > 1 || 2 * pool.ready >= lately) return true
  if (round.gathersUntil === undefined) {
    round.gathersUntil = turn.now + settings.gatherMax
    serverTimers.set(turn, 'gather', settings.gatherMax, descriptor.hex)
  }
  return turn.now >= round.gathersUntil
}

/** Leaves for one height, in an order in which each can be appended. What can no longer be is told and dropped. */
export function drawBatch(scene: LedgerScene): Uint8Array[] {
  const { ledger, settings } = scene
  const undo: Undo = []
  const how = { ...executionOf(scene), undo }
  const batch: Uint8Array[] = []
  const waiting = new Map<string, Pooled[]>()
  let bytes = 0
  const tryOne = (entry: Pooled): void => {
    const refused = execute(ledger.book, entry.leaf, how)
    if (refused?.code === 'sequence ahead') {
      const list = waiting.get(entry.account!)
      if (list === undefined) waiting.set(entry.account!, [entry])
      else list.push(entry)
    }
    if (refused !== undefined) return
    batch.push(entry.leaf)
    bytes += entry.leaf.length
    const next = entry.account === undefined ? undefined : takeNext(waiting.get(entry.account), entry.sequence + 1)
    const open = ledger.book.descriptor === ledger.descriptor
    if (next !== undefined && open && batch.length < BATCH_MAX && bytes < BATCH_BYTES_MAX) tryOne(next)
  }
  for (const entry of ledger.pool.entries.values()) {
    if (batch.length >= BATCH_MAX || bytes + entry.leaf.length > BATCH_BYTES_MAX) break
    // An epoch ends its height.
    if (ledger.book.descriptor !== ledger.descriptor && settings.rules.endsHeight()) break
    tryOne(entry)
  }
  undoAll(undo)
  return batch
}

function takeNext(list: Pooled[] | undefined, sequence: number): Pooled | undefined {
  const at = list?.findIndex(entry => entry.sequence === sequence) ?? -1
  return at < 0 ? undefined : list!.splice(at, 1)[0]
}

/** After a height: what is in is answered, what can no longer be appended is refused, the rest is ready or waits. */
export function sweepPool(scene: LedgerScene): void {
  const { ledger } = scene
  const asked = new Map<NodeId, { readonly query: number; readonly index: number }[]>()
  for (const entry of [...ledger.pool.entries.values()]) {
    const index = ledger.indexes.get(entry.name)
    if (index === undefined) {
      sweepEntry(scene, entry)
      continue
    }
    drop(scene, entry)
    for (const { client, query } of entry.askers) {
      if (query === 0) continue
      const known = asked.get(client)
      if (known === undefined) asked.set(client, [{ query, index }])
      else known.push({ query, index })
    }
  }
  for (const [client, all] of asked) giveReceipts(scene, client, all)
  if (ledger.place < 0) for (const entry of [...ledger.pool.entries.values()]) drop(scene, entry)
}

/** What one client asked for, under one certificate: it is written, sent, read and checked once for all of them. */
function giveReceipts(
  scene: LedgerScene,
  to: NodeId,
  asked: readonly { readonly query: number; readonly index: number }[],
): void {
  const { ledger, settings } = scene
  const { head, tree } = ledger
  for (let at = 0; at < asked.length; at += RECEIPTS_MAX) {
    const receipts = asked
      .slice(at, at + RECEIPTS_MAX)
      .map(({ query, index }) => ({ query, index, path: inclusionProof(tree, index, head.size, settings.suite.hash) }))
    send(scene, to, { kind: 'receipts', checkpoint: head, receipts })
  }
}

function sweepEntry(scene: LedgerScene, entry: Pooled): void {
  const { ledger } = scene
  const refused = whyNotNow(ledger.book, entry.leaf, executionOf(scene))
  setReady(ledger.pool, entry, refused === undefined)
  if (refused === undefined || mayWait(scene, entry.leaf, refused)) return
  drop(scene, entry)
  for (const { client, query } of entry.askers) giveRefusal(scene, client, query, refused)
}

export function giveReceipt(scene: LedgerScene, to: NodeId, query: number, index: number): void {
  const { ledger, settings } = scene
  if (query === 0) return
  const path = inclusionProof(ledger.tree, index, ledger.head.size, settings.suite.hash)
  send(scene, to, { kind: 'receipt', query, leaf: ledger.leaves[index]!, index, path, checkpoint: ledger.head })
}

function giveRefusal(scene: LedgerScene, to: NodeId, query: number, { code, why }: Refusal): void {
  if (query === 0) return
  send(scene, to, { kind: 'refused', query, code, why: shortened(why), size: scene.ledger.head.size })
}
