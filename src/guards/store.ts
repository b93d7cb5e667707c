// Where a guard keeps the largest token of each resource.

import { checkValue, Unavailable, whole } from '../core/index.ts'
import { type Decision, decide } from './decision.ts'

/** Remembers the largest token of each resource. */
export interface TokenStore {
  /**
   * Decides on a token and remembers it, in one step. When it resolves with a pass, the token is kept as safely as
   * this store keeps anything. A store never forgets: to forget a token is to let a stale one pass.
   */
  admit(resource: string, token: bigint): Promise<Decision>
}

/** A full map of names of 512 bytes is some 60 MB. Beyond it, new names are refused; none is forgotten. */
const RESOURCES_MAX = 100_000

/**
 * Tokens in the memory of this process. Right for resources that live and end with it. A restart forgets, and a
 * stale write then passes: for anything that outlives the process take `fileTokens` or the PostgreSQL guard.
 */
export function memoryTokens(resourcesMax = RESOURCES_MAX): TokenStore {
  checkValue('resourcesMax', whole(0), resourcesMax)
  const largest = new Map<string, bigint>()
  return {
    async admit(resource, token) {
      const seen = largest.get(resource)
      if (seen === undefined && largest.size >= resourcesMax) throw tooManyResources(resourcesMax)
      const decision = decide(seen, token)
      largest.set(resource, decision.seen)
      return decision
    },
  }
}

export function tooManyResources(resourcesMax: number): Unavailable {
  return new Unavailable(
    `this guard keeps tokens of ${resourcesMax} resources and is full; it never forgets one. Use fewer names, or raise resourcesMax.`,
  )
}
