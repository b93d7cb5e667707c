// Servers tell each other what they hold, and fetch what they lack. It always runs, and not after a lost disk alone: an
// author that dies leaves up to f honest servers behind, and a subscription may live on exactly those.
//
// On each beat one other server is asked for the heads that changed since it was last asked. What comes back is signed by
// its author, and who gives what is not is named; where nobody lies, any server's word is enough. What does not come is asked for again at each turn (lacking.ts).

import type { NodeId } from '../../core/index.ts'
import { endingWhole } from '../items.ts'
import { sizeOf } from '../signed.ts'
import { BATCH_MAX, type EventsMessage, ITEMS_BYTES_MAX, type Item, isSource, sourceKey } from '../wire.ts'
import { copyFrom } from './copying.ts'
import { cutOld, keepAccount } from './cutting.ts'
import { markOf, newOther, note, wantedNow } from './lacking.ts'
import { beatQueues } from './queueing.ts'
import { drop, headsFor } from './serving.ts'
import { IDLE_BEATS, type ServerScene, type ServerState, SILENT_BEATS, type Stream, serverTimers } from './state.ts'
import { takeRange } from './storing.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** Whether nobody needs its beat: it holds nothing, and nobody follows. */
export function isIdle({ streams, followers, queues, fresh }: ServerState): boolean {
  return streams.size === 0 && followers.size === 0 && queues.size === 0 && !fresh
}

/** Somebody wants something. */
export function wake({ state, settings, turn }: ServerScene): void {
  state.spoken = turn.now
  if (state.woke !== undefined) return
  state.woke = turn.now
  serverTimers.set(turn, 'beat', settings.beat)
}

export function onBeat(scene: ServerScene): void {
  const { state, settings, turn } = scene
  if (isIdle(state) && turn.now - state.spoken > IDLE_BEATS * settings.beat) {
    state.woke = undefined
    return
  }
  serverTimers.set(turn, 'beat', settings.beat)
  const silent = turn.now - SILENT_BEATS * settings.beat
  for (const [key, follower] of state.followers) if (follower.heard < silent) drop(state, key)
  cutOld(scene)
  keepAccount(scene)
  beatQueues(scene)
  const other = state.others[state.next]
  if (other === undefined) {
    state.fresh = false
    return
  }
  state.next = (state.next + 1) % state.others.length
  const known = state.heard.get(other)
  const mark = known === undefined ? 0 : markOf(scene, known)
  turn.do({ kind: 'send', to: other, body: { kind: 'compare', epoch: known?.epoch ?? '', mark } })
  if (state.fresh) copyFrom(scene)
}

export function onCompare(scene: ServerScene, from: NodeId, { epoch, mark }: Message<'compare'>): void {
  if (!scene.state.others.includes(from)) return
  scene.turn.do({ kind: 'send', to: from, body: headsFor(scene, epoch, mark, 0) })
}

export function onHeads(scene: ServerScene, from: NodeId, body: Message<'heads'>): void {
  const { state, settings, turn } = scene
  if (!state.others.includes(from) || body.sub !== 0) return
  const known = state.heard.get(from)
  const other = known?.epoch === body.epoch ? known : newOther(turn.now)
  state.heard.set(from, other)
  other.heard = turn.now
  other.epoch = body.epoch
  other.mark = body.mark
  if (!settings.rules.repairs()) return
  note(scene, other, body.entries.filter(isSource))
  for (const source of wantedNow(scene, other)) {
    const after = state.streams.get(sourceKey(source))?.held ?? 0
    turn.do({ kind: 'send', to: from, body: { kind: 'want', source, after } })
  }
}

export function onWant(scene: ServerScene, from: NodeId, { source, after }: Message<'want'>): void {
  const { state, turn } = scene
  const stream = state.streams.get(sourceKey(source))
  if (!state.others.includes(from) || stream === undefined || stream.held <= after) return
  const { terms, base } = stream
  if (!isBelievable(scene, stream)) return
  const items: Item[] = []
  let bytes = 0
  for (let counter = Math.max(after, base) + 1; counter <= stream.held && items.length < BATCH_MAX; counter++) {
    const item = stream.items.get(counter)
    if (item === undefined) break
    bytes += sizeOf(item)
    if (items.length > 0 && bytes > ITEMS_BYTES_MAX) break
    items.push(item)
  }
  if (items.length === 0) return
  turn.do({ kind: 'send', to: from, body: { kind: 'range', source, terms, base, items: endingWhole(items) } })
}

// Whoever gives events that nobody signed is called a liar. A server that does not know, or know any more, under which
// certificate a source was signed gives nothing of it.
function isBelievable({ settings: { liars, keys } }: ServerScene, { source, terms }: Stream): boolean {
  return liars === 0 || keys?.keyOf(source.author, terms.identity) !== undefined
}

export function onRange(scene: ServerScene, from: NodeId, body: Message<'range'>): void {
  if (!scene.state.others.includes(from) || !isSource(body.source)) return
  takeRange(scene, from, body)
}
