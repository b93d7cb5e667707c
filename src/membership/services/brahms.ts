// Brahms (Bortnikov, Gurevich, Keidar, Kliot, Shraer 2009): sampling that a coalition cannot take over.
//
// Members push their own name, and pull views. A round in which more pushes came than chance explains is thrown away: it is
// an attack. Beside the view, each member keeps samplers: each remembers the name with the smallest hash it ever saw, under
// a hash of its own. However often a name is repeated, it is the smallest with chance 1/n only: history makes samples
// uniform, and part of the view is filled from them, so that a view that was taken over heals.

import type { NodeId } from '../../core/index.ts'

/** Remembers the name with the smallest hash that it was given. */
export interface Sampler {
  readonly key: number
  smallest: number
  id: NodeId | undefined
}

/** How much of a view comes from pushes, pulls and samples. */
export const PUSHED = 0.45
export const PULLED = 0.45

/** A hash of the name under the sampler's key, 32 bits (FNV-1a, mixed). The key is this member's secret. */
export function samplerHash(key: number, id: NodeId): number {
  let hash = key ^ 0x811c9dc5
  for (let place = 0; place < id.length; place++) hash = Math.imul(hash ^ id.charCodeAt(place), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16) ^ key, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Gives a name to all samplers. */
export function feed(samplers: readonly Sampler[], id: NodeId): void {
  for (const sampler of samplers) {
    const hash = samplerHash(sampler.key, id)
    if (sampler.id !== undefined && hash >= sampler.smallest) continue
    sampler.smallest = hash
    sampler.id = id
  }
}

/** A member that is gone must not be sampled for ever. */
export function forget(samplers: readonly Sampler[], id: NodeId): void {
  for (const sampler of samplers) if (sampler.id === id) sampler.id = undefined
}

/**
 * The view after a round, or nothing if the round shows an attack (too many pushes) or brought nothing.
 * `draw` takes a number of items of a list at random.
 */
export function nextView(
  capacity: number,
  pushed: readonly NodeId[],
  pulled: readonly NodeId[],
  sampled: readonly NodeId[],
  draw: (from: readonly NodeId[], count: number) => NodeId[],
): NodeId[] | undefined {
  const pushLimit = Math.ceil(PUSHED * capacity)
  if (pushed.length === 0 || pulled.length === 0 || pushed.length > pushLimit) return undefined
  const pullCount = Math.ceil(PULLED * capacity)
  const fromPush = draw([...new Set(pushed)], pushLimit)
  const fromPull = draw([...new Set(pulled)], pullCount)
  const fromSamples = draw([...new Set(sampled)], Math.max(1, capacity - pushLimit - pullCount))
  return [...new Set([...fromPush, ...fromPull, ...fromSamples])].slice(0, capacity)
}
