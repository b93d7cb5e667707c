// How a server's words leave it.

import type { NodeId } from '../../core/process.ts'
import type { ServerMessage } from '../wire.ts'
import type { ServerScene } from './state.ts'

export function reply(scene: ServerScene, to: NodeId, body: ServerMessage): void {
  const { turn } = scene
  turn.do({ kind: 'send', to, body })
}

/** For words that are true whatever becomes of this server's saves: they do not wait for its disk. */
export function replyAtOnce(scene: ServerScene, to: NodeId, body: ServerMessage): void {
  const { turn } = scene
  turn.do({ kind: 'send', to, body, lane: 'at once' })
}
