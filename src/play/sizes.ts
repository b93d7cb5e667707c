// What all playgrounds share.

import { type NodeId, SettingsError } from '../core/index.ts'
import type { Plan, Playable } from '../simulator/index.ts'

/** `server-1`, `server-2`, … */
export function names(kind: string, count: number): NodeId[] {
  return Array.from({ length: count }, (_, place) => `${kind}-${place + 1}`)
}

/** A size that cannot work is told in the words of the settings. */
export function opening(open: () => Playable): Playable | string {
  try {
    return open()
  } catch (error) {
    if (error instanceof SettingsError || error instanceof RangeError) return error.message
    throw error
  }
}

/** Whether the plan has this client. */
export function hasClient(plan: Plan<unknown>, client: NodeId): boolean {
  return (plan as Plan<unknown> & { readonly clients: readonly string[] }).clients.includes(client)
}
