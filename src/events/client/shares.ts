// What servers said that too few others say, or that is not read yet: sources that only one of them knows, answers to a
// question, other filters, events beside the filter. Each server has a share of this client's memory for it.
//
// The obvious tables have one bound for all: one that lies invents a hundred thousand sources, they are full, and the true
// ones find no room. What b + 1 servers know leaves the share.

import type { NodeId } from '../../core/index.ts'
import type { ClientScene, ClientState } from './state.ts'

/** Counts so many bytes more of this server's words, if they are within its share. */
export function keep({ state, settings }: ClientScene, server: NodeId, bytes: number): boolean {
  const kept = (state.shares.get(server) ?? 0) + bytes
  if (!settings.rules.mayKeep(kept, settings.shareBytesMax)) return false
  state.shares.set(server, kept)
  return true
}

/** They are read, known to others, or needed no more. */
export function release({ shares }: ClientState, server: NodeId, bytes: number): void {
  const kept = (shares.get(server) ?? 0) - bytes
  if (kept > 0) shares.set(server, kept)
  else shares.delete(server)
}
