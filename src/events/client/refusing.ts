// Servers that do not keep a subscription, its cursor or a queue, because its client has its share there. One that lies may
// say so too: what more than f of them refuse is over, with their reason.

import type { NodeId } from '../../core/index.ts'
import { type EventsMessage, REFUSALS } from '../wire.ts'
import { passOver } from './members.ts'
import { end } from './opening.ts'
import { leaveQueue, passOverQueue } from './queueing.ts'
import { type ClientScene, tell } from './state.ts'

type Message<Kind extends EventsMessage['kind']> = EventsMessage & { kind: Kind }

export function onRefused(scene: ClientScene, from: NodeId, { sub, why }: Message<'refused'>): void {
  const { state } = scene
  if (!state.servers.includes(from)) return
  const subscription = state.subscriptions.get(sub)
  const queue = state.queues.get(sub)
  const refusedBy = (subscription ?? queue)?.refusedBy
  if (refusedBy === undefined) return
  refusedBy.set(from, why)
  if (refusedBy.size <= scene.settings.crashes) {
    // Another server may have room for it.
    if (subscription?.phase === 'open') passOver(scene, subscription, from)
    if (queue !== undefined) passOverQueue(scene, queue, from)
    return
  }
  tell(scene, { kind: 'refused', id: sub, why: mostSaid([...refusedBy.values()]) })
  if (subscription !== undefined) end(scene, subscription)
  else leaveQueue(scene, sub)
}

/** The reason that most of them give. */
function mostSaid(said: readonly number[]): string {
  const times = (why: number) => said.filter(other => other === why).length
  const [most] = [...said].sort((one, other) => times(other) - times(one))
  return REFUSALS[most!]!
}
