// What a member costs while nothing happens: bytes and messages, counted with the codec. A function that the lab calls.

import { encode, Writer } from '../../core/index.ts'
import { calm, type Micros, World } from '../../simulator/index.ts'
import { type Membership, membership } from '../member/machine.ts'
import { membershipVocabulary } from '../wire.ts'
import { simulatedGroup } from './simulated.ts'

/** What gossip costs while nothing happens. */
export interface RestCost {
  /** Per member and second, in and out together. */
  readonly bytes: number
  readonly messages: number
}

const SECOND: Micros = 1_000_000

/** Everybody has asked everybody once, and distances have gone round. */
export function warmUpSeconds(members: number): number {
  return 20 + members * 0.6
}

/** Runs a group in which nothing happens, and measures. */
export function costAtRest(members: number, seconds: number, seed: number): RestCost {
  const ids = Array.from({ length: members }, (_, place) => `member-${place + 1}`)
  const group = simulatedGroup(ids, true)
  const world = new World({ seed, network: calm, eventsMax: 100_000_000 })
  const writer = new Writer()
  const counts = { bytes: 0, messages: 0 }
  for (const id of ids) {
    const machine: Membership = membership(group.settings(id))
    const counted: Membership = {
      ...machine,
      step(state, input, turn) {
        if (input.kind === 'message') {
          counts.messages++
          counts.bytes += encode(membershipVocabulary, input.body, writer).length
        }
        machine.step(state, input, turn)
      },
    }
    world.add({ id, protocol: counted, peers: ids.slice(0, 3), vocabulary: membershipVocabulary })
  }
  for (const id of ids) world.start(id)
  world.run(warmUpSeconds(members) * SECOND)
  counts.bytes = 0
  counts.messages = 0
  world.run(world.now + seconds * SECOND)
  // What one sends, another takes in: over the whole group both are equal.
  const share = 2 / members / seconds
  return { bytes: counts.bytes * share, messages: counts.messages * share }
}
