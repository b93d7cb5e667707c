// A client's replica: brought to a version that b + 1 servers vouch for, by changes from any one of them, which are
// checked by the chain of digests.

import type { Millis, NodeId } from '../core/index.ts'
import type { ClientState, Use } from './client-state.ts'
import { advance, decodeChange } from './content.ts'
import { nextDigest, sameBytes } from './digest.ts'
import { accuse } from './evidence.ts'
import { gather, judge } from './gathering.ts'
import type { Head, ServerMessage, Write } from './messages.ts'
import type { KeptChange } from './objects.ts'
import { dropReflected } from './pool.ts'
import { propose } from './proposing.ts'
import { reflected } from './responses.ts'
import type { OrderingSettings } from './settings.ts'
import type { OrderingTurn } from './state.ts'
import { overtaken, pump } from './turns.ts'
import { send } from './uses.ts'
import { tellWatches } from './watching.ts'

/** For so long a source is waited for. */
const SOURCE_MS: Millis = 100

/** Goes on by one version, which is decided and whose change is right. */
export function advanceReplica(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  kept: KeptChange,
  turn: OrderingTurn,
  writes: readonly Write[] = decodeChange(kept.change),
): void {
  const touched = advance(use.replica, kept.version, kept.digest, writes)
  for (const session of touched) {
    dropReflected(use, session)
    reflected(state, settings, use, session, turn)
  }
  tellWatches(use, kept.version, writes, turn)
}

/** What the quorum vouches for, in the words of one who has the change too. */
interface Half {
  readonly parent: Uint8Array
  readonly change: Uint8Array
}

/** The turn is ours: brings the replica to where the choice is, and goes on from there. */
export function completeChoice(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  const choice = use.choice!
  const { replica } = use
  if (replica.version > choice.version) return overtaken(state, settings, use, turn)
  if (choice.committed || replica.version === choice.version) {
    if (!bringTo(state, settings, use, choice, turn)) return ask(state, use, choice, turn)
    return begin(state, settings, use, turn)
  }
  const half = halfDone(settings, use)
  if (half === undefined) return ask(state, use, choice, turn)
  const parent = { version: choice.version - 1, digest: half.parent }
  if (!bringTo(state, settings, use, parent, turn)) return ask(state, use, choice, turn)
  const { version, digest } = choice
  const writes = decodeChange(half.change)
  const counts = { accepted: new Set<NodeId>(), refused: new Map(), operations: 0, sentAt: turn.now }
  propose(state, settings, use, turn, { version, digest, ...half, writes, ...counts })
}

function begin(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  use.phase = 'holding'
  use.gathering = undefined
  turn.do({ kind: 'cancel', name: `turn:${use.object}` })
  turn.do({ kind: 'cancel', name: `sync:${use.object}` })
  pump(state, settings, use, turn)
  // Nothing to do after all: what a read found half done is complete.
  if (use.phase === 'holding') use.completes = false
}

/** Somebody's version that is vouched for and not committed, where we have its change. */
function halfDone(settings: OrderingSettings, use: Use): Half | undefined {
  const { version, digest } = use.choice!
  for (const { proposed, change } of use.replies.values()) {
    if (proposed === undefined || change === undefined || proposed.version !== version) continue
    if (sameBytes(nextDigest(settings.hash, proposed.parent, version, change), digest)) {
      return { parent: proposed.parent, change }
    }
  }
  const last = use.gathering?.changes.at(-1)
  if (last?.version !== version || !sameBytes(last.digest, digest)) return undefined
  const parent = use.gathering!.changes.at(-2)?.digest ?? use.replica.digest
  return { parent, change: last.change }
}

/** Whether the replica is there now, by what was gathered and what came with the replies. */
function bringTo(state: ClientState, settings: OrderingSettings, use: Use, target: Head, turn: OrderingTurn): boolean {
  const { replica } = use
  if (replica.version === target.version) return sameBytes(replica.digest, target.digest)
  if (use.gathering !== undefined && judge(use.gathering, target) === 'right') {
    takeUpTo(state, settings, use, use.gathering.changes, target, turn)
    return true
  }
  for (const [source, { changes }] of use.replies) {
    const gathering = { source, query: 0, changes: [] as KeptChange[] }
    if (changes.length === 0 || !gather(gathering, replica, changes, settings.hash)) continue
    const verdict = judge(gathering, target)
    if (verdict === 'wrong') accuse(state, use, source, target.version, 'changes that do not lead to its digest', turn)
    if (verdict !== 'right') continue
    takeUpTo(state, settings, use, gathering.changes, target, turn)
    return true
  }
  return false
}

function takeUpTo(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  changes: readonly KeptChange[],
  target: Head,
  turn: OrderingTurn,
): void {
  for (const kept of changes) {
    if (kept.version > target.version) return
    if (kept.version === use.replica.version + 1) advanceReplica(state, settings, use, kept, turn)
  }
}

/** Asks one of those who vouch for the changes up to it. */
function ask(state: ClientState, use: Use, target: Head & { readonly vouchers: readonly NodeId[] }, turn: OrderingTurn) {
  if (use.gathering !== undefined) return
  const source = target.vouchers[turn.below(target.vouchers.length)]!
  use.gathering = { source, query: ++state.queries, changes: [] }
  askSource(use, turn)
}

function askSource(use: Use, turn: OrderingTurn): void {
  const { source, query, changes } = use.gathering!
  const from = changes.at(-1)?.version ?? use.replica.version
  send(turn, source, { kind: 'fetch', object: use.object, query, from })
  turn.do({ kind: 'timer', name: `sync:${use.object}`, after: SOURCE_MS })
}

/** The source was slow, short or wrong: another. */
export function syncTimer(state: ClientState, settings: OrderingSettings, use: Use, turn: OrderingTurn): void {
  use.gathering = undefined
  if (use.phase === 'syncing') return completeChoice(state, settings, use, turn)
  followHeads(state, settings, use, turn)
}

export function changesCame(
  state: ClientState,
  settings: OrderingSettings,
  use: Use,
  from: NodeId,
  answer: ServerMessage & { kind: 'changes' },
  turn: OrderingTurn,
): void {
  const { gathering } = use
  if (gathering === undefined || gathering.source !== from || gathering.query !== answer.query) return
  const grew = gather(gathering, use.replica, answer.changes, settings.hash)
  const target = use.phase === 'syncing' ? use.choice! : use.wanted
  if (target === undefined || !grew) return
  switch (judge(gathering, target)) {
    case 'short':
      return askSource(use, turn)
    case 'wrong':
      return accuse(state, use, from, target.version, 'changes that do not lead to its digest', turn)
    case 'right':
      if (use.phase === 'syncing') return completeChoice(state, settings, use, turn)
      takeUpTo(state, settings, use, gathering.changes, target, turn)
      use.gathering = undefined
      turn.do({ kind: 'cancel', name: `sync:${use.object}` })
      return followHeads(state, settings, use, turn)
  }
}

/** Brings the replica to the newest version that b + 1 servers call committed, where somebody wants it there. */
export function followHeads(_state: ClientState, _settings: OrderingSettings, _use: Use, _turn: OrderingTurn): void {}
