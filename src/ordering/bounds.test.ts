// Every map that somebody else's message can fill has a bound for each peer: the list in docs/reference/limits.md, filled
// to the bound and one beyond.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Growing, gapsIn } from '../../test/support/limits.ts'
import { get, SERVERS, TestGroup } from '../../test/support/ordering-group.ts'
import type { NodeId } from '../core/index.ts'
import { ACCUSED_MAX, accuse } from './client/evidence.ts'
import { type ClientObject, type ClientState, newScene } from './client/state.ts'
import { orderingDefaults } from './defaults.ts'
import { brokenOrderingRules } from './proof/planted.ts'
import { CLIENT_BYTES_MAX, OF_CERTIFICATE_MAX, PENDING_BYTES_OF_CLIENT_MAX } from './server/pending.ts'
import { MADE_AT_ONCE_MAX, OBJECTS_MAX, OBJECTS_OF_CLIENT_MAX, type ServerState } from './server/state.ts'
import { UNAPPLIED_BYTES_MAX } from './server/unapplied.ts'
import { WAITING_BYTES_MAX, WAITING_OF_CLIENT_MAX } from './server/vouching.ts'
import { WATCHERS_OF_CLIENT_MAX, WATCHING_OF_CLIENT_MAX } from './server/watchers.ts'
import type { OrderingSettings } from './settings.ts'
import { COPY_AHEAD_BYTES, hearCopy, newCopying, nextSources } from './versions/copying.ts'
import { FIRST_DIGEST, nextDigest } from './versions/digest.ts'
import { addChanges, CHANGE_OVERHEAD_BYTES, FETCHED_BYTES_MAX, isFull } from './versions/fetched-changes.ts'
import { GATHERED_BYTES_MAX } from './versions/gathering.ts'
import { COMPLAINTS_SHOWN_MAX, type OrderingMessage, type RecalledObject } from './wire.ts'

const MIB = 2 ** 20
const NOTHING = { version: 0, digest: FIRST_DIGEST }
/** What is in the bytes does not matter here. */
const hash = () => new Uint8Array(32)
const named = (object: string, client: string): OrderingMessage => ({ ...get(1, client), object }) as OrderingMessage

/** A proposal that rests on a version which nobody knows. */
function unknown(version: number, client: string, bytes: number): OrderingMessage & { kind: 'propose' } {
  const parent = new Uint8Array(32).fill(9)
  const change = new Uint8Array(bytes)
  const digest = nextDigest(orderingDefaults.hash, parent, version, change)
  return { kind: 'propose', object: 'o', rank: { counter: 1, client }, version, parent, digest, change }
}

type Lagging = Pick<ClientObject, 'name' | 'fetching' | 'copying'>

/** A client, or a server, that lacks many versions of each of these objects; nobody answers but by hand. */
function lagging(who: NodeId, count: number): { group: TestGroup; objects: () => (() => Lagging)[] } {
  const change = { rules: brokenOrderingRules('any-version-is-committed'), liars: 1, hash }
  const group = new TestGroup(SERVERS, change)
  group.lost = () => true
  const head = { version: 1_000, digest: new Uint8Array(32).fill(7) }
  const names = Array.from({ length: count }, (_, place) => `o${place}`)
  if (who === 'c') group.join('c', { liars: 1, hash })
  for (const object of names) {
    if (who !== 'c') {
      group.hear('c', who, { kind: 'commit', object, rank: { counter: 1, client: 'c' }, ...head })
      continue
    }
    group.do('c', { kind: 'copy', id: Number(object.slice(1)) + 1, object })
    for (const server of SERVERS) group.hear(server, 'c', { kind: 'committed', object, head, change: undefined })
  }
  const { objects } = group.hosts.get(who)!.state as { objects: ReadonlyMap<string, Lagging> }
  return { group, objects: () => names.map(name => () => objects.get(name)!) }
}

/** An answer of 15 MiB to what is asked for. */
function tellChanges(group: TestGroup, who: NodeId, { name: object, fetching }: Lagging): void {
  const { source, query } = fetching!
  const changes = Array.from({ length: 15 }, (_, at) => ({ version: 1 + at, change: LARGE }))
  const before = { object, query, from: 0, base: FIRST_DIGEST, committed: NOTHING, known: true }
  group.hear(source, who, { kind: 'changes', ...before, changes })
}
const LARGE = new Uint8Array(MIB - CHANGE_OVERHEAD_BYTES)

