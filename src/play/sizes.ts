// What all playgrounds share.

import { type NodeId, SettingsError } from '../core/index.ts'
import type { Plan, Playable, RunName } from '../simulator/index.ts'

/** The sizes of a run, where an address leaves some of them out. */
export function sized({ servers, liars = 1, crashes = liars }: RunName, usual: number): Required<Trusted> {
  return { servers: servers ?? usual, liars, crashes }
}

interface Trusted {
  readonly servers: number
  readonly liars: number
  /** Left out where nobody is counted as gone apart from liars. */
  readonly crashes?: number
}

/** The size against what its rule needs, in a sentence. */
export function boundSentence(kind: string, { servers, liars, crashes }: Trusted, needed: number): string {
  const gone = crashes === undefined ? '' : ` and ${crashes} that may be gone`
  const missing = needed - servers
  const state = missing <= 0 ? 'enough' : `${missing === 1 ? 'one' : missing} too few`
  return `${servers} ${kind}; with ${liars} that may lie${gone} it takes ${needed}: ${state}.`
}

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
