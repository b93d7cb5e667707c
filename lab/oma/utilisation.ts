// Improving resource utilisation (OMA §5.5): a round deals every slot, also to members that want none, and its slots
// come back together when the last holder is done. With concurrent rounds a slot that comes free is dealt again on
// the next beat. Measured on level `verified`: the share of all slot time in which somebody held the slot.

import { seededRandom } from '../../src/core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../src/crypto/index.ts'
import { calm, type Micros, type SimulatedNode, World } from '../../src/simulator/index.ts'
import {
  performShuffleWork,
  type SlotsEvent,
  type SlotsSettings,
  slotsDefaults,
  slotsMember,
  slotsVocabulary,
} from '../../src/slots/index.ts'
import { type Experiment, type Result, type RunOptions, row } from '../experiment.ts'

const SECOND: Micros = 1_000_000
const MEMBERS = 4
const SLOTS = 2
const BEAT = 100
/** Holds differ from 0 to twice this: the last of a round is late. */
const HOLD_MEAN: Micros = 2 * SECOND
const TIME = { small: 20 * SECOND, full: 1_000 * SECOND }

interface Use {
  /** The share of slot time that was held. */
  readonly held: number
  readonly seats: number
}

/** How many members always want a slot; the others never do. */
function utilisation(seed: number, wanting: number, concurrent: boolean, time: Micros): Use {
  const world = new World({ seed, network: calm })
  const group = insecureBareGroup()
  const signatures = idealSignatures()
  const random = seededRandom(seed, 0x071)
  const ring = Array.from({ length: MEMBERS }, (_, place) => `member-${place}`)
  const slots = Array.from({ length: SLOTS }, (_, slot) => `slot-${slot}`)
  const settings: SlotsSettings = { ...slotsDefaults, name: 'pool', slots, beat: BEAT, checkMax: 4 * BEAT, concurrent }
  const members = ring.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  let [held, seats, requests] = [0, 0, 0]
  const want = (id: string) => world.command(id, { kind: 'request', id: ++requests })
  const seated = (node: SimulatedNode, id: number) => {
    const hold = random.below(2 * HOLD_MEAN)
    seats++
    held += Math.min(hold, time - world.now)
    world.at(world.now + hold, () => {
      world.command(node.spec.id, { kind: 'release', id })
      want(node.spec.id)
    })
  }
  world.listen((node, event) => {
    const happened = event as SlotsEvent
    if (happened.kind === 'seat') seated(node, happened.id)
    if (happened.kind !== 'work') return
    const answer = performShuffleWork(group, happened.request, length => random.bytes(length))
    world.at(world.now, () => world.command(node.spec.id, { kind: 'worked', id: happened.id, answer }))
  })
  for (const id of ring) {
    const protocol = slotsMember({ settings, members, group, signer: signatures.signer(id), signatures })
    world.add({ id, protocol, peers: ring, vocabulary: slotsVocabulary })
    world.start(id)
  }
  for (const id of ring.slice(0, wanting)) want(id)
  world.run(time)
  return { held: held / (SLOTS * time), seats }
}

export const utilisationExperiment: Experiment = {
  name: 'utilisation',
  title: 'How much of the slots is used, with one round at a time and with concurrent rounds.',
  source: 'OMA §5.5, improving resource utilization',
  run({ scale, seed, progress }: RunOptions): Result {
    const time = TIME[scale]
    const rows = [2, 4].flatMap((wanting, place) => {
      progress(place / 2, `${wanting} want`)
      const single = utilisation(seed, wanting, false, time)
      const several = utilisation(seed, wanting, true, time)
      const what = `${wanting} of ${MEMBERS} want one of ${SLOTS} slots`
      return [
        row(`${what}, one round at a time: held`, single.held, null, null, 'of slot time'),
        row(`${what}, concurrent rounds: held`, several.held, null, null, 'of slot time'),
        row(`${what}, one round at a time: seats`, single.seats, null, null),
        row(`${what}, concurrent rounds: seats`, several.seats, null, null),
        row(`${what}: concurrent is better (1 = yes)`, several.held > single.held ? 1 : 0, 1, 0),
      ]
    })
    const notes = [
      `Level verified in the simulator, n = ${MEMBERS}, m = ${SLOTS}, beat ${BEAT} ms, holds uniform from 0 to ` +
        `${(2 * HOLD_MEAN) / SECOND} s, no lease runs out, arithmetic takes no time; ${time / SECOND} s.`,
      'One round at a time: a slot dealt to a member that wants none, or let go early, lies idle until the ' +
        'last holder of ' +
        'its round is done. Concurrent: it is dealt again on the next beat. The price is that the occupancy ' +
        'of each slot ' +
        'over time becomes public, and a deal for each slot that comes free.',
      'The paper proposes it and gives no figures.',
    ]
    return { rows, pictures: [], notes }
  },
}
