// Small systems of which every schedule is tried, for a worker of the page. A planted bug gives a shortest story, which becomes a
// walk: a run that one can go through, change and send, by its address (address.ts).

import {
  type ExploreBug,
  type ExploreByName,
  type NamedExploration,
  type NamedSystem,
  retrace,
} from '../../simulator/index.ts'

/** What was found; where a promise is broken, the steps of the walk that breaks it. */
export interface Explored extends NamedExploration {
  readonly steps?: readonly number[]
}

/** What of one protocol can be explored in a page. */
export interface Explorer {
  readonly protocol: string
  readonly title: string
  /** Systems that are done within `STATES_MAX`. */
  readonly systems: readonly { readonly name: string; readonly about: string }[]
  /** Planted bugs, each of which it finds. */
  readonly bugs: readonly string[]
  /** Tries every schedule. `tell` is called now and then with the states so far. */
  explore(name: string, tell?: (states: number) => void): Explored
  /** The system of that name, or of that planted bug, to walk through; nothing where there is none. */
  system(name: string): NamedSystem | undefined
}

/** More would take a page too long. */
export const STATES_MAX = 300_000

interface Suite {
  readonly protocol: string
  readonly title: string
  readonly systems: Readonly<Record<string, { readonly about: string; readonly depth?: number }>>
  readonly planted: Readonly<Record<string, unknown>>
  readonly explore: ExploreByName
  readonly exploreBug: ExploreBug
  /** Systems that end within what a page tries; left out where all do. */
  readonly small?: readonly string[]
}

/** A protocol's explorations as a page offers them. */
export function explorerOf({ systems, planted, small, ...suite }: Suite): Explorer {
  const offered = Object.entries(systems).filter(([name]) => small === undefined || small.includes(name))
  return {
    protocol: suite.protocol,
    title: suite.title,
    systems: offered.map(([name, { about }]) => ({ name, about })),
    bugs: Object.keys(planted),
    explore: (name, tell = () => {}) => {
      const options = { statesMax: STATES_MAX, progress: tell }
      if (!Object.hasOwn(planted, name)) return suite.explore(name, options)
      const found = suite.exploreBug(name, true, options)
      const walk = found.broken && retrace(suite.exploreBug.of(name), found.broken.story)
      return walk === undefined ? found : { ...found, steps: walk.steps }
    },
    system: name => {
      if (Object.hasOwn(planted, name)) return suite.exploreBug.of(name)
      return Object.hasOwn(systems, name) ? suite.explore.of(name) : undefined
    },
  }
}