function tellPage(group: TestGroup, who: NodeId, { name: object, copying }: Lagging, source: NodeId, at: number): void {
  if (copying?.copies.has(source) !== true) return
  const entries = [{ key: String(at).padStart(3, '0'), value: LARGE }]
  group.hear(source, who, { kind: 'entries', object, query: copying.query, applied: NOTHING, entries, more: true })
}

/** By the constant: filled to the bound, and one beyond. Each says how much is kept. */
const cases: Record<string, () => void> = {
  shareBytesMax() {
    const group = new TestGroup(SERVERS)
    group.join('c', { liars: 1 })
    group.do('c', { kind: 'copy', id: 1, object: 'o' })
    const kept = () => (group.hosts.get('c')!.state as ClientState).shares.get('s1')?.bytes ?? 0
    const head = (version: number) => ({ version, digest: FIRST_DIGEST })
    for (let version = 2; version < 17; version++) {
      group.hear('s1', 'c', { kind: 'committed', object: 'o', head: head(version), change: new Uint8Array(MIB) })
    }
    const full = kept()
    expect(full).toBeGreaterThan(14 * MIB)
    for (let version = 17; version < 20; version++) {
      group.hear('s1', 'c', { kind: 'committed', object: 'o', head: head(version), change: new Uint8Array(MIB) })
    }
    expect(kept()).toBeLessThanOrEqual(orderingDefaults.shareBytesMax)
  },
  ACCUSED_MAX() {
    const group = new TestGroup(SERVERS)
    group.join('c')
    group.do('c', { kind: 'copy', id: 1, object: 'o' })
    const state = group.hosts.get('c')!.state as ClientState
    const turn = { now: 0, below: () => 0, bytes: () => FIRST_DIGEST, do: () => {} }
    const scene = newScene(state, orderingDefaults, turn)
    for (let i = 0; i <= ACCUSED_MAX; i++) accuse(scene, group.clientObject('c'), 's1', 1, `lie ${i}`)
    accuse(scene, group.clientObject('c'), 's2', 1, 'another liar has its own')
    expect([...state.accused.values()].map(({ size }) => size)).toEqual([ACCUSED_MAX, 1])
  },
  FETCHED_BYTES_MAX() {
    const fetching = { source: 's1', query: 1, changes: [] }
    const more = (version: number) => [{ version, change: new Uint8Array(MIB - CHANGE_OVERHEAD_BYTES) }]
    for (let version = 1; version <= FETCHED_BYTES_MAX / MIB; version++) {
      expect(isFull(fetching)).toBe(false)
      expect(addChanges(fetching, NOTHING, more(version), hash, FETCHED_BYTES_MAX)).toBe(true)
    }
    expect(isFull(fetching)).toBe(true)
    expect(addChanges(fetching, NOTHING, more(FETCHED_BYTES_MAX / MIB + 1), hash, FETCHED_BYTES_MAX)).toBe(false)
  },
  COPY_AHEAD_BYTES() {
    const copying = newCopying(1, ['s1', 's2'], 0)
    const page = (at: number): OrderingMessage & { kind: 'entries' } => {
      const entries = [{ key: String(at).padStart(3, '0'), value: new Uint8Array(MIB - 3 - CHANGE_OVERHEAD_BYTES) }]
      return { kind: 'entries', object: 'o', query: 1, applied: NOTHING, entries, more: true }
    }
    const pages = COPY_AHEAD_BYTES / MIB
    for (let at = 0; at < pages; at++) {
      hearCopy(copying, 's1', page(at), hash, 0)
      expect(nextSources(copying, 0, () => true)).toEqual(['s1'])
    }
    hearCopy(copying, 's1', page(pages), hash, 0)
    expect(nextSources(copying, 0, () => true)).toEqual([])
    // The slow one catches up by a page, and both go on.
    hearCopy(copying, 's2', page(0), hash, 0)
    expect(nextSources(copying, 0, () => true)).toEqual(['s1', 's2'])
  },
  GATHERED_BYTES_MAX() {
    for (const who of ['c', 's3']) {
      const { group, objects } = lagging(who, 60)
      const { gathered } = group.hosts.get(who)!.state as ClientState | ServerState
      // All are asked of one. What it gives is taken until it has given so much; the other objects are copied, from others first.
      const asked = objects().map(object => object().fetching!.source)
      for (const object of objects()) tellChanges(group, who, object())
      const fetched = objects().flatMap(object => object().fetching?.changes ?? [])
      expect(new Set(asked).size).toBe(1)
      expect(fetched.length * MIB).toBeGreaterThan(GATHERED_BYTES_MAX / 2)
      expect(fetched.length * MIB).toBeLessThanOrEqual(GATHERED_BYTES_MAX)
      const first = objects().flatMap(object => object().copying?.copies.keys().next().value ?? [])
      expect(first.length).toBeGreaterThan(40)
      expect(first).not.toContain(asked[0])
      // One source of the copies gives what is asked for and beyond; the others are silent.
      const [liar] = first.slice(-1) as [NodeId]
      for (let at = 0; at < 80; at++) for (const object of objects()) tellPage(group, who, object(), liar, at)
      const kept = objects().reduce((sum, object) => sum + (object().copying?.copies.get(liar)?.bytes ?? 0), 0)
      expect(kept).toBeGreaterThan(GATHERED_BYTES_MAX / 2)
      expect(kept).toBeLessThanOrEqual(GATHERED_BYTES_MAX + COPY_AHEAD_BYTES + 2 * MIB)
      expect(gathered.bytes.get(liar)).toBe(kept)
    }
  },
  CLIENT_BYTES_MAX() {
    const group = new TestGroup(SERVERS)
    const submit = (client: string, seq: number, bytes: number) => {
      const operation = { kind: 'apply', client, session: '9.0', seq, ack: 1, body: new Uint8Array(bytes) } as const
      return group.tell(client, 's1', { kind: 'submit', object: 'o', operations: [operation] })
    }
    for (let seq = 0; seq < 4; seq++) expect(submit(`c#${seq}`, seq, CLIENT_BYTES_MAX / 4 - 64)).toEqual([])
    expect(submit('c#9', 9, 0)).toMatchObject([{ kind: 'full', what: 'operations' }])
    expect(submit('d#1', 10, 1_000)).toEqual([])
    expect([...group.server('s1').pendingBytesOf]).toEqual([
      ['c', CLIENT_BYTES_MAX],
      ['d', 1_064],
    ])
  },
  PENDING_BYTES_OF_CLIENT_MAX() {
    const group = new TestGroup(SERVERS)
    const submit = (client: string, object: string, bytes: number) => {
      const operation = { kind: 'apply', client, session: '9.0', seq: 1, ack: 1, body: new Uint8Array(bytes) } as const
      return group.tell(client, 's1', { kind: 'submit', object, operations: [operation] })
    }
    const share = PENDING_BYTES_OF_CLIENT_MAX / 16
    for (let place = 0; place < 16; place++) expect(submit(`c#${place}`, `o${place}`, share - 64)).toEqual([])
    expect(submit('c#1', 'one more', 0)).toMatchObject([{ kind: 'full', what: 'operations' }])
    expect(submit('d#1', 'one more', 1_000)).toEqual([])
    // What is not asked for again is forgotten, and the share is free.
    group.pass(61_000)
    expect(group.state('s1').pendingBytesOf.size).toBe(0)
    expect(submit('c#1', 'one more', 0)).toEqual([])
  },
  OF_CERTIFICATE_MAX() {
    const group = new TestGroup(SERVERS)
    const submit = (client: string, place: number, count: number) => {
      const operations = Array.from({ length: count }, (_, seq) => {
        return { kind: 'apply', client, session: `9.${place}`, seq, ack: 1, body: new Uint8Array(0) } as const
      })
      return group.tell(client, 's1', { kind: 'submit', object: 'o', operations })
    }
    for (let place = 0; place < 5; place++) expect(submit(`c#${place}`, place, OF_CERTIFICATE_MAX / 5)).toEqual([])
    expect(submit('c#9', 9, 1)).toMatchObject([{ kind: 'full', what: 'operations' }])
    expect(submit('d#1', 10, 1_000)).toEqual([])
    expect(group.server('s1').pending.size).toBe(OF_CERTIFICATE_MAX + 1_000)
  },
  WATCHERS_OF_CLIENT_MAX() {
    const group = new TestGroup(SERVERS)
    const watch = (client: string) => group.tell(client, 's1', { kind: 'watch', object: 'o', have: 0, content: false })
    for (let place = 0; place < WATCHERS_OF_CLIENT_MAX; place++) {
      expect(watch(`c#${place}`)).toMatchObject([{ kind: 'committed' }])
    }
    expect(watch('c#more')).toMatchObject([{ kind: 'full', what: 'watchers' }])
    expect(watch('c#0')).toMatchObject([{ kind: 'committed' }])
    expect(watch('d#1')).toMatchObject([{ kind: 'committed' }])
    group.tell('c#0', 's1', { kind: 'unwatch', object: 'o' })
    expect(watch('c#more')).toMatchObject([{ kind: 'committed' }])
    expect(group.server('s1').watchers.size).toBe(WATCHERS_OF_CLIENT_MAX + 1)
  },
  WATCHING_OF_CLIENT_MAX() {
    const group = new TestGroup(SERVERS)
    const watch = (object: string, client = 'c#1') =>
      group.tell(client, 's1', { kind: 'watch', object, have: 0, content: false })
    watch('a')
    group.state('s1').watching.set('c', WATCHING_OF_CLIENT_MAX - 1)
    expect(watch('b')).toMatchObject([{ kind: 'committed' }])
    expect(watch('c')).toMatchObject([{ kind: 'full', what: 'watchers' }])
    expect(watch('b')).toMatchObject([{ kind: 'committed' }])
    expect(watch('c', 'd#1')).toMatchObject([{ kind: 'committed' }])
    group.state('s1').watching.set('c', 2)
    // Who is not heard of again is forgotten.
    group.pass(60_000)
    expect(group.state('s1').watching.size).toBe(0)
  },
  OBJECTS_OF_CLIENT_MAX() {
    const group = new TestGroup(SERVERS)
    group.state('s1').made.set('c', { all: OBJECTS_OF_CLIENT_MAX - 1, since: 0, lately: 0 })
    expect(group.tell('c#1', 's1', named('last', 'c#1'))).toMatchObject([{ kind: 'got' }])
    expect(group.tell('c#1', 's1', named('beyond', 'c#1'))).toMatchObject([{ kind: 'full' }])
  },
  MADE_AT_ONCE_MAX() {
    const group = new TestGroup(SERVERS)
    for (let i = 0; i <= MADE_AT_ONCE_MAX; i++) group.hear('c#1', 's1', named(`n${i}`, 'c#1'))
    expect(group.state('s1').objects.size).toBe(MADE_AT_ONCE_MAX)
  },
  WAITING_OF_CLIENT_MAX() {
    const group = new TestGroup(SERVERS)
    for (let i = 0; i <= WAITING_OF_CLIENT_MAX; i++) group.hear(`c#${i}`, 's1', unknown(10 + i, `c#${i}`, 0))
    group.hear('d#1', 's1', unknown(10, 'd#1', 0))
    expect(group.server('s1').waiting).toHaveLength(WAITING_OF_CLIENT_MAX + 1)
  },
  WAITING_BYTES_MAX() {
    const group = new TestGroup(SERVERS)
    for (let i = 0; i < 4; i++) {
      group.hear('c#1', 's1', { ...unknown(10, 'c#1', WAITING_BYTES_MAX / 4 - 1_024), object: `o${i}` })
    }
    group.hear('c#1', 's1', { ...unknown(10, 'c#1', 1), object: 'beyond' })
    group.hear('d#1', 's1', unknown(10, 'd#1', 1_000))
    // A commit brings no change: for a hundred thousand objects it would still be 270 MB, and as many questions.
    const commit = (object: string, version: number): OrderingMessage => {
      return { kind: 'commit', object, rank: { counter: 1, client: 'eve#1' }, version, digest: FIRST_DIGEST }
    }
    const { made, waitingBytesOf, objects } = group.state('s1')
    for (let i = 0; i < 5_000; i++) {
      made.delete('eve')
      for (let version = 9; version < 13; version++) group.hear('eve#1', 's1', commit(`e${i}`, version))
    }
    const waiting = [...objects.values()].flatMap(({ waiting }) => waiting.filter(({ from }) => from === 'eve#1'))
    expect(waiting).toHaveLength(WAITING_BYTES_MAX / 1_024)
    expect([...waitingBytesOf]).toEqual([
      ['c', WAITING_BYTES_MAX],
      ['d', 2_024],
      ['eve', WAITING_BYTES_MAX],
    ])
    group.lost = () => true
    group.pass(3_000)
    expect(waitingBytesOf.size).toBe(0)
  },
  UNAPPLIED_BYTES_MAX() {
    const group = new TestGroup(SERVERS, { rules: brokenOrderingRules('any-version-is-committed') })
    group.lost = ({ body }) => body.kind === 'fetch'
    let parent: Uint8Array = new Uint8Array(32).fill(9)
    const send = (version: number, bytes: number) => {
      const change = new Uint8Array(bytes)
      const digest = nextDigest(orderingDefaults.hash, parent, version, change)
      const rank = { counter: 1, client: 'c' }
      group.hear('c', 's1', { kind: 'propose', object: 'o', rank, version, parent, digest, change })
      if (group.server('s1').proposed?.version === version) parent = digest
    }
    // The last one that is taken is the proposal itself, which waits for none.
    for (let version = 10; version <= 10 + UNAPPLIED_BYTES_MAX / MIB + 3; version++) send(version, MIB)
    const { unapplied, proposed } = group.server('s1')
    expect([...unapplied.values()].reduce((sum, { change }) => sum + change.length, 0)).toBe(UNAPPLIED_BYTES_MAX)
    expect(proposed?.version).toBe(10 + UNAPPLIED_BYTES_MAX / MIB)
  },
  COMPLAINTS_SHOWN_MAX() {
    const group = new TestGroup(SERVERS)
    for (let i = 0; i <= COMPLAINTS_SHOWN_MAX; i++) {
      group.hear(`c${i}#1`, 's1', { kind: 'complain', object: 'o', server: 's2', version: 1, what: 'x' })
    }
    expect(group.state('s1').complaints.lines.size).toBe(COMPLAINTS_SHOWN_MAX)
  },
  OBJECTS_MAX() {
    const rejoins: Partial<OrderingSettings> = { rejoins: true, attemptMax: 10 }
    const group = new TestGroup(SERVERS)
    group.serve('s3', rejoins)
    group.lost = ({ from }) => from === 's1' || from === 's2'
    group.pass(20)
    const { query, recalled } = group.state('s3').rejoin!
    const tell = (from: number, count: number) => {
      const objects = Array.from({ length: count }, (_, at): RecalledObject => {
        return {
          object: `n${from + at}`,
          promised: { counter: 1, client: 'c' },
          committed: NOTHING,
          proposed: undefined,
        }
      })
      group.hear('s1', 's3', { kind: 'recalled', query, objects, more: true })
    }
    tell(0, OBJECTS_MAX)
    tell(OBJECTS_MAX, 500)
    tell(OBJECTS_MAX + 500, 500)
    expect(recalled.get('s1')!.objects.size).toBeLessThanOrEqual(OBJECTS_MAX + 500)
  },
}

