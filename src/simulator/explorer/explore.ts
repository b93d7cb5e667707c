// Tries every interleaving of a small system, breadth first, so that the story of a failure is a shortest one.
// `always` must hold in every state; each `sometimes` must hold in at least one, or the proof is of an idle system.

import { keyOf, shortKey } from './symmetry.ts'
import { beginning, clockAt, type Moment, outcomes, type System, startNode } from './system.ts'

export interface Properties {
  /** The broken ones in this state, by name. */
  readonly always: Readonly<Record<string, (moment: Moment, system: System) => boolean>>
  readonly sometimes: Readonly<Record<string, (moment: Moment, system: System) => boolean>>
}

export interface Exploration {
  /** Every state that can be reached was looked at. */
  readonly complete: boolean
  readonly states: number
  readonly transitions: number
  /** The first broken property, and the shortest way to it. */
  readonly broken: { readonly property: string; readonly story: readonly string[] } | undefined
  readonly sometimes: Readonly<Record<string, boolean>>
}

export interface ExploreOptions {
  readonly statesMax?: number
  readonly progress?: (states: number, waiting: number) => void
}

interface Step {
  readonly label: string
  readonly moment: Moment
}

const STATES_MAX = 5_000_000
const PROGRESS_EVERY = 10_000

export function explore(system: System, properties: Properties, options: ExploreOptions = {}): Exploration {
  const statesMax = options.statesMax ?? STATES_MAX
  const seen = new Set<string>()
  const labels: string[] = []
  const parents: number[] = []
  const reached = new Set<string>()
  let layer: { moment: Moment; index: number }[] = []
  let transitions = 0

  const visit = (moment: Moment, parent: number, label: string): number | undefined => {
    const key = shortKey(keyOf(system, moment))
    if (seen.has(key)) return undefined
    seen.add(key)
    labels.push(label)
    parents.push(parent)
    return labels.length - 1
  }
  const story = (index: number): string[] => {
    const lines: string[] = []
    for (let at = index; at > 0; at = parents[at]!) lines.push(labels[at]!)
    return lines.reverse()
  }
  const result = (complete: boolean, broken: Exploration['broken']): Exploration => {
    const sometimes = Object.fromEntries(Object.keys(properties.sometimes).map(name => [name, reached.has(name)]))
    return { complete, states: seen.size, transitions, broken, sometimes }
  }
  const judge = (moment: Moment): string | undefined => {
    for (const [name, holds] of Object.entries(properties.sometimes)) {
      if (!reached.has(name) && holds(moment, system)) reached.add(name)
    }
    return Object.entries(properties.always).find(([, holds]) => !holds(moment, system))?.[0]
  }

  const first = beginning(system)
  layer.push({ moment: first, index: visit(first, 0, 'start')! })
  while (layer.length > 0) {
    const below: typeof layer = []
    for (const { moment, index } of layer) {
      for (const step of steps(system, moment)) {
        transitions++
        const place = visit(step.moment, index, step.label)
        if (place === undefined) continue
        const broken = judge(step.moment)
        if (broken !== undefined) return result(false, { property: broken, story: story(place) })
        below.push({ moment: step.moment, index: place })
        if (seen.size % PROGRESS_EVERY === 0) options.progress?.(seen.size, below.length)
      }
      if (seen.size > statesMax) return result(false, undefined)
    }
    layer = below
  }
  return result(true, undefined)
}

/** Everything that can happen next. */
function* steps(system: System, moment: Moment): Generator<Step> {
  yield* deliveries(system, moment)
  yield* timers(system, moment)
  yield* acts(system, moment)
  yield* crashes(system, moment)
  if (moment.tick < system.ticks) {
    yield { label: `tick ${moment.tick + 1}`, moment: { ...moment, tick: moment.tick + 1 } }
  }
}

function* deliveries(system: System, moment: Moment): Generator<Step> {
  const tried = new Set<string>()
  for (const [place, flight] of moment.bag.entries()) {
    const text = `${flight.from}>${flight.to}${flight.text}`
    if (tried.has(text)) continue
    tried.add(text)
    const from = system.nodes[flight.from]!.id
    const label = `${from} → ${system.nodes[flight.to]!.id}: ${flight.text}`
    const input = { kind: 'message', from, body: flight.body } as const
    const taken = { ...moment, bag: moment.bag.toSpliced(place, 1) }
    yield* after(system, taken, flight.to, input, label)
    if (moment.duplicatesLeft === 0) continue
    const kept = { ...moment, duplicatesLeft: moment.duplicatesLeft - 1 }
    yield* after(system, kept, flight.to, input, `${label} (and again later)`)
  }
}

function* timers(system: System, moment: Moment): Generator<Step> {
  for (const [place, node] of moment.nodes.entries()) {
    const now = clockAt(system, place, moment.tick)
    for (const [name, due] of node.timers) {
      if (due > now) continue
      const fired = new Map(node.timers)
      fired.delete(name)
      const before = { ...node, timers: fired }
      yield* after(system, moment, place, { kind: 'timer', name }, `${system.nodes[place]!.id}: timer ${name}`, before)
    }
  }
}

function* acts(system: System, moment: Moment): Generator<Step> {
  for (const [number, act] of system.acts.entries()) {
    if ((moment.done >> number) & 1) continue
    const place = system.nodes.findIndex(node => node.id === act.node)
    const { state } = moment.nodes[place]!
    if (act.allowed !== undefined && !act.allowed(state, clockAt(system, place, moment.tick))) continue
    const done = { ...moment, done: moment.done | (1 << number) }
    yield* after(system, done, place, { kind: 'command', body: act.command(state) }, `${act.node}: ${act.label}`)
  }
}

function* crashes(system: System, moment: Moment): Generator<Step> {
  if (moment.crashesLeft === 0) return
  for (const [place, spec] of system.nodes.entries()) {
    if (!spec.crashes) continue
    const { node, sent } = startNode(system, moment, place, moment.nodes[place]!.records)
    const crashed = { ...moment, crashesLeft: moment.crashesLeft - 1 }
    yield { label: `${spec.id}: crashes and restarts`, moment: replace(crashed, place, node, sent) }
  }
}

function* after(
  system: System,
  moment: Moment,
  place: number,
  input: Parameters<typeof outcomes>[4],
  label: string,
  before = moment.nodes[place]!,
): Generator<Step> {
  for (const { node, sent } of outcomes(system, moment, place, before, input)) {
    yield { label, moment: replace(moment, place, node, sent) }
  }
}

function replace(moment: Moment, place: number, node: Moment['nodes'][number], sent: Moment['bag']): Moment {
  return {
    ...moment,
    nodes: moment.nodes.with(place, node),
    bag: sent.length === 0 ? moment.bag : [...moment.bag, ...sent],
  }
}
