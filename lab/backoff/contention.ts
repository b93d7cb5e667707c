// t clients contend at once with the printed lock (BACKOFF §4): how long each waits, how long the last one waits,
// and whether two ever hold together. n = 5b + 1 = 6 servers, one of which says FREE to everybody.

import {
  type PrintedEvent,
  type PrintedSettings,
  printedAlwaysYes,
  printedClient,
  printedServer,
  printedVocabulary,
} from '../../src/papers/lock/index.ts'
import { ExclusionChecker, type NetworkFaults, World } from '../../src/simulator/index.ts'

/** Δ = 1 s and δ = 1 ms: the delay is small against the time that a holder runs. */
export const SETTINGS: PrintedSettings = { liars: 1, crashes: 1, hold: 1_000, delayMax: 1 }
const SERVERS = 6
/** Simulated time after which somebody must be stuck: hours, where the longest runs take minutes. */
const PATIENCE_PER_CLIENT = 1_000_000_000
const SLICE = 1_000_000

export interface Contention {
  /** Milliseconds from the start until each client entered, in the order of entry. */
  readonly responses: readonly number[]
  readonly mean: number
  /** Until the last had entered. */
  readonly makespan: number
  /** Attempts of the client that needed the most. */
  readonly attemptsMax: number
  readonly violations: number
  /** Who entered, when and after how many attempts, in the order of entry. */
  readonly entries: readonly { readonly client: string; readonly at: number; readonly attempts: number }[]
}

/** What differs from figure 1: the settings of §5, and each client's own Δ by its number. */
export interface Additions {
  readonly settings?: Partial<PrintedSettings>
  readonly hold?: (client: number) => number
}

/** Delays anywhere up to δ. */
const WITHIN_DELAY: NetworkFaults = network(1, SETTINGS.delayMax * 1000)
/** Every delay exactly δ. */
export const EXACT_DELAY: NetworkFaults = network(SETTINGS.delayMax * 1000, 0)

function network(delayMin: number, delaySpread: number): NetworkFaults {
  return { delayMin, delaySpread, tailChance: 0, tailMax: 0, loss: 0, duplication: 0, inOrder: false }
}

export function contend(
  clients: number,
  seed: number,
  delays: NetworkFaults = WITHIN_DELAY,
  additions: Additions = {},
): Contention {
  const world = new World({ seed, network: delays })
  const exclusion = new ExclusionChecker()
  const responses: number[] = []
  const entries: { client: string; at: number; attempts: number }[] = []
  let attemptsMax = 0
  world.listen((node, heard) => {
    const event = heard as PrintedEvent
    if (event.kind !== 'entered') return
    responses.push(world.now / 1000)
    entries.push({ client: node.spec.id, at: world.now / 1000, attempts: event.attempts })
    attemptsMax = Math.max(attemptsMax, event.attempts)
    const until = world.whenClockShows(node, event.deadline) + 1
    exclusion.acquired('the lock', node.spec.id, responses.length, world.now, until)
  })
  addNodes(world, clients, additions)
  const patience = clients * PATIENCE_PER_CLIENT
  while (responses.length < clients && world.now < patience) world.run(world.now + SLICE)
  if (responses.length < clients) throw new Error(`${clients - responses.length} of ${clients} clients never entered`)
  const mean = responses.reduce((sum, response) => sum + response, 0) / clients
  const violations = exclusion.violations().length
  return { responses, mean, makespan: responses.at(-1)!, attemptsMax, violations, entries }
}

function addNodes(world: World, clients: number, { settings: added, hold }: Additions): void {
  const settings = { ...SETTINGS, ...added }
  const servers = Array.from({ length: SERVERS }, (_, place) => `server-${place + 1}`)
  const honest = printedServer(settings)
  for (const [place, id] of servers.entries()) {
    const protocol = place < SETTINGS.liars ? printedAlwaysYes.corrupt(honest) : honest
    world.add({ id, protocol, peers: [], vocabulary: printedVocabulary })
    world.start(id)
  }
  for (let place = 1; place <= clients; place++) {
    const id = `client-${place}`
    const protocol = printedClient(settings)
    world.add({ id, protocol, peers: servers, vocabulary: printedVocabulary, returns: false })
    world.start(id)
    world.command(id, { kind: 'contend', id: place, ...(hold === undefined ? {} : { hold: hold(place) }) })
  }
}
