// A ring of src/slots/ring in which every message takes exactly one message time, counted and timed.

import type { NodeId } from '../../src/core/index.ts'
import { type Group, insecureBareGroup } from '../../src/crypto/index.ts'
import { type Flaws, flawedRules } from '../../src/papers/slots/index.ts'
import { calm, type Micros, type SimulatedNode, World } from '../../src/simulator/index.ts'
import {
  type RingEvent,
  type RingMessage,
  type RingSettings,
  ringDefaults,
  ringMember,
  ringVocabulary,
  type Tickets,
} from '../../src/slots/ring/index.ts'

export const MESSAGE: Micros = 1_000
const EXACT = { ...calm, delayMin: MESSAGE, delaySpread: 0 }

export interface RingOptions {
  readonly members: number
  readonly settings: Pick<RingSettings, 'slots'> & Partial<RingSettings>
  readonly flaws?: Partial<Flaws>
  readonly group?: Group
  readonly tickets?: Tickets
  readonly seed?: number
}

export interface Ring {
  readonly world: World
  readonly members: readonly NodeId[]
  /** Messages of a round, by kind. */
  readonly sent: Map<number, Record<string, number>>
  /** When each round was first heard of. */
  readonly began: Map<number, Micros>
  /** Called with every message that is sent. */
  onSent: (from: NodeId, body: RingMessage) => void
  onGranted: (node: SimulatedNode, event: RingEvent & { kind: 'granted' }) => void
}

export function makeRing(options: RingOptions): Ring {
  const { group = insecureBareGroup(), flaws = {}, seed = 1 } = options
  const world = new World({ seed, network: EXACT })
  const members = Array.from({ length: options.members }, (_, place) => `member-${place}`)
  const ring: Ring = { world, members, sent: new Map(), began: new Map(), onSent: () => {}, onGranted: () => {} }
  const settings = { ...ringDefaults, patience: 60_000, ...options.settings }
  const tickets = options.tickets === undefined ? {} : { tickets: options.tickets }
  const machine = ringMember({ settings, members: options.members, group, rules: flawedRules(flaws), ...tickets })
  const counted = (id: NodeId): typeof machine => ({
    ...machine,
    step: (state, input, turn) =>
      machine.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (effect.kind === 'send') {
            count(ring.sent, effect.body)
            ring.onSent(id, effect.body)
          }
          turn.do(effect)
        },
      }),
  })
  const vocabulary = ringVocabulary(group)
  for (const id of members) world.add({ id, protocol: counted(id), peers: members, vocabulary })
  world.listen((node, event) => {
    const happened = event as RingEvent
    if (happened.kind === 'round' && !ring.began.has(happened.round)) ring.began.set(happened.round, world.now)
    if (happened.kind === 'granted') ring.onGranted(node, happened)
  })
  for (const id of members) world.start(id)
  return ring
}

function count(sent: Ring['sent'], body: RingMessage): void {
  if (!('round' in body)) return
  const counts = sent.get(body.round) ?? {}
  counts[body.kind] = (counts[body.kind] ?? 0) + 1
  sent.set(body.round, counts)
}
