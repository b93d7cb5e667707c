// What a member costs while nothing happens: bytes and messages, counted with the codec. A function that the lab calls.

import { encode, Writer } from '../../core/index.ts'
import { calm, type Micros, World } from '../../simulator/index.ts'
import { type Membership, membership } from '../member/machine.ts'
import { membershipBeat } from '../settings.ts'
import { retransmissions } from '../suspicion.ts'
import { type MembershipMessage, membershipVocabulary } from '../wire.ts'
import { simulatedGroup } from './simulated.ts'

/** What membership costs while nothing happens, per member and second, in and out together. */
export interface RestCost {
  readonly bytes: number
  /** Questions whether somebody is there, and answers. */
  readonly probes: number
  /** Views compared with another's, and what follows where they differ. */
  readonly repairs: number
  /** Messages with news. At rest there is only one kind: a distance that changed. */
  readonly news: number
  /** The most that news may be: every member passes each piece on a limited number of times. */
  readonly newsMost: number
}

/** What is measured of a group at rest, and for how long. */
export interface RestOptions {
  readonly members: number
  readonly seconds: number
  readonly seed: number
  /** Whether what was measured at the start is waited for until it has been measured again, twice. */
  readonly settled: boolean
}

const SECOND: Micros = 1_000_000

/** Everybody has asked everybody once, and distances have gone round. */
function warmUpSeconds(members: number): number {
  return 20 + members * 0.6
}

/** The first distances rest on one answer each; after two more times of measuring they rest on several. */
function settledSeconds(members: number): number {
  return warmUpSeconds(members) + (2 * membershipBeat.measureEvery) / 1_000
}

interface Counts {
  bytes: number
  probes: number
  repairs: number
  gossips: number
  readonly told: Set<string>
}

function count(counts: Counts, body: MembershipMessage, writer: Writer): void {
  counts.bytes += encode(membershipVocabulary, body, writer).length
  if (body.kind === 'ping' || body.kind === 'ack') counts.probes++
  else if (body.kind === 'gossip') counts.gossips++
  else counts.repairs++
  if (body.kind !== 'gossip') return
  for (const claim of body.claims) {
    if (claim.kind === 'measured') counts.told.add(`${claim.author} ${claim.version}`)
  }
}

/** Runs a group in which nothing happens, and measures. */
export function costAtRest({ members, seconds, seed, settled }: RestOptions): RestCost {
  const ids = Array.from({ length: members }, (_, place) => `member-${place + 1}`)
  const group = simulatedGroup(ids, true)
  const world = new World({ seed, network: calm, eventsMax: 100_000_000 })
  const writer = new Writer()
  const counts: Counts = { bytes: 0, probes: 0, repairs: 0, gossips: 0, told: new Set() }
  let counting = false
  for (const id of ids) {
    const machine: Membership = membership(group.settings(id))
    const counted: Membership = {
      ...machine,
      step(state, input, turn) {
        if (counting && input.kind === 'message') count(counts, input.body, writer)
        machine.step(state, input, turn)
      },
    }
    world.add({ id, protocol: counted, peers: ids.slice(0, 3), vocabulary: membershipVocabulary })
  }
  for (const id of ids) world.start(id)
  world.run((settled ? settledSeconds(members) : warmUpSeconds(members)) * SECOND)
  counting = true
  world.run(world.now + seconds * SECOND)
  // What one sends, another takes in: over the whole group both are equal.
  const share = 2 / members / seconds
  return {
    bytes: counts.bytes * share,
    probes: counts.probes * share,
    repairs: counts.repairs * share,
    news: counts.gossips * share,
    newsMost: counts.told.size * retransmissions(membershipBeat, members) * members * share,
  }
}
