// Small systems of which every schedule is tried, for a worker of the page: each is done within 200,000 states. A planted bug
// gives a shortest story, which becomes a trace to look at.

import { exploreLock, explorePlanted, lockSystems, plantedSystems } from '../lock/proof/index.ts'
import {
  exploreOrdering,
  exploreOrderingBug,
  orderingSystems,
  plantedOrderingSystems,
} from '../ordering/proof/index.ts'
import type { Exploration, TraceEntry } from '../simulator/index.ts'

/** What can be explored in a page. */
export interface Explorable {
  readonly protocol: 'lock' | 'ordering'
  readonly name: string
  readonly about: string
  /** A planted bug, which it finds. */
  readonly planted: boolean
}

/** More would take a page too long. */
export const STATES_MAX = 200_000
/** Those that end within it. */
const SMALL = {
  lock: ['list-restart', 'list', 'list-time', 'list-duplicate', 'faults', 'restart'],
  ordering: ['read', 'one', 'gone'],
} as const

function sound(
  protocol: 'lock' | 'ordering',
  systems: Readonly<Record<string, { readonly about: string }>>,
): Explorable[] {
  const small: readonly string[] = SMALL[protocol]
  return Object.entries(systems)
    .filter(([name]) => small.includes(name))
    .map(([name, { about }]) => ({ protocol, name, about, planted: false }))
}

function planted(protocol: 'lock' | 'ordering', bugs: Readonly<Record<string, unknown>>): Explorable[] {
  return Object.keys(bugs).map(name => ({ protocol, name, about: 'a planted bug', planted: true }))
}

/** Every system and every planted bug that a page explores. */
export const explorables: readonly Explorable[] = [
  ...sound('lock', lockSystems),
  ...sound('ordering', orderingSystems),
  ...planted('lock', plantedSystems),
  ...planted('ordering', plantedOrderingSystems),
]

/** Tries every schedule. `tell` is called now and then with the states so far. */
export function exploreHere(what: Explorable, tell: (states: number) => void = () => {}): Exploration {
  const options = { statesMax: STATES_MAX, progress: tell }
  const { name } = what
  if (what.protocol === 'lock') return what.planted ? explorePlanted(name, true, options) : exploreLock(name, options)
  return what.planted ? exploreOrderingBug(name, true, options) : exploreOrdering(name, options)
}

/** A millisecond for each step: in an exploration only the order counts. */
const STEP = 1_000

/** The shortest story as a trace: what a diagram draws. */
export function storyTrace(story: readonly string[]): TraceEntry[] {
  return story.flatMap((line, place): TraceEntry[] => {
    const at = (place + 1) * STEP
    const message = /^(\S+) → (\S+): (.*)$/.exec(line)
    if (message !== null) {
      const [, from, node, what] = message as unknown as [string, string, string, string]
      return [{ at, kind: 'deliver', node, from, sentAt: at - STEP, what }]
    }
    const own = /^(\S+): (.*)$/.exec(line)
    if (own === null) return []
    const [, node, what] = own as unknown as [string, string, string]
    if (what.startsWith('timer ')) return [{ at, kind: 'timer', node, what: what.slice('timer '.length) }]
    return [{ at, kind: what.startsWith('crashes') ? 'crash' : 'command', node, what }]
  })
}
