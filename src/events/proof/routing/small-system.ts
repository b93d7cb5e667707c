// A path of three routers, small enough that the explorer can try everything: at one end somebody subscribes and unsubscribes,
// at the other somebody publishes, and what is said between them comes in any order or never.

import { copy, type Effect, fingerprint, type NodeId } from '../../../core/index.ts'
import { idealSignatures } from '../../../crypto/index.ts'
import type { Moment, System, SystemNode, UserAct } from '../../../simulator/index.ts'
import { eventsDefaults } from '../../defaults.ts'
import { parseFilter } from '../../filter.ts'
import { covers } from '../../routing/covering.ts'
import { type Routing, routing } from '../../routing/machine.ts'
import { orderOf } from '../../routing/overlay.ts'
import { type RoutingSettings, routingBasics } from '../../routing/settings.ts'
import type { Link, RoutingEvent, RoutingState } from '../../routing/state.ts'
import type { RoutingMessage } from '../../routing/wire.ts'
import { brokenRoutingRules } from './planted.ts'

const RECORD = { number: 1, members: ['a', 'b', 'c'] }
/** The one in the middle is where the hash puts it: first in its tree. */
const [MIDDLE, AUTHOR, READER] = orderOf(eventsDefaults.hash, RECORD) as [NodeId, NodeId, NodeId]
const CHANNEL = 'c'
const NARROW = parseFilter({ price: { lte: 5 } })
const WIDE = parseFilter({ price: { lte: 10 } })
const OTHER = parseFilter({ price: 20 })

/** What is tried in a small system. */
export interface RoutingSystemOptions {
  /** How many events are published. */
  readonly events: number
  /** Whether the reader's wide wish comes and goes. */
  readonly wide?: boolean
  /** Whether there is a third wish, which has nothing to do with these. */
  readonly other?: boolean
  /** Whether the author wants its kind of events, too. */
  readonly both?: boolean
  readonly duplicates?: number
  readonly bug?: string | undefined
}

/** Three routers in a row, that have just begun. */
export function routingSystem(options: RoutingSystemOptions): System {
  const signatures = idealSignatures()
  const settings = (id: NodeId): RoutingSettings => ({
    ...routingBasics,
    rules: brokenRoutingRules(options.bug),
    group: 'g',
    hash: eventsDefaults.hash,
    signatures,
    signer: signatures.signer(id),
    keyOf: ({ member }) => signatures.signer(member).publicKey,
    batchEvery: 0,
  })
  const machines = new Map(RECORD.members.map(id => [id, routing(settings(id))]))
  const begun = beginning(machines)
  const nodes = RECORD.members.map(
    (id): SystemNode => ({ id, protocol: from(machines.get(id)!, begun.get(id)!), peers: RECORD.members, rate: 1 }),
  )
  const words = (body: RoutingMessage) => `${body.kind}${'number' in body ? ` ${body.number}` : ''}`
  return { nodes, acts: actsOf(options), ticks: 0, crashes: 0, duplicates: options.duplicates ?? 0, words }
}

/** The machine, with what it remembers once all have told each other that they want nothing. */
function from(machine: Routing, state: RoutingState): Routing {
  return {
    ...machine,
    init: () => copy(state),
    step: (now, input, turn) => (input.kind === 'start' ? undefined : machine.step(now, input, turn)),
  }
}

function beginning(machines: ReadonlyMap<NodeId, Routing>): Map<NodeId, RoutingState> {
  const states = new Map<NodeId, RoutingState>()
  const under: { from: NodeId; to: NodeId; body: RoutingMessage }[] = []
  const turnOf = (self: NodeId) => ({
    now: 0,
    below: () => 0,
    bytes: (length: number) => new Uint8Array(length).fill(self.charCodeAt(0)),
    do(effect: Effect<RoutingMessage, RoutingEvent>) {
      if (effect.kind === 'send') under.push({ from: self, to: effect.to, body: effect.body })
    },
  })
  for (const [id, machine] of machines) {
    const state = machine.init(id, RECORD.members, new Map())
    states.set(id, state)
    machine.step(state, { kind: 'start' }, turnOf(id))
    for (const member of RECORD.members)
      machine.step(
        state,
        { kind: 'command', body: { kind: 'changed', view: { member, identity: new Uint8Array() } } },
        turnOf(id),
      )
    machine.step(state, { kind: 'command', body: { kind: 'overlay', record: RECORD } }, turnOf(id))
  }
  for (let next = under.shift(); next !== undefined; next = under.shift()) {
    const { from: sender, to, body } = next
    machines.get(to)!.step(states.get(to)!, { kind: 'message', from: sender, body }, turnOf(to))
  }
  return states
}

