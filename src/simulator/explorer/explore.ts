// Tries every interleaving of a small system, breadth first, so that the story of a failure is a shortest one.
// `always` must hold in every state; each `sometimes` must hold in at least one, or the proof is of an idle system.

import { beginnings, expand, keyOf, type Packed } from './packed.ts'
import { type Moment, type System, unreduced } from './system.ts'
import { Tables } from './tables.ts'

/** Whether something holds in one state. */
export type Property = (moment: Moment, system: System) => boolean

/** What must hold always, and what must be seen sometimes. */
export interface Properties {
  readonly always: Readonly<Record<string, Property>>
  readonly sometimes: Readonly<Record<string, Property>>
}

/** What the explorer found. */
export interface Exploration {
  /** Every state that can be reached was looked at. */
  readonly complete: boolean
  readonly states: number
  readonly transitions: number
  /** Every state that this number of steps leads to was looked at. */
  readonly depth: number
  /** The first broken property, and the shortest way to it. */
  readonly broken: { readonly property: string; readonly story: readonly string[] } | undefined
  readonly sometimes: Readonly<Record<string, boolean>>
}

/** How far the explorer looks. */
export interface ExploreOptions {
  readonly statesMax?: number
  /** Looks no further than this number of steps from the beginning. */
  readonly depthMax?: number
  readonly progress?: (states: number, waiting: number) => void
  /** False: without symmetry, essence and settled messages. For tests that compare. */
  readonly reduced?: boolean
}

/** About 1.5 GB; a Set ends at 2^24. */
const STATES_MAX = 8_000_000
const PROGRESS_EVERY = 10_000

/** Tries every schedule of a small system. */
export function explore(whole: System, properties: Properties, options: ExploreOptions = {}): Exploration {
  const statesMax = options.statesMax ?? STATES_MAX
  const reduced = options.reduced ?? true
  const system = reduced ? whole : unreduced(whole)
  const tables = new Tables(system, reduced)
  const always = Object.entries(properties.always)
  const unreached = new Map(Object.entries(properties.sometimes))
  const seen = new Set<string>()
  const labels: string[] = []
  const parents: number[] = []
  let transitions = 0
  let depth = 0
  let parent = -1
  let broken: { property: string; index: number } | undefined
  let below: { packed: Packed; index: number }[] = []

  const visit = (packed: Packed, label: string) => {
    transitions++
    if (broken !== undefined) return
    const key = keyOf(tables, packed)
    if (seen.has(key)) return
    seen.add(key)
    const index = labels.push(label) - 1
    parents.push(parent)
    below.push({ packed, index })
    if (seen.size % PROGRESS_EVERY === 0) options.progress?.(seen.size, below.length)
    const moment = { tick: packed.tick, nodes: packed.locals.map(local => tables.locals[local]!.node) }
    for (const [name, holds] of unreached) if (holds(moment, system)) unreached.delete(name)
    const property = always.find(([, holds]) => !holds(moment, system))?.[0]
    if (property !== undefined) broken = { property, index }
  }
  const story = (index: number): string[] => {
    const lines: string[][] = []
    for (let at = index; at >= 0; at = parents[at]!) lines.push(labels[at]!.split('\n'))
    return lines.reverse().flat()
  }
  const result = (complete: boolean): Exploration => ({
    complete,
    states: seen.size,
    transitions,
    depth,
    broken: broken && { property: broken.property, story: story(broken.index) },
    sometimes: Object.fromEntries(Object.keys(properties.sometimes).map(name => [name, !unreached.has(name)])),
  })

  beginnings(tables, visit)
  while (below.length > 0) {
    if (depth === options.depthMax) return result(false)
    const layer = below
    below = []
    for (const { packed, index } of layer) {
      parent = index
      expand(tables, packed, visit)
      if (broken !== undefined || seen.size > statesMax) return result(false)
    }
    if (below.length > 0) depth++
  }
  return result(broken === undefined)
}
