// A protocol's suite of explorations: small systems by name, each with what must always hold in it and what it must reach,
// and for each planted bug a system in which the bug breaks something and the unbroken rules do not.
//
// A protocol says how a system is built from its options, what always holds, and what may be reached; `explorationSuite`
// then makes named systems of them, and explores by name.

import { type Exploration, type ExploreOptions, explore, type Properties, type Property } from './explore.ts'
import type { System } from './system.ts'

/** A small system, and what it is about. */
export interface NamedSystem {
  readonly about: string
  /** As far as it is explored, where not to its end. */
  readonly depth?: number
  readonly system: () => System
  readonly properties: Properties
}

/** What was found in the system of that name. */
export interface NamedExploration extends Exploration {
  readonly system: string
}

/** What a suite is made of. */
export interface SuiteParts<Options, Sometimes extends string> {
  build(options: Options): System
  always(options: Options): Readonly<Record<string, Property>>
  /** Everything that a system of this protocol may reach; each system names what it must. */
  readonly sometimes: Readonly<Record<Sometimes, Property>>
}

/** The explorations of one protocol. */
export interface ExplorationSuite<Options, Sometimes extends string> {
  /** With `depth`, it is explored to that number of steps from the beginning, and not to its end. */
  named(about: string, options: Options & { readonly depth?: number }, ...reached: readonly Sometimes[]): NamedSystem
  /** Explores one of these systems, by name. */
  exploring(systems: Readonly<Record<string, NamedSystem>>): ExploreByName
  /** Explores the system of a planted bug, with the bug or, to compare, without. */
  exploringBugs(systems: Readonly<Record<string, Options>>): ExploreBug
}

/** Explores a system, by name. */
export interface ExploreByName {
  (name: string, options?: ExploreOptions): NamedExploration
  /** The system itself, to walk through. */
  of(name: string): NamedSystem
}
/** Explores the system of a planted bug, with the bug or without. */
export interface ExploreBug {
  (bug: string, planted?: boolean, options?: ExploreOptions): NamedExploration
  of(bug: string, planted?: boolean): NamedSystem
}

/** Makes a protocol's explorations out of its small systems and properties. */
export function explorationSuite<Options extends { readonly bug?: string | undefined }, Sometimes extends string>(
  parts: SuiteParts<Options, Sometimes>,
): ExplorationSuite<Options, Sometimes> {
  return {
    named(about, { depth, ...rest }, ...reached) {
      const options = rest as unknown as Options
      const sometimes = Object.fromEntries(reached.map(name => [name, parts.sometimes[name]]))
      const properties = { always: parts.always(options), sometimes }
      return { about, ...(depth !== undefined && { depth }), system: () => parts.build(options), properties }
    },
    exploring(systems) {
      const of = (name: string) => chosen(systems, name, 'system')
      const exploring = (name: string, options?: ExploreOptions) => {
        const { system, properties, depth } = of(name)
        const depthMax = depth === undefined ? {} : { depthMax: depth }
        return { system: name, ...explore(system(), properties, { ...depthMax, ...options }) }
      }
      return Object.assign(exploring, { of })
    },
    exploringBugs(systems) {
      const of = (bug: string, planted = true): NamedSystem => {
        const sound = chosen(systems, bug, 'system for a planted bug')
        const options = planted ? { ...sound, bug } : sound
        return { about: bug, system: () => parts.build(options), properties: propertiesOf(options) }
      }
      const propertiesOf = (options: Options) => ({ always: parts.always(options), sometimes: {} })
      const exploring = (bug: string, planted = true, options?: ExploreOptions) => {
        const { system, properties } = of(bug, planted)
        return { system: bug, ...explore(system(), properties, options) }
      }
      return Object.assign(exploring, { of })
    },
  }
}

function chosen<T>(from: Readonly<Record<string, T>>, name: string, what: string): T {
  const found = from[name]
  if (found === undefined) throw new RangeError(`no ${what} '${name}'; there are: ${Object.keys(from).join(', ')}`)
  return found
}