describe('what a peer can fill', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/limits.md'), 'utf8')
  const section = page.split('## What a peer can fill: objects')[1]!.split('\n## ')[0]!
  const listed = [...section.matchAll(/\| `(\w+)` in \[/g)].map(([, name]) => name!)

  it('is listed, and each has its case', () => expect(Object.keys(cases).sort()).toEqual([...listed].sort()))
  it.each(Object.keys(cases))('%s', name => cases[name]!())
})

// A new field that can grow belongs into this list, with its bound.
describe('the list is whole: nothing that grows is without a bound', () => {
  const GROWING: Growing = {
    'Proposal.writes': 'WRITES_MAX',
    'Waiting.vouchers': 'one for each server',
    'ServerObject.recent': 'the settings recentChangesMax and recentBytesMax',
    'ServerObject.unapplied': 'UNAPPLIED_BYTES_MAX',
    'ServerObject.doubtful': 'DOUBTFUL_MAX',
    'ServerObject.waiting': 'WAITING_OF_CLIENT_MAX',
    'ServerObject.pending': 'PENDING_MAX',
    'ServerObject.pendingOf': 'PENDING_MAX',
    'ServerObject.pendingBytesOf': 'PENDING_MAX',
    'ServerObject.watchers': 'WATCHERS_OF_CLIENT_MAX',
    'ServerObject.heard': 'one for each session of the object',
    'ServerObject.silent': 'one for each session of the object',
    'ServerObject.muted': 'one for each session of the object',
    'ServerObject.listed': 'the keys of the object',
    'Checkpoint.objects': 'OBJECTS_MAX',
    'Checkpoint.keys': 'the keys of an object',
    'Rejoin.recalled': 'OBJECTS_MAX',
    'Rejoin.halves': 'OBJECTS_MAX',
    'QuietLook.answered': 'one for each server',
    'QuietLook.newer': 'a page of each server',
    'ServerState.servers': 'one for each server',
    'ServerState.objects': 'OBJECTS_OF_CLIENT_MAX',
    'ServerState.tombstones': 'TOMBSTONES_MAX',
    'ServerState.made': 'one for each client',
    'ServerState.beyond': 'BEYOND_MAX',
    'ServerState.unvouched': 'UNVOUCHED_MAX',
    'ServerState.waitingBytesOf': 'WAITING_BYTES_MAX',
    'ServerState.pendingBytesOf': 'PENDING_BYTES_OF_CLIENT_MAX',
    'ServerState.watching': 'WATCHING_OF_CLIENT_MAX',
    'OwnSession.pings': 'its own: what its user asked for',
    'OwnSession.echoes': 'one for each server',
    'OwnSession.gone': 'one for each server',
    'OwnSession.named': 'one for each server',
    'OwnProposal.writes': 'its own: what its user asked for',
    'OwnProposal.accepted': 'one for each server',
    'OwnProposal.refused': 'one for each server',
    'Pool.opens': 'POOL_MAX',
    'Pool.operations': 'POOL_MAX',
    'Pool.votes': 'the setting shareBytesMax',
    'Replay.later': 'LATER_MAX',
    'SilentReport.sessions': 'one for each session of the object',
    'ClientObject.queue': 'its own: what its user asked for',
    'ClientObject.outstanding': 'IN_FLIGHT_MAX',
    'ClientObject.responses': 'one for each server and operation on its way',
    'ClientObject.silentContacts': 'one for each server',
    'ClientObject.heardAt': 'one for each server',
    'ClientObject.counters': 'one for each server',
    'ClientObject.replies': 'the setting shareBytesMax',
    'ClientObject.refused': 'one for each server',
    'ClientObject.busy': 'one for each server',
    'ClientObject.wanted': 'one for each server',
    'ClientObject.heads': 'the setting shareBytesMax',
    'ClientObject.claims': 'one for each server',
    'ClientObject.silent': 'one for each server',
    'ClientObject.watches': 'its own: what its user asked for',
    'ClientObject.copies': 'its own: what its user asked for',
    'Reading.keys': 'its own: what its user asked for',
    'Reading.replies': 'the setting shareBytesMax',
    'Deletion.outcomes': 'one for each server',
    'Repair.outcomes': 'one for each server',
    'Inspection.servers': 'one for each server',
    'Share.words': 'the setting shareBytesMax',
    'ClientState.servers': 'one for each server',
    'ClientState.objects': 'its own: what its user asked for',
    'ClientState.readings': 'its own: what its user asked for',
    'ClientState.queried': 'its own: what its user asked for',
    'ClientState.inspections': 'INSPECTIONS_MAX',
    'ClientState.repairs': 'REPAIRS_MAX',
    'ClientState.deletions': 'REPAIRS_MAX',
    'ClientState.accused': 'ACCUSED_MAX',
    'ClientState.shares': 'the setting shareBytesMax',
    'FetchedChanges.changes': 'FETCHED_BYTES_MAX',
    'Copying.copies': 'one for each server',
    'Copy.changes': 'COPY_AHEAD_BYTES',
    'Gathered.bytes': 'one for each server',
    'Gathered.of': 'GATHERED_BYTES_MAX',
    'Gathered.copied': 'one for each object',
  }

  it('of the states', () =>
    expect(
      gapsIn(
        [
          'ordering/server/state.ts',
          'ordering/client/state.ts',
          'ordering/versions/fetched-changes.ts',
          'ordering/versions/copying.ts',
          'ordering/versions/gathering.ts',
        ],
        GROWING,
      ),
    ).toEqual([]))
})
