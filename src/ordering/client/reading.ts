// Reads without the turn (protocols/ordering, "reads"): a quorum says what it has committed and what was proposed to it.
//
// "b + 1 say that v is committed" alone is stale most of the time: v + 1 may be decided and acknowledged while most
// servers have not heard of it. What is decided was taken by q servers, and b + 1 honest ones of these are among
// those who answer. So v may be read if at most b of them show anything newer.

import { isText, type NodeId, sameBytes } from '../../core/index.ts'
import { compareRanks, LOWEST_RANK } from '../rules.ts'
import type { OrderingSettings } from '../settings.ts'
import { decodeChange } from '../versions/content.ts'
import { digestKey, nextDigest } from '../versions/digest.ts'
import { type Head, KEY_BYTES_MAX, KEYS_MAX, type ServerMessage, type Write } from '../wire.ts'
import { followHeads } from './catching-up.ts'
import type { OrderingCommand } from './commands.ts'
import { drop, serveCopies } from './copy-reads.ts'
import { accuse, hearClaim } from './evidence.ts'
import { silentSessions } from './other-operations.ts'
import { fail, quorumOf, send } from './send.ts'
import { forgetReadings, keep } from './shares.ts'
import type { ClientScene, Reading } from './state.ts'
import { clientTimers, isName, objectOf, wake } from './state.ts'
import { follow } from './watching.ts'

type Readings = ServerMessage & { kind: 'readings' }

/** The first look again comes soon: a commit is on its way. */
const AGAIN_MS = 4
const AGAIN_DOUBLINGS_MAX = 7
/** After this many looks somebody must have left the version half done: it is completed. */
const LOOKS = 5
const READINGS_MAX = 100_000

export function onRead(scene: ClientScene, asked: OrderingCommand & { kind: 'read' }): void {
  start(scene, asked)
}

export function onCopy(scene: ClientScene, asked: OrderingCommand & { kind: 'copy' }): void {
  start(scene, asked)
}

/** A watch begins with a look at the whole table: the replica follows from there. */
export function onWatch(scene: ClientScene, asked: OrderingCommand & { kind: 'watch' }): void {
  const { id, object, from } = asked
  if (isName(object)) {
    objectOf(scene.state, object).watches.set(id, { id, from, reached: undefined, replay: undefined })
  }
  start(scene, asked)
}

function start(scene: ClientScene, asked: OrderingCommand & { kind: 'read' | 'copy' | 'watch' }): void {
  const { state } = scene
  const { id, object } = asked
  const keys = asked.kind === 'read' ? asked.keys : []
  const short = (key: string) => isText(key, KEY_BYTES_MAX)
  if (!isName(object) || keys.length > KEYS_MAX || !keys.every(short)) {
    return fail(scene, id, object, 'invalid', 'did not happen')
  }
  if (state.readings.size >= READINGS_MAX) return fail(scene, id, object, 'crowded', 'did not happen')
  const reading: Reading = {
    id,
    object,
    keys,
    stale: asked.kind === 'read' && asked.stale,
    whole: asked.kind !== 'read',
    target: undefined,
    query: 0,
    askedAt: 0,
    tries: 0,
    waits: 0,
    replies: new Map(),
  }
  objectOf(state, object)
  state.readings.set(id, reading)
  ask(scene, reading)
}

function ask(scene: ClientScene, reading: Reading): void {
  const { state, settings, turn } = scene
  const { object, keys, tries, stale, whole } = reading
  state.queried.delete(reading.query)
  reading.query = ++state.queries
  reading.askedAt = turn.now
  state.queried.set(reading.query, reading.id)
  forgetReadings(state, reading)
  const count = state.servers.length
  const first = turn.below(count)
  for (const [place, server] of state.servers.entries()) {
    const turnOf = (place - first + count) % count
    if (stale && turnOf > 0) continue
    // Values from b + 1 at first; where they do not agree, from all.
    const content = !whole && (turnOf <= settings.liars || tries > 0)
    send(scene, server, { kind: 'read', object, query: reading.query, keys, content })
  }
  const after = settings.retryMin * 2 ** Math.min(tries, 4)
  clientTimers.set(turn, 'read', after, `${reading.id}`)
}

