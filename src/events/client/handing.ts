// What is checked goes to the handler: of each source in order and one at a time, of different sources at most `parallel` at
// once. What the handler does not acknowledge in time, or fails, comes again.

import { assert } from '../../core/index.ts'
import { readContent } from '../content.ts'
import { type Source, sourceKey } from '../wire.ts'
import { fetchNext } from './fetching.ts'
import { finishTask } from './queueing.ts'
import { type ClientCommand, type ClientScene, type Subscription, type Tracked, tell } from './state.ts'
import { forgetItem } from './tracked.ts'

/** Gives the handler as much as it may have. */
export function handOver(scene: ClientScene, subscription: Subscription): void {
  if (subscription.phase !== 'open') return
  let busy = 0
  for (const one of subscription.tracked.values()) if (one.handed > 0) busy++
  for (const one of subscription.tracked.values()) {
    if (one.handed > 0) continue
    const next = nextOf(one)
    if (next === undefined) {
      if (one.done < one.checked) {
        one.done = one.checked
        subscription.moved = true
      }
      continue
    }
    if (next > one.done + 1) {
      one.done = next - 1
      subscription.moved = true
    }
    if (busy >= subscription.parallel) continue
    busy++
    one.attempt = 1
    give(scene, subscription, one, next)
  }
}

/** The first that is checked and not done: they came in order, and what is done is gone. */
function nextOf({ items, checked, done }: Tracked): number | undefined {
  for (const counter of items.keys()) {
    if (counter > done) return counter <= checked ? counter : undefined
  }
  return undefined
}

function give(scene: ClientScene, { id }: Subscription, one: Tracked, counter: number): void {
  const { source, attempt } = one
  const decoded = readContent(one.items.get(counter)!.content)
  assert(decoded.ok, 'what is kept was read when it came')
  one.handed = counter
  one.handedAt = scene.turn.now
  tell(scene, { kind: 'handed', id, source, counter, content: decoded.value, attempt, dead: false })
}

function handedTo({ state }: ClientScene, id: number, source: Source, counter: number) {
  const subscription = state.subscriptions.get(id)
  const one = subscription?.tracked.get(sourceKey(source))
  return one?.handed === counter ? { subscription: subscription!, one } : undefined
}

export function onAck(scene: ClientScene, command: ClientCommand & { kind: 'ack' }): void {
  const { id, source, counter } = command
  if (scene.state.queues.has(id)) return finishTask(scene, command, false)
  const handed = handedTo(scene, id, source, counter)
  if (handed === undefined) return
  const { subscription, one } = handed
  forgetItem(subscription, one, counter)
  one.done = counter
  one.handed = 0
  subscription.moved = true
  fetchNext(scene, subscription, one)
  handOver(scene, subscription)
}

export function onAgain(scene: ClientScene, command: ClientCommand & { kind: 'again' }): void {
  const { id, source, counter } = command
  if (scene.state.queues.has(id)) return finishTask(scene, command, true)
  const handed = handedTo(scene, id, source, counter)
  if (handed === undefined) return
  handed.one.attempt++
  give(scene, handed.subscription, handed.one, counter)
}

/** On each beat: what the handler has had for too long comes again. */
export function beatHanding(scene: ClientScene, subscription: Subscription): void {
  for (const one of subscription.tracked.values()) {
    if (one.handed === 0 || scene.turn.now - one.handedAt < subscription.ackWait) continue
    one.attempt++
    give(scene, subscription, one, one.handed)
  }
}
