// A node of a simulated run that says, beside its own words, any others that the wire carries, to anybody whom it has heard of. The
// honest ones must go on, and whatever they say must have an encoding: a machine that passes on what it was told passes on only
// what can be said.

import {
  type AnyProtocol,
  type Codec,
  decode,
  encode,
  type NodeId,
  type Random,
  seededRandom,
} from '../../src/core/index.ts'
import { heal, schedule } from '../../src/simulator/faults.ts'
import { type AnyScenario, type NodeSpec, overheard, World } from '../../src/simulator/index.ts'
import { Heard, hear, stirred } from './stirred.ts'

const SAID_MAX = 300
/** How much of the time after healing is run, in which users demand what they must get. */
const HEALED_PART = 1 / 10

/** An honest node that beside its own words says others, to anybody whom it has heard of. */
function babbling({ protocol, vocabulary, peers }: NodeSpec, random: Random): AnyProtocol {
  const heard = new Heard()
  const known = new Set<NodeId>(peers)
  const said: unknown[] = []
  return {
    ...(protocol.wire && { wire: protocol.wire }),
    name: `${protocol.name}, babbling`,
    init: (self, others, saved) => protocol.init(self, others, saved),
    step(state, input, turn) {
      if (input.kind === 'message') {
        known.add(input.from)
        remember(input.body)
      }
      const babble = (to: NodeId, word: unknown) => {
        const body = stirred(vocabulary, word, random, heard)
        if (body !== undefined) turn.do({ kind: 'send', to, body })
      }
      try {
        protocol.step(state, input, {
          now: turn.now,
          below: bound => turn.below(bound),
          bytes: length => turn.bytes(length),
          do(effect) {
            if (effect.kind !== 'send') return turn.do(effect)
            remember(effect.body)
            if (random.chance(0.6)) turn.do(effect)
            babble(effect.to, effect.body)
            const others = [...known]
            if (others.length > 0) babble(others[random.below(others.length)]!, said[random.below(said.length)])
          },
        })
      } catch {
        // It was answered what no honest node ever is.
      }
    },
  }

  function remember(word: unknown): void {
    hear(vocabulary, word, heard)
    said.push(word)
    if (said.length > SAID_MAX) said.shift()
  }
}

/** The wire carries a liar's word only where somebody can read it; the simulator asks no more than that it can be written. */
function heardAtAll({ protocol, vocabulary }: NodeSpec): AnyProtocol {
  return overheard(protocol, effect => {
    if (effect.kind !== 'send') return true
    try {
      return decode(vocabulary, encode(vocabulary, effect.body)).ok
    } catch {
      return false
    }
  })
}

/** Everything that an honest node says can be said, and is heard as it was said. */
function sayable({ id, protocol, vocabulary }: NodeSpec, said: (word: unknown) => void): AnyProtocol {
  return overheard(protocol, effect => {
    if (effect.kind !== 'send') return true
    const bytes = encode(vocabulary, effect.body)
    const again = decode(vocabulary, bytes)
    if (!again.ok) throw new Error(`${id} says what nobody understands: ${again.refusal}`)
    if (Buffer.compare(encode(vocabulary, again.value), bytes) !== 0) throw new Error(`${id}: two encodings`)
    said(again.value)
    return true
  })
}

export interface Said {
  readonly word: unknown
  readonly vocabulary: Codec<unknown>
}

export interface Babble {
  /** Whose words were stirred. */
  readonly babbler: NodeId
  /** Of each kind of words that honest nodes said the last. */
  readonly words: ReadonlyMap<string, Said>
  /** What an honest machine threw. */
  readonly thrown: Error | undefined
}

/** A run in which one node, the `place`-th that is added, babbles. Whether promises hold is others' to check. */
export function runWithBabbler(scenario: AnyScenario, seed: number, place: number): Babble {
  const plan = scenario.plan(seededRandom(seed, 1))
  const words = new Map<string, Said>()
  let added = 0
  let babbler = ''
  const world = new World({
    seed,
    network: plan.network,
    cast(spec) {
      if (added++ !== place)
        return spec.lies
          ? { ...spec, protocol: heardAtAll(spec) }
          : { ...spec, protocol: sayable(spec, word => words.set(kindOf(word), { word, vocabulary: spec.vocabulary })) }
      babbler = spec.id
      return { ...spec, protocol: babbling(spec, seededRandom(seed, 77)), lies: true }
    },
  })
  const run = (): void => {
    const stage = scenario.stage(world, plan)
    for (const fault of plan.faults) schedule(world, fault)
    world.run(plan.healsAt)
    heal(world)
    stage.healed()
    world.run(plan.healsAt + (plan.ends - plan.healsAt) * HEALED_PART)
  }
  try {
    run()
    return { babbler, words, thrown: undefined }
  } catch (error) {
    return { babbler, words, thrown: error as Error }
  }
}

function kindOf(word: unknown): string {
  const { part, body, kind } = word as { part?: string; body?: { kind: string }; kind?: string }
  return part === undefined ? `${kind}` : `${part} ${body?.kind}`
}