export function onReadTimer(scene: ClientScene, id: number): void {
  const { state } = scene
  const reading = state.readings.get(id)
  if (reading === undefined) return
  reading.tries++
  if (reading.target === undefined) ask(scene, reading)
}

export function onReadings(scene: ClientScene, from: NodeId, answer: Readings): void {
  const { state, settings } = scene
  const reading = state.readings.get(state.queried.get(answer.query) ?? -1)
  if (reading === undefined || reading.object !== answer.object || reading.target !== undefined) return
  if (reading.stale) {
    // What does not fit into an answer is left out, and is not to be taken for nothing.
    if (answer.entries.length !== reading.keys.length) return
    return give(scene, reading, answer.applied, inOrder(reading, answer.entries))
  }
  keepReply(scene, reading, from, answer)
  const object = state.objects.get(reading.object)
  if (object !== undefined) hearClaim(scene, object, from, answer.committed)
  if (reading.replies.size < quorumOf(scene)) return
  if (waitsForEnds(scene, reading)) return
  const head = readable(reading, settings)
  if (head !== undefined && reading.whole) return want(scene, reading, head)
  if (head !== undefined) {
    const entries = entriesAt(reading, head.version, settings)
    if (entries !== undefined) {
      compareEntries(scene, reading, head.version, entries)
      return give(scene, reading, head.version, entries)
    }
  }
  if (!reading.whole && giveProposed(scene, reading)) return
  lookAgain(scene, reading)
}

function keepReply(scene: ClientScene, { id: reading, replies }: Reading, from: NodeId, answer: Readings): void {
  let bytes = answer.change?.length ?? 0
  for (const { key, value } of answer.entries) bytes += key.length + (value?.length ?? 0)
  replies.set(from, answer)
  if (bytes > 0) keep(scene, from, { kind: 'readings', reading }, bytes)
}

/**
 * Where processes with sessions are there, they end what is silent. Where none is, the reader does it before it reads: a
 * lease that was not renewed is over, though nobody was there to say so.
 */
function waitsForEnds(scene: ClientScene, reading: Reading): boolean {
  const { state, settings, turn } = scene
  const object = state.objects.get(reading.object)
  if (object === undefined || object.session.phase !== 'none' || reading.waits >= LOOKS) return false
  if (settings.findApplier(object.name) === undefined) return false
  for (const [server, { silent: sessions }] of reading.replies) {
    object.silent.set(server, { sentAt: reading.askedAt, sessions })
  }
  if (silentSessions(object, settings, turn.now).length === 0) return false
  reading.waits++
  wake(scene, object)
  scene.followUp.looksAgain = reading
  return true
}

