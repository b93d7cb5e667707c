// A ring in which everybody always wants a seat, beside one member that lies: how many seats the others get in virtual time. For tests that ask what a liar costs.

import { type AnyProtocol, type NodeId, seededRandom } from '../../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../../crypto/index.ts'
import { calm, type Micros, type SimulatedNode, World } from '../../../simulator/index.ts'
import type { SlotsSettings } from '../../settings.ts'
import { slotsMember } from '../../verified/machine.ts'
import { type SlotsRules, slotsRules } from '../../verified/rules.ts'
import { performShuffleWork } from '../../verified/shuffle-work.ts'
import type { SlotsEvent } from '../../verified/state.ts'
import { slotsVocabulary } from '../../verified/wire.ts'
import { slotsLiars } from './liars.ts'

/** What shuffling or checking takes, how long a seat is held, and the rest before the next is asked for. */
const WORK: Micros = 5_000
const HOLD: Micros = 30_000
const REST: Micros = 100_000

export interface BusyRing {
  readonly settings: SlotsSettings
  readonly members: number
  readonly seed: number
  /** The last member lies, from here on. */
  readonly liar?: string
  readonly liesFrom?: Micros
  /** When it turns honest. */
  readonly liesUntil?: Micros
  readonly rules?: SlotsRules
}

/** What the honest members of a busy ring got and said. */
export interface BusyTally {
  /** When each seat was got. */
  readonly seats: readonly Micros[]
  readonly events: readonly { readonly at: Micros; readonly by: NodeId; readonly event: SlotsEvent }[]
}

/** Runs it for so long. */
export function runBusyRing(ring: BusyRing, until: Micros): BusyTally {
  const { settings, members, seed, rules = slotsRules } = ring
  const world = new World({ seed, network: calm })
  const random = seededRandom(seed, 0xb5)
  const [group, signatures] = [insecureBareGroup(), idealSignatures()]
  const ids = Array.from({ length: members }, (_, place) => `m${place}`)
  const first = ids.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  // It asks for nothing, honest or not: what the others get is compared.
  const last = ids.at(-1)
  const seats: Micros[] = []
  const events: { at: Micros; by: NodeId; event: SlotsEvent }[] = []
  let requests = 0
  const ask = (id: NodeId) => world.command(id, { kind: 'request', id: ++requests })
  const work = (node: SimulatedNode, id: number, request: Uint8Array) =>
    world.at(world.now + WORK, () => {
      const answer = performShuffleWork(group, request, length => random.bytes(length))
      world.command(node.spec.id, { kind: 'worked', id, answer })
    })
  world.listen((node, told) => {
    const event = told as SlotsEvent
    const by = node.spec.id
    if (event.kind === 'work') return work(node, event.id, event.request)
    if (event.kind === 'seat') {
      seats.push(world.now)
      world.at(world.now + HOLD, () => world.command(by, { kind: 'release', id: event.id }))
      world.at(world.now + HOLD + REST, () => ask(by))
      return
    }
    if (by !== last) events.push({ at: world.now, by, event })
  })
  for (const id of ids) {
    const signer = signatures.signer(id)
    const honest = slotsMember({ settings, members: first, group, signer, signatures, rules })
    const liar = slotsLiars({ group, signer, known: [] }).find(({ name }) => name === ring.liar)
    const lies = id === last && liar !== undefined
    const isLying = () => world.now >= (ring.liesFrom ?? 0) && world.now < (ring.liesUntil ?? until)
    const protocol: AnyProtocol = lies ? inTurn(honest, liar.corrupt(honest), isLying) : honest
    world.add({ id, protocol, peers: ids, vocabulary: slotsVocabulary, lies })
    world.start(id)
    if (id !== last) ask(id)
  }
  world.run(until)
  return { seats, events }
}

/** Two machines on one state: the liar speaks while it lies, and the honest one else. */
function inTurn(honest: AnyProtocol, liar: AnyProtocol, isLying: () => boolean): AnyProtocol {
  return {
    ...honest,
    init: (self, peers, saved) => liar.init(self, peers, saved),
    step: (state, input, turn) => {
      const late = input.kind === 'timer' && input.name.startsWith('lie:')
      return (isLying() || late ? liar : honest).step(state, input, turn)
    },
  }
}