function actsOf({ events, wide, other, both }: RoutingSystemOptions): UserAct[] {
  const wish = (id: number, filter: typeof NARROW, label: string, after: number): UserAct => ({
    node: READER,
    label,
    allowed: (state: RoutingState) => !state.subscriptions.has(id) && (after === 0 || state.subscriptions.has(after)),
    command: () => ({ kind: 'subscribe', id, channel: CHANNEL, filter }),
  })
  const acts = [wish(1, NARROW, 'subscribes to prices up to 5', 0)]
  if (wide) {
    acts.push(wish(2, WIDE, 'subscribes to prices up to 10', 1))
    acts.push({
      node: READER,
      label: 'unsubscribes from prices up to 10',
      allowed: (state: RoutingState) => state.subscriptions.has(2),
      command: () => ({ kind: 'unsubscribe', id: 2 }),
    })
  }
  if (other) acts.push(wish(3, OTHER, 'subscribes to a price of 20', 1))
  if (both) acts.push({ ...wish(1, NARROW, 'subscribes too', 0), node: AUTHOR })
  for (let place = 0; place < events; place++) {
    acts.push({
      node: AUTHOR,
      label: `publishes event ${place + 1}`,
      allowed: (state: RoutingState) => state.counter === place,
      command: () => ({
        kind: 'publish',
        id: place + 1,
        channel: CHANNEL,
        content: { attributes: { price: 3 }, payload: new Uint8Array(), time: 0 },
      }),
    })
  }
  return acts
}

function stateOf(moment: Moment, system: System, id: NodeId): RoutingState {
  return moment.nodes[system.nodes.findIndex(node => node.id === id)]!.state as RoutingState
}

function linkOf(state: RoutingState, peer: NodeId): Link {
  return state.overlays[0]!.links.find(link => link.peer === peer)!
}

const WAYS: readonly (readonly [from: NodeId, to: NodeId])[] = [
  [READER, MIDDLE],
  [MIDDLE, AUTHOR],
]

/** Whether whoever has heard of the reader's wishes at all is told of the one that stays. */
export function stillWanted(moment: Moment, system: System): boolean {
  const wish = stateOf(moment, system, READER).subscriptions.get(1)
  return WAYS.every(([from, to]) => {
    const { heard, number } = linkOf(stateOf(moment, system, to), from)
    return (
      number < 2 || (wish !== undefined && [...heard.values()].some(clause => covers(clause, wish.clauses[0]!.clause)))
    )
  })
}

/** Whether whoever has heard the last announcement has heard all that is told. */
export function heardAll(moment: Moment, system: System): boolean {
  return WAYS.every(([from, to]) => {
    const told = linkOf(stateOf(moment, system, from), to)
    const heard = linkOf(stateOf(moment, system, to), from)
    if (heard.number !== told.announced) return true
    const texts = [...heard.heard.values()].map(clause => fingerprint(clause)).sort()
    return fingerprint(texts) === fingerprint([...told.told.values()].map(({ clause }) => fingerprint(clause)).sort())
  })
}

/** Whether nobody got an event twice in the one tree. */
export function noRepeats(moment: Moment, system: System): boolean {
  return RECORD.members.every(id => stateOf(moment, system, id).repeats === 0)
}

/** How many events have reached the reader. */
export function reached(moment: Moment, system: System): number {
  const lives = stateOf(moment, system, READER).seen.get(AUTHOR)
  return [...(lives?.values() ?? [])].reduce((sum, { counters }) => sum + counters.size, 0)
}

/** Whether the author's side knows what the reader wants. */
export function isKnown(moment: Moment, system: System): boolean {
  return linkOf(stateOf(moment, system, AUTHOR), MIDDLE).heard.size > 0
}

/** Whether the wide wish was made and taken back, and the author's side knows. */
export function isNarrowAgain(moment: Moment, system: System): boolean {
  return linkOf(stateOf(moment, system, AUTHOR), MIDDLE).number >= 4
}
