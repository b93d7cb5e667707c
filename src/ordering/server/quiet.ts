// Quiet objects (protocols/ordering, "quiet objects"). A server that was away when the last version was decided hears of
// it with the next proposal. Where nobody writes any more there is none: it would stay behind, for hours. So it asks
// the others now and then what they have committed, and believes b + 1 of them.

import { type Millis, type NodeId, sameBytes } from '../../core/index.ts'
import { type Head, INSPECTED_MAX, type RecalledMessage } from '../wire.ts'
import { commitTo } from './committing.ts'
import { objectOf, type ServerObject, type ServerScene } from './state.ts'

/** How often the others are asked: one page of names, the next page the next time. */
export const LOOK_EVERY_MS: Millis = 10_000
/** An object that was proposed to or committed in this time is at work: what it lacks is on its way. */
const QUIET_MS: Millis = 3_000

/** When it is time: asks the others for what comes after the names of the last look. */
export function lookAtQuiet(scene: ServerScene): void {
  const { state, turn } = scene
  const { look } = state
  if (state.servers.length < 2) return
  if (look.at === 0) look.at = state.startedAt + LOOK_EVERY_MS
  if (turn.now < look.at) return
  look.at = turn.now + LOOK_EVERY_MS
  look.query = ++state.queries
  look.newer.clear()
  look.answered.clear()
  const { query, after } = look
  for (const to of state.servers)
    if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'recall', query, after } })
  const names = [...state.objects.keys()].filter(name => name > after).sort()
  look.after = names.length > INSPECTED_MAX ? names[INSPECTED_MAX - 1]! : ''
}

/** One answer from each, of one page: a server that lies can name no more than that. */
export function onRecalled(scene: ServerScene, from: NodeId, { query, objects }: RecalledMessage): void {
  const { state, settings, turn } = scene
  const { look } = state
  if (!state.servers.includes(from) || query !== look.query || look.answered.has(from)) return
  look.answered.add(from)
  for (const { object: name, committed } of objects) {
    const object = state.objects.get(name)
    if (committed.version <= (object?.committed.version ?? 0) || isAtWork(object, turn.now)) continue
    const heads = look.newer.get(name) ?? []
    look.newer.set(name, [...heads, committed])
    const needed = settings.rules.vouchersNeeded(settings.liars)
    if (1 + heads.filter(head => isSame(head, committed)).length >= needed) learn(scene, name, committed)
  }
}

function learn(scene: ServerScene, name: string, head: Head): void {
  const object = objectOf(scene.state, name)
  if (object !== undefined) commitTo(scene, object, head)
}

function isAtWork(object: ServerObject | undefined, now: Millis): boolean {
  return object !== undefined && now < object.spokeAt + QUIET_MS
}

function isSame(one: Head, other: Head): boolean {
  return one.version === other.version && sameBytes(one.digest, other.digest)
}