/** The newest version that b + 1 call committed, if at most b show anything newer. */
function readable({ replies }: Reading, settings: OrderingSettings): Head | undefined {
  const { rules, liars } = settings
  const counts = new Map<string, number>()
  let best: Head | undefined
  for (const { committed } of replies.values()) {
    const key = `${committed.version} ${digestKey(committed.digest)}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const enough = count >= rules.vouchersNeeded(liars)
    if (enough && (best === undefined || committed.version > best.version)) best = committed
  }
  if (best === undefined) return undefined
  let newer = 0
  for (const { committed, proposed } of replies.values()) {
    if (Math.max(committed.version, proposed?.version ?? 0) > best.version) newer++
  }
  return rules.mayRead(newer, liars) ? best : undefined
}

/** The values at a version, where b + 1 give the same. */
function entriesAt(reading: Reading, version: number, settings: OrderingSettings): readonly Write[] | undefined {
  const needed = settings.rules.vouchersNeeded(settings.liars)
  const given: (readonly Write[])[] = []
  for (const { applied, entries } of reading.replies.values()) {
    if (applied !== version || entries.length !== reading.keys.length) continue
    given.push(inOrder(reading, entries))
  }
  if (reading.keys.length === 0) return []
  return given.find(one => given.filter(other => sameEntries(one, other)).length >= needed)
}

/** Of a version there is one value under a key: who gives another than b + 1 do, lies. */
function compareEntries(scene: ClientScene, reading: Reading, version: number, right: readonly Write[]): void {
  const object = scene.state.objects.get(reading.object)
  if (object === undefined) return
  for (const [server, { applied, entries }] of reading.replies) {
    if (applied !== version || entries.length !== reading.keys.length) continue
    if (!sameEntries(right, inOrder(reading, entries))) accuse(scene, object, server, version, 'values that never were')
  }
}

function inOrder({ keys }: Reading, entries: readonly Write[]): readonly Write[] {
  const values = new Map(entries.map(({ key, value }) => [key, value]))
  return keys.map(key => ({ key, value: values.get(key) }))
}

function sameEntries(a: readonly Write[], b: readonly Write[]): boolean {
  return a.every(({ value }, place) => {
    const other = b[place]!.value
    return value === undefined || other === undefined ? value === other : sameBytes(value, other)
  })
}

/** A version that q servers took in one rank is decided, though nobody says so yet. */
function giveProposed(scene: ClientScene, reading: Reading): boolean {
  const { settings } = scene
  for (const { proposed } of reading.replies.values()) {
    // Of the lowest rank are those who only heard of it.
    if (proposed === undefined || compareRanks(proposed.rank, LOWEST_RANK) === 0) continue
    let count = 0
    let change: Uint8Array | undefined
    for (const reply of reading.replies.values()) {
      const other = reply.proposed
      if (other === undefined || compareRanks(other.rank, proposed.rank) !== 0) continue
      if (other.version !== proposed.version || !sameBytes(other.digest, proposed.digest)) continue
      count++
      if (reply.change === undefined) continue
      const digest = nextDigest(settings.hash, other.parent, other.version, reply.change)
      if (sameBytes(digest, proposed.digest)) change = reply.change
    }
    if (count < quorumOf(scene) || change === undefined) continue
    const base = entriesAt(reading, proposed.version - 1, settings)
    if (base === undefined) return false
    const written = new Map(decodeChange(change).map(({ key, value }) => [key, value]))
    const entries = base.map(entry =>
      written.has(entry.key) ? { key: entry.key, value: written.get(entry.key) } : entry,
    )
    give(scene, reading, proposed.version, entries)
    return true
  }
  return false
}

function lookAgain(scene: ClientScene, reading: Reading): void {
  scene.followUp.looksAgain = reading
  if (reading.tries < LOOKS) return
  const object = objectOf(scene.state, reading.object)
  object.completes = true
  wake(scene, object)
}

export function setLookTimer({ turn }: ClientScene, reading: Reading): void {
  const after = AGAIN_MS * 2 ** Math.min(reading.tries, AGAIN_DOUBLINGS_MAX)
  clientTimers.set(turn, 'read', 1 + turn.below(after), `${reading.id}`)
}

function give(scene: ClientScene, reading: Reading, version: number, entries: readonly Write[]): void {
  const { turn } = scene
  const { id, object } = reading
  drop(scene, reading)
  turn.do({ kind: 'emit', event: { kind: 'value', id, object, version, entries } })
}

/** The whole table is wanted at this version at least: the replica is brought there. */
function want(scene: ClientScene, reading: Reading, head: Head): void {
  const { state } = scene
  const object = objectOf(state, reading.object)
  reading.target = head.version
  object.copies.add(reading.id)
  const there = object.replica.version >= head.version
  // Who watches must hear of what comes, also where the replica is at the newest version already.
  if (!there || object.watches.has(reading.id)) follow(scene, object)
  if (there) return serveCopies(scene, object)
  const vouchers = [...reading.replies].filter(([, reply]) => sameBytes(reply.committed.digest, head.digest))
  const newer = object.wanted !== undefined && object.wanted.version > head.version
  if (!newer) object.wanted = { ...head, vouchers: vouchers.map(([server]) => server) }
  followHeads(scene, object)
}
