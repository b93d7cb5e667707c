// Servers that lie about objects, knowing the words. Each twists what the honest machine would say.

import type { AnyProtocol, Turn } from '../../core/index.ts'
import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'
import type { Hash } from '../settings.ts'
import { encodeChange } from '../versions/content.ts'
import { nextDigest } from '../versions/digest.ts'
import {
  type ClientMessage,
  COUNTER_MAX,
  DIGEST_BYTES,
  type Head,
  type Operation,
  type OrderingMessage,
  type ProposedHead,
  type ServerMessage,
} from '../wire.ts'

type AnyTurn = Turn<OrderingMessage, never>
type Twist = (body: ServerMessage, to: string, turn: AnyTurn) => ServerMessage | undefined

function telling(name: string, twist: Twist): Liar {
  return twisting(name, ({ to, body }, turn) => {
    const twisted = twist(body as unknown as ServerMessage, to, turn)
    if (twisted !== undefined) turn.do({ kind: 'send', to, body: twisted })
  })
}

const isOdd = (client: string) => client.charCodeAt(client.length - 1) % 2 === 1
const utf8 = new TextEncoder()
const forgedValue = (text: string) => utf8.encode(JSON.stringify(text))

/** A version that nobody proposed, rightly chained to what is committed: another one for every client. */
function invented(committed: Head, to: string, hash: Hash) {
  const change = encodeChange([{ key: 'key x', value: forgedValue(`forged for ${to}`) }])
  const version = committed.version + 1
  const digest = nextDigest(hash, committed.digest, version, change)
  const rank = { counter: COUNTER_MAX - 1, client: 'zzz' }
  return { change, proposed: { version, digest, parent: committed.digest, rank } }
}

/** Shows each client another proposal, of the highest rank, that nobody made. */
function twoFaced(hash: Hash): Liar {
  return telling('two-faced', (body, to) => withInvented(body, to, hash))
}

export function withInvented(body: ServerMessage, to: string, hash: Hash): ServerMessage {
  if (body.kind === 'got' || body.kind === 'readings') return { ...body, ...invented(body.committed, to, hash) }
  return body
}

/** Calls committed what nobody proposed. */
function aheadOfTime(hash: Hash): Liar {
  return telling('ahead-of-time', (body, to) => aheadOf(body, to, hash))
}

export function aheadOf(body: ServerMessage, to: string, hash: Hash): ServerMessage {
  if (body.kind !== 'got' && body.kind !== 'readings' && body.kind !== 'pong') return body
  const { version, digest } = invented(body.committed, isOdd(to) ? 'odd' : 'even', hash).proposed
  return { ...body, committed: { version, digest } }
}

/** Refuses every rank, in the name of one just above it. */
const refusing: Liar = telling('refusing', refused)

export function refused(body: ServerMessage): ServerMessage {
  if (body.kind !== 'got' && body.kind !== 'accepted') return body
  const { object, rank } = body
  const promised = { counter: rank.counter + 1, client: 'zzz' }
  return { kind: 'refused', object, rank, promised, proof: new Uint8Array(0) }
}

/** Says that a rank was promised beyond which there is hardly another. */
const rankBurner: Liar = telling('rank-burner', body => {
  if (body.kind === 'pong') return { ...body, promised: COUNTER_MAX }
  if (body.kind !== 'got' && body.kind !== 'accepted' && body.kind !== 'busy') return body
  const { object, rank } = body
  const promised = { counter: COUNTER_MAX, client: 'zzz' }
  return { kind: 'refused', object, rank, promised, proof: new Uint8Array(0) }
})

/** Tells of operations that nobody submitted, in sessions that live. */
const inventing: Liar = telling('inventing', body => {
  if (body.kind === 'pushed') return { ...body, operations: body.operations.map(falsified) }
  if (body.kind !== 'got' && body.kind !== 'accepted') return body
  const more = body.pending.flatMap(operation => [falsified(operation), ...next(operation)])
  return { ...body, pending: more }
})

function falsified(operation: Operation): Operation {
  if (operation.kind !== 'apply') return operation
  return { ...operation, body: forgedValue('nobody') }
}

function next(operation: Operation): Operation[] {
  return operation.kind === 'apply' ? [{ ...falsified(operation), seq: operation.seq + 1 } as Operation] : []
}

/** Answers with results that never were, and calls living sessions gone. */
const misanswering: Liar = telling('misanswering', (body, to) => {
  if (body.kind === 'pong') return { kind: 'gone', object: body.object, session: body.session, version: 1_000 }
  if (body.kind !== 'answered') return body
  const { object, session } = body
  if (isOdd(to) && body.responses.length === 0) return { kind: 'gone', object, session, version: 1_000 }
  const responses = body.responses.map(response => ({ ...response, body: forgedValue('wrong') }))
  return { ...body, responses }
})

/** Hands out content that is not what it vouches for. */
const contentForger: Liar = telling('content-forger', body => {
  const change = encodeChange([{ key: 'key x', value: forgedValue('forged') }])
  switch (body.kind) {
    case 'got':
    case 'changes': {
      const changes = body.changes.map(({ version }) => ({ version, change }))
      return body.kind === 'got' && body.change !== undefined ? { ...body, change, changes } : { ...body, changes }
    }
    case 'readings':
    case 'entries':
      return { ...body, entries: body.entries.map(({ key }) => ({ key, value: forgedValue('forged') })) }
    case 'committed':
      return body.change === undefined ? body : { ...body, change }
    default:
      return body
  }
})

