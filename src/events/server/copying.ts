// A server whose disk is new must not answer where a durable subscription stands: a newer generation may have stood here and
// at n - f - 1 others, and somebody who asks us and those that have an old one would begin too far ahead.
//
// At the first start of a group its founder saves that it is known; a disk without that is a lost one's successor.
//
// n - f others show it all their cursors first. They share n - 2f with those n - f - 1, so b + 1: one is honest and knows.

import { encode, firstNames, type NodeId } from '../../core/index.ts'
import { isOwnersCursor } from '../signed.ts'
import { COPIED_MAX, type EventsMessage, eventsRecord } from '../wire.ts'
import { remember, whyNot } from './cursors.ts'
import { write } from './disk.ts'
import type { ServerScene } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

/** On each beat of a server whose disk is new. */
export function copyFrom({ state, turn }: ServerScene): void {
  for (const to of state.others) {
    const { next, whole } = state.copied.get(to) ?? { next: '', whole: false }
    if (!whole) turn.do({ kind: 'send', to, body: { kind: 'copy', after: next } })
  }
}

export function onCopy({ state, turn }: ServerScene, from: NodeId, { after }: Message<'copy'>): void {
  if (!state.others.includes(from)) return
  const { names: shown, more } = firstNames(state.cursors.keys(), after, COPIED_MAX)
  const cursors = shown.map(key => state.cursors.get(key)!)
  const body = { after, next: shown.at(-1) ?? after, whole: !more, cursors }
  turn.do({ kind: 'send', to: from, body: { kind: 'copied', ...body } })
}

export function onCopied(scene: ServerScene, from: NodeId, body: Message<'copied'>): void {
  const { state, settings } = scene
  if (!state.fresh || !state.others.includes(from) || body.after !== (state.copied.get(from)?.next ?? '')) return
  for (const cursor of body.cursors) {
    if (!isOwnersCursor(settings, cursor) || whyNot(scene, cursor) !== undefined || !remember(state, cursor)) continue
    write(scene, encode(eventsRecord, { kind: 'cursor', cursor }))
  }
  state.copied.set(from, { next: body.next, whole: body.whole })
  const whole = [...state.copied.values()].filter(one => one.whole).length
  if (whole < Math.min(state.others.length, state.others.length + 1 - settings.crashes)) return
  state.fresh = false
  state.copied.clear()
  // The disk is not new any more, whatever was copied.
  write(scene, encode(eventsRecord, { kind: 'known' }))
}
