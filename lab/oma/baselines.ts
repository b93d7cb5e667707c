// The two baselines that the paper rules out or measures itself against, attacked as its lemmas say: the trivial token
// (§5.1, lemmas 2 and 3). The trusted third party is in third-party.ts.

import { type AnyProtocol, type NodeId, seededRandom } from '../../src/core/index.ts'
import {
  type BaselineEvent,
  type Passage,
  type TokenMessage,
  tokenVocabulary,
  trivialToken,
  wasKept,
} from '../../src/papers/slots/index.ts'
import { calm, type Micros, World } from '../../src/simulator/index.ts'
import { type Experiment, type Result, type RunOptions, row } from '../experiment.ts'

const MILLISECOND: Micros = 1_000
/** δ: every message arrives within it. */
const DELAY_MAX = 5
const BOUNDED = { ...calm, delayMin: MILLISECOND, delaySpread: (DELAY_MAX - 1) * MILLISECOND }
const RUNS = { small: 60, full: 2_000 }

interface Watched {
  readonly passages: readonly Passage[]
  readonly slot: number | undefined
}

/** One honest member between two curious ones, in a ring of five; it wants a slot or not, and keeps it for `hold`. */
function watchTrivial(seed: number, slots: number, wants: boolean, hold: number): Watched {
  const world = new World({ seed, network: BOUNDED })
  const ring = Array.from({ length: 5 }, (_, place) => `member-${place}`)
  const [before, honest, after] = [ring[1]!, ring[2]!, ring[3]!]
  const sentAt = new Map<number, number>()
  const passages: Passage[] = []
  const machine = trivialToken(slots)
  const watching = (id: NodeId): AnyProtocol => ({
    ...machine,
    step(state, input, turn) {
      const token = input.kind === 'message' ? (input.body as TokenMessage) : undefined
      if (id === after && token !== undefined && sentAt.has(token.slot)) {
        passages.push({ slot: token.slot, sentAt: sentAt.get(token.slot)!, cameAt: turn.now })
      }
      machine.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (id === before && effect.kind === 'send') sentAt.set(effect.body.slot, turn.now)
          turn.do(effect)
        },
      })
    },
  })
  for (const id of ring) world.add({ id, protocol: watching(id), peers: ring, vocabulary: tokenVocabulary })
  let slot: number | undefined
  world.listen((node, event) => {
    const granted = event as BaselineEvent
    if (node.spec.id !== honest) return
    slot = granted.slot
    world.at(world.now + hold * MILLISECOND, () => world.command(honest, { kind: 'release', id: granted.id }))
  })
  for (const id of ring) world.start(id)
  if (wants) world.command(honest, { kind: 'request', id: 1 })
  world.run(400 * MILLISECOND)
  return { passages, slot }
}

export const trivialTokenExperiment: Experiment = {
  name: 'trivial-token',
  title: 'The trivial token: two neighbours with a clock see who holds, and which slot.',
  source: 'OMA §5.1, lemmas 2 and 3',
  run({ scale, seed, progress }: RunOptions): Result {
    const runs = RUNS[scale]
    const random = seededRandom(seed, 0x702)
    const rate = (slots: number, hold: number, right: (seen: Watched, wants: boolean) => boolean) => {
      let won = 0
      for (let run = 0; run < runs; run++) {
        progress(run / runs, 'trivial token')
        const wants = random.chance(0.5)
        if (right(watchTrivial(seed * 10_000 + run, slots, wants, hold), wants)) won++
      }
      return won / runs
    }
    const kept = ({ passages }: Watched) => passages.filter(passage => wasKept(passage, DELAY_MAX))
    const holds = (seen: Watched, wants: boolean) => kept(seen).length > 0 === wants
    const which = (seen: Watched) => kept(seen)[0]?.slot === seen.slot
    const short = rate(1, 0, (seen, wants) => kept(seen).length === 0 || !wants)
    const rows = [
      row('m = 1, held for more than 2δ: holds or not, told right', rate(1, 3 * DELAY_MAX, holds), 1, 0),
      row('m = 1: and which slot (lemma 3)', rate(1, 3 * DELAY_MAX, which), 1, 0),
      row('m = 3: which slot, since each token names its own', rate(3, 3 * DELAY_MAX, which), 1, 0),
      row('m = 1, held for no time at all: nothing seen', short, 1, 0),
    ]
    const notes = [
      `δ = ${DELAY_MAX} ms, one honest member between two curious ones: they compare when the token was sent to it and ` +
        '' +
        'when it came out. Longer than 2δ: it was kept. No message is opened, and none could hide it.',
      'The levels of slots pass their tokens on at once, whether a slot is held or not.',
    ]
    return { rows, pictures: [], notes }
  },
}
