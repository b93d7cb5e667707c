// This process's own operations: numbered in the order of its commands, in one session for an object.

import { isText, type Millis, type Outcome } from '../core/index.ts'
import type { ClientScene, ClientState, Use } from './client-state.ts'
import { BODY_BYTES_MAX, OBJECT_BYTES_MAX, type Operation, SESSION_TTL_MAX, UNACKNOWLEDGED_MAX } from './messages.ts'
import { tellSpeakers } from './speakers.ts'
import type { FailedReason, OrderingCommand } from './state.ts'
import { pump } from './turns.ts'
import { useOf } from './uses.ts'

/** In flight at once; the others wait in line. Fewer than the responses that a session keeps. */
const IN_FLIGHT_MAX = UNACKNOWLEDGED_MAX / 2
const IN_FLIGHT_BYTES_MAX = BODY_BYTES_MAX
const QUEUE_MAX = 100_000
const TTL_MIN: Millis = 100
const NONCE_BYTES = 16

export function fail(scene: ClientScene, id: number, object: string, reason: FailedReason, outcome: Outcome): void {
  const { turn } = scene
  turn.do({ kind: 'emit', event: { kind: 'failed', id, object, reason, outcome, answers: {} } })
}

export function isName(object: string): boolean {
  return isText(object, OBJECT_BYTES_MAX)
}

export function open(scene: ClientScene, asked: OrderingCommand & { kind: 'open' }): void {
  const { state, turn } = scene
  const { id, object, ttl } = asked
  const valid = isName(object) && Number.isInteger(ttl) && ttl >= TTL_MIN && ttl <= SESSION_TTL_MAX
  if (!valid) return fail(scene, id, object, 'invalid', 'did not happen')
  const use = useOf(state, object)
  const { session } = use
  if (session.phase === 'opening' || session.phase === 'open')
    return fail(scene, id, object, 'crowded', 'did not happen')
  resetSession(use)
  session.phase = 'opening'
  session.opener = id
  session.nonce = turn.bytes(NONCE_BYTES)
  session.ttl = ttl
  session.since = turn.now
  if (asked.wall !== undefined) use.wallLead = asked.wall - turn.now
  pump(scene, use)
  if (use.phase === 'waiting') submitOpen(scene, use)
}

function resetSession(use: Use): void {
  const { session } = use
  session.id = ''
  session.pings.clear()
  session.echoes.clear()
  session.gone.clear()
  session.named.clear()
  use.outstanding.clear()
  use.outstandingBytes = 0
  use.responses.clear()
  use.seq = 1
  use.submitted = 0
}

export function submit(
  scene: ClientScene,
  asked: {
    readonly id: number
    readonly object: string
    readonly kind: 'apply' | 'end'
    readonly body: Uint8Array
    readonly more?: boolean
  },
): void {
  const { state } = scene
  const { id, object, kind, body } = asked
  if (!isName(object) || body.length > BODY_BYTES_MAX) return fail(scene, id, object, 'invalid', 'did not happen')
  const use = state.uses.get(object)
  if (use === undefined || use.session.phase === 'none' || use.session.phase === 'lost') {
    return fail(scene, id, object, 'no session', 'did not happen')
  }
  if (use.queue.length >= QUEUE_MAX) return fail(scene, id, object, 'crowded', 'did not happen')
  use.queue.push({ id, kind, body })
  launch(use)
  if (asked.more !== true) pump(scene, use)
}

/** Gives numbers to what waits in line, as far as there is room. */
export function launch(use: Use): void {
  if (use.session.phase !== 'open') return
  while (use.queue.length > 0 && use.outstanding.size < IN_FLIGHT_MAX) {
    const { id, kind, body } = use.queue[0]!
    if (use.outstanding.size > 0 && use.outstandingBytes + body.length > IN_FLIGHT_BYTES_MAX) return
    use.queue.shift()
    use.outstanding.set(use.seq++, { id, kind, body })
    use.outstandingBytes += body.length
  }
}

export function hasOwnWork(use: Use): boolean {
  return use.session.phase === 'opening' || use.outstanding.size > 0
}

export function ownOpen(state: ClientState, { session }: Use): (Operation & { kind: 'open' }) | undefined {
  if (session.phase !== 'opening') return undefined
  return { kind: 'open', client: state.self, nonce: session.nonce, ttl: session.ttl }
}

/** Everything that this process has asked for and that is not answered. */
export function ownWords(state: ClientState, use: Use): readonly Operation[] {
  const open = ownOpen(state, use)
  return open === undefined ? ownOperations(state, use) : [open, ...ownOperations(state, use)]
}

type OwnOperation = Operation & { kind: 'apply' | 'end' }

/** From a number on, in their order. */
export function ownOperations(state: ClientState, use: Use, from = 0): OwnOperation[] {
  if (use.session.phase !== 'open') return []
  const session = use.session.id
  const client = state.self
  const ack = firstOutstanding(use)
  const found: OwnOperation[] = []
  for (const [seq, { kind, body }] of use.outstanding) {
    if (seq < from) continue
    if (kind === 'apply') found.push({ kind, client, session, seq, ack, body })
    else found.push({ kind, client, session, seq, ack })
  }
  return found
}

/** Everything before it is answered. Insertion is in the order of numbers, so the first is the smallest. */
function firstOutstanding(use: Use): number {
  const { value, done } = use.outstanding.keys().next()
  return done ? use.seq : value
}

/** While another has the turn, the servers are told of what is new, and tell whoever has it. */
export function submitNew(scene: ClientScene, use: Use): void {
  const { state } = scene
  if (use.submitted >= use.seq) return
  const operations = ownOperations(state, use, use.submitted)
  use.submitted = use.seq
  if (operations.length > 0) tellSpeakers(scene, use, operations)
}

export function submitOpen(scene: ClientScene, use: Use): void {
  const { state } = scene
  const operation = ownOpen(state, use)
  if (operation !== undefined) tellSpeakers(scene, use, [operation])
}
