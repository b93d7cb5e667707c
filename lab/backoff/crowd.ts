// t clients want our lock at once and each keeps it for a while: how long each waits, and how long hand-overs take.

import { encode } from '../../src/core/index.ts'
import {
  type BackoffName,
  type ClientEvent,
  lockClient,
  lockDefaults,
  lockServer,
  lockVocabulary,
  serverRecord,
} from '../../src/lock/index.ts'
import { calm, ExclusionChecker, type NetworkFaults, World } from '../../src/simulator/index.ts'

/** How they wait: all by one strategy, all in the list, or all exponentially but the first, who does not. */
export type Way = Exclude<BackoffName, 'none'> | 'one without backoff' | 'list'

export interface Crowd {
  /** Milliseconds from the start to the entry, on average. */
  readonly mean: number
  /** Until the last had entered. */
  readonly makespan: number
  /** Of the first client. */
  readonly first: number
  /** From each release to the next entry, in δ. */
  readonly handOvers: readonly number[]
  readonly violations: number
}

export const DELAY_MS = 1
export const HOLD_MS = 20
const SERVERS = ['server-1', 'server-2', 'server-3']
const TTL_MS = 1_000
const MICROS = 1_000
const SLICE = 100_000
/** A minute for each client: the longest runs take seconds. */
const PATIENCE_PER_CLIENT = 60_000_000

const WITHIN: NetworkFaults = { ...calm, delayMin: (DELAY_MS * MICROS) / 2, delaySpread: (DELAY_MS * MICROS) / 2 }
/** Every delay exactly δ. */
export const EXACT: NetworkFaults = { ...calm, delayMin: DELAY_MS * MICROS, delaySpread: 0 }

export function crowd(way: Way, clients: number, seed: number, delays: NetworkFaults = WITHIN): Crowd {
  const world = new World({ seed, network: delays })
  const exclusion = new ExclusionChecker()
  const responses = new Map<string, number>()
  const handOvers: number[] = []
  let freedAt: number | undefined
  world.listen((node, heard) => {
    const event = heard as ClientEvent
    const { id } = node.spec
    if (event.kind === 'extended')
      exclusion.extended(event.name, id, world.now, world.whenClockShows(node, event.deadline))
    if (event.kind === 'released') exclusion.released(event.name, id, world.now)
    if (event.kind !== 'acquired') return
    exclusion.acquired(event.name, id, event.token, world.now, world.whenClockShows(node, event.deadline))
    responses.set(id, world.now / MICROS)
    if (freedAt !== undefined) handOvers.push((world.now - freedAt) / (DELAY_MS * MICROS))
    world.at(world.now + HOLD_MS * MICROS, () => {
      freedAt = world.now
      world.command(id, { kind: 'release', id: event.id, name: event.name })
    })
  })
  addNodes(world, way, clients)
  while (responses.size < clients && world.now < clients * PATIENCE_PER_CLIENT) world.run(world.now + SLICE)
  if (responses.size < clients) throw new Error(`${clients - responses.size} of ${clients} clients never entered`)
  const all = [...responses.values()]
  return {
    mean: all.reduce((sum, response) => sum + response, 0) / clients,
    makespan: Math.max(...all),
    first: responses.get('client-1')!,
    handOvers,
    violations: exclusion.violations().length,
  }
}

function addNodes(world: World, way: Way, clients: number): void {
  const saved = new Map([['', [encode(serverRecord, { kind: 'first' })]]])
  const vocabulary = lockVocabulary
  for (const id of SERVERS) {
    world.add({ id, protocol: lockServer(lockDefaults), peers: [], vocabulary, saved })
    world.start(id)
  }
  // The first comes last where it does not back off: the very first needs no strategy.
  const order = Array.from({ length: clients }, (_, place) => clients - place)
  for (const [place, number] of order.entries()) {
    const id = `client-${number}`
    world.add({ id, protocol: lockClient(lockDefaults), peers: SERVERS, vocabulary, returns: false })
    world.start(id)
    world.command(id, {
      kind: 'acquire',
      id: 1,
      name: 'a',
      ttl: TTL_MS,
      wait: true,
      fair: way === 'list',
      strategy: strategyOf(way, number),
      renew: false,
      // The wall clock's microseconds: each asks a little after the one before.
      hint: 1_000_000 + place,
    })
  }
}

function strategyOf(way: Way, number: number): BackoffName {
  if (way === 'list') return 'exponential'
  if (way === 'one without backoff') return number === 1 ? 'none' : 'exponential'
  return way
}
