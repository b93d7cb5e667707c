// What the browser test and the benchmark run in the tab: a whole group of members at level `verified`, with the
// arithmetic and the signatures that ship. The simulator's clock is not the wall's: what a round takes is its arithmetic.

import { seededRandom } from '../../src/core/index.ts'
import { ed25519Signatures, ed25519Signer, ristretto, ristrettoNoble } from '../../src/crypto/index.ts'
import { calm, World } from '../../src/simulator/index.ts'
import {
  type MemberState,
  performShuffleWork,
  type SlotsEvent,
  slotsDefaults,
  slotsMember,
  slotsVocabulary,
} from '../../src/slots/index.ts'

export interface Played {
  readonly rounds: number
  /** Seats of the first round. */
  readonly slots: readonly string[]
  readonly cheats: number
  readonly roundMs: number
}

export interface Game {
  readonly arithmetic: 'WebAssembly' | 'TypeScript'
  readonly members: number
  readonly slots: number
  readonly rounds: number
}

const STEP = 10_000
const SEED_BYTES = 32
const STEPS_MAX = 100_000

export async function play(game: Game): Promise<Played> {
  const group = game.arithmetic === 'WebAssembly' ? await ristretto() : ristrettoNoble()
  const random = seededRandom(1)
  const signatures = ed25519Signatures()
  const names = Array.from({ length: game.members }, (_, place) => `member-${place + 1}`)
  const signers = names.map(() => ed25519Signer(random.bytes(SEED_BYTES)))
  const members = names.map((name, place) => ({ name, identity: signers[place]!.publicKey }))
  const slots = Array.from({ length: game.slots }, (_, place) => `slot-${place + 1}`)
  const settings = { ...slotsDefaults, name: 'tab', slots }
  const world = new World({ seed: 1, network: calm })
  for (const [place, id] of names.entries()) {
    const protocol = slotsMember({ settings, members, group, signer: signers[place]!, signatures })
    world.add({ id, protocol, peers: names, vocabulary: slotsVocabulary })
  }
  const dealt: string[] = []
  let requests = 0
  let cheats = 0
  world.listen((node, emitted) => {
    const event = emitted as SlotsEvent
    const tell = (body: unknown) => world.command(node.spec.id, body)
    if (event.kind === 'cheat') cheats++
    if (event.kind === 'work') {
      tell({
        kind: 'worked',
        id: event.id,
        answer: performShuffleWork(group, event.request, length => random.bytes(length)),
      })
    } else if (event.kind === 'seat') {
      dealt.push(event.slot)
      tell({ kind: 'release', id: event.id })
      tell({ kind: 'request', id: ++requests })
    }
  })
  for (const id of names) world.start(id)
  for (const id of names) world.command(id, { kind: 'request', id: ++requests })
  const begun = () => (world.node(names[0]!).host!.state as MemberState).epoch.next
  const runTo = (round: number) => {
    for (let step = 0; begun() < round && step < STEPS_MAX; step++) world.run(world.now + STEP)
  }
  // The header of round k is known when the next is k + 1: the first round is played, and warms the code up.
  runTo(3)
  const first = dealt.slice(0, game.slots)
  const began = performance.now()
  runTo(3 + game.rounds)
  return { rounds: game.rounds, slots: first, cheats, roundMs: (performance.now() - began) / game.rounds }
}
