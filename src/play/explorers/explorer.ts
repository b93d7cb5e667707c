// Small systems of which every schedule is tried, for a worker of the page. A planted bug gives a shortest story, which becomes a
// trace to look at; the system and the bug name it, so its name is its address.

import type { ExploreBug, ExploreByName, NamedExploration, TraceEntry } from '../../simulator/index.ts'

/** What of one protocol can be explored in a page. */
export interface Explorer {
  readonly protocol: string
  readonly title: string
  /** Systems that are done within `STATES_MAX`. */
  readonly systems: readonly { readonly name: string; readonly about: string }[]
  /** Planted bugs, each of which it finds. */
  readonly bugs: readonly string[]
  /** Tries every schedule. `tell` is called now and then with the states so far. */
  explore(name: string, tell?: (states: number) => void): NamedExploration
}

/** More would take a page too long. */
export const STATES_MAX = 200_000

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
      return Object.hasOwn(planted, name) ? suite.exploreBug(name, true, options) : suite.explore(name, options)
    },
  }
}

/** A millisecond for each step: in an exploration only the order counts. */
const STEP = 1_000
/** A message that is kept to be delivered once more. */
const AGAIN = / \(and again later\)$/

/** The shortest story as a trace: what a diagram draws. A message is drawn from its sender's last step before it arrives. */
export function storyTrace(story: readonly string[]): TraceEntry[] {
  const steps = new Map<string, number>()
  const lines = story.flatMap(line => line.split('\n'))
  return lines.flatMap((line, place): TraceEntry[] => {
    const at = place * STEP
    const message = /^(\S+) → (\S+): (.*)$/.exec(line)
    const own = /^(\S+): (.*)$/.exec(line)
    if (message === null && own === null) return []
    if (message !== null) {
      const [, from, node, text] = message as unknown as [string, string, string, string]
      const sentAt = steps.get(from) ?? at - STEP
      steps.set(node, at)
      return [{ at, kind: 'deliver', node, from, sentAt, what: spokenText(text) }]
    }
    const [, node, what] = own as unknown as [string, string, string]
    steps.set(node, at)
    if (what.startsWith('timer ')) return [{ at, kind: 'timer', node, what: what.slice('timer '.length) }]
    return [{ at, kind: what.startsWith('crashes') ? 'crash' : 'command', node, what }]
  })
}

/** `{asked:1,kind:"grant",list:[]}` as a trace has it: `grant asked=1`. */
function spokenText(text: string): string {
  const word = /\bkind:"([\w-]+)"/.exec(text)?.[1]
  if (word === undefined) return text
  const plain = text
    .replace(AGAIN, '')
    .slice(1, -1)
    .replace(/[[{][^[\]{}]*[\]}]/g, '')
  const fields = [...plain.matchAll(/(?:^|,)(\w+):("[^"]*"|-?[\w.]+)(?=,|$)/g)]
  const shown = fields.filter(([, name]) => name !== 'kind').map(([, name, value]) => `${name}=${value}`)
  return [word, ...shown, ...(AGAIN.test(text) ? ['(and again later)'] : [])].join(' ')
}