/** Goes on as if what it said first about an object were still so. */
function stale(): Liar {
  const first = new Map<string, ServerMessage & { kind: 'got' }>()
  return telling('stale', body => {
    if (body.kind !== 'got') return body
    if (!first.has(body.object)) first.set(body.object, body)
    return { ...first.get(body.object)!, rank: body.rank }
  })
}

/** Stands by the first of those that were proposed to it as a version: above all others, and committed. */
function lifting(): Liar {
  const first = new Map<string, ProposedHead>()
  return telling('lifting', body => {
    if ((body.kind !== 'got' && body.kind !== 'readings') || body.proposed === undefined) return body
    const name = `${body.object} ${body.proposed.version}`
    if (!first.has(name)) first.set(name, body.proposed)
    const proposed = { ...first.get(name)!, rank: { counter: COUNTER_MAX - 1, client: 'zzz' } }
    return { ...body, committed: { version: proposed.version, digest: proposed.digest }, proposed }
  })
}

/** There for some clients only. */
const choosy: Liar = telling('choosy', (body, to) => (isOdd(to) ? body : undefined))

/** Says that it is always another's turn. */
const alwaysBusy: Liar = telling('always-busy', body => {
  if (body.kind !== 'got') return body
  return { kind: 'busy', object: body.object, rank: body.rank, promised: body.rank, remaining: 1_000_000 }
})

/** Calls every session silent. */
const undertaker: Liar = telling('undertaker', body => {
  if (body.kind !== 'got' && body.kind !== 'accepted' && body.kind !== 'pong' && body.kind !== 'readings') return body
  return { ...body, silent: ['1.0', '1.1', '2.0', '2.1', '3.0'] }
})

/** Vouches for whatever it is asked. */
const yesSaying: Liar = telling('yes-saying', body => (body.kind === 'vouched' ? { ...body, known: true } : body))

const FLOOD_OPERATIONS = 50
const FLOOD_VERSIONS = 8
const FLOOD_BYTES = 8 * 2 ** 10

/**
 * Says with every word as much beside it as it may: of one operation another body each time, and of versions that nobody
 * proposed, with large changes. A client that keeps it all, or searches through it, does nothing else any more.
 */
function flooding(): Liar {
  let said = 0
  return twisting('flooding', ({ to, body }, turn) => {
    turn.do({ kind: 'send', to, body })
    const { kind, object } = body as unknown as ServerMessage & { object: string }
    if (kind !== 'got' && kind !== 'accepted' && kind !== 'answered' && kind !== 'pong') return
    const operations = Array.from({ length: FLOOD_OPERATIONS }, (): Operation => {
      const of = { client: 'client-1', session: '1.0', seq: 1_000, ack: 1 }
      return { kind: 'apply', ...of, body: forgedValue(`flood ${said++}`) }
    })
    turn.do({ kind: 'send', to, body: { kind: 'pushed', object, operations } })
    for (let i = 0; i < FLOOD_VERSIONS; i++) {
      const digest = new Uint8Array(DIGEST_BYTES).fill(said++ % 256)
      const head = { version: 1_000_000 + (said % 10_000), digest }
      turn.do({ kind: 'send', to, body: { kind: 'committed', object, head, change: new Uint8Array(FLOOD_BYTES) } })
    }
  })
}

/**
 * Without memory, for the explorer: to every get and read, that nothing was done since the start, and that something was
 * that nobody proposed; the network chooses what arrives. It takes every proposal, and keeps none.
 */
export function inventor(start: Head, hash: Hash): AnyProtocol {
  return {
    name: 'ordering server, inventor',
    init: () => ({}),
    step(_state, input, turn) {
      if (input.kind !== 'message') return
      for (const body of bothFaces(start, hash, input.from, input.body as ClientMessage)) {
        turn.do({ kind: 'send', to: input.from, body })
      }
    },
  }
}

function bothFaces(start: Head, hash: Hash, to: string, asked: ClientMessage): ServerMessage[] {
  const nothing = { committed: start, proposed: undefined, change: undefined }
  const something = { committed: start, ...invented(start, to, hash) }
  switch (asked.kind) {
    case 'get': {
      const { object, rank } = asked
      const rest = { object, rank, changes: [], pending: [], silent: [] }
      return [nothing, something].map(face => ({ kind: 'got', ...rest, ...face }))
    }
    case 'read': {
      const { object, query, keys } = asked
      const entries = keys.map(key => ({ key, value: undefined }))
      const rest = { object, query, applied: start.version, entries }
      return [nothing, something].map(face => ({ kind: 'readings', ...rest, ...face, silent: [] }))
    }
    case 'propose': {
      const { object, rank, version, digest } = asked
      return [{ kind: 'accepted', object, rank, version, digest, pending: [], silent: [] }]
    }
    default:
      return []
  }
}

/** Fresh ones for each run: some remember. */
export function orderingLiars(hash: Hash): readonly Liar[] {
  const own = [twoFaced(hash), aheadOfTime(hash), refusing, rankBurner, inventing, misanswering, contentForger]
  return [...own, stale(), lifting(), choosy, alwaysBusy, undertaker, yesSaying, flooding(), ...generalLiars()]
}
