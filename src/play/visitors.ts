// Random visitors of a level: they say random words and do random things, all within what the promise is made for. Where the
// machines are right, none of them breaks anything; where a bug is planted, some do.

import { type NodeId, type Random, seededRandom } from '../core/index.ts'
import type { ManualAct, ManualKind, RunName, RunSpec } from '../simulator/index.ts'
import { pick } from '../simulator/index.ts'

/** What visitors find: a run, its traitor, and who can be struck. */
export interface Visited {
  readonly run: RunName
  readonly traitor?: NodeId
  readonly letters: readonly string[]
  readonly servers: readonly NodeId[]
  readonly clients: readonly NodeId[]
  readonly commands: readonly string[]
  readonly kinds: readonly ManualKind[]
  /** Until when things are done. */
  readonly until: number
  readonly drift: number
}

/** The most that one visitor does. */
const ACTS_MAX = 12
const WORDS_MAX = 20
const NTH_MAX = 12
const HOLD_MAX = 3_000_000
const LASTS_MAX = 4_000_000

/** What this visitor does: the same for the same seed. */
export function visitor(visited: Visited, seed: number): RunSpec {
  const random = seededRandom(seed, 0x5717)
  const { run, traitor, letters } = visited
  const kinds = visited.kinds.filter(() => random.chance(0.5))
  const acts =
    kinds.length === 0 ? [] : Array.from({ length: random.below(ACTS_MAX + 1) }, () => act(random, visited, kinds))
  const words = Array.from({ length: random.below(WORDS_MAX + 1) }, () => pick(random, letters))
  // Twice a clock has no meaning: the last would count.
  const drifting = new Set<NodeId>()
  const once = acts.filter(done => done.kind !== 'drift' || !(drifting.has(done.node) || !drifting.add(done.node)))
  return {
    run,
    seed: 1 + random.below(1_000),
    acts: once,
    say: traitor === undefined ? {} : { [traitor]: { words, always: pick(random, letters) } },
  }
}

function act(
  random: Random,
  { servers, clients, commands, until, drift }: Visited,
  kinds: readonly ManualKind[],
): ManualAct {
  const kind = pick(random, kinds)
  const all = [...servers, ...clients]
  const at = random.below(until)
  const lasts = 1 + random.below(random.chance(0.5) ? LASTS_MAX : LASTS_MAX / 40)
  const [client, server] = [pick(random, clients), pick(random, servers)]
  const [from, to] = random.chance(0.5) ? [client, server] : [server, client]
  const nth = 1 + random.below(NTH_MAX)
  const by = random.below(random.chance(0.5) ? HOLD_MAX : 5_000)
  switch (kind) {
    case 'cut':
      return { kind, from, to, at, lasts }
    case 'crash':
      return { kind, node: random.chance(0.8) ? server : client, at, lasts }
    case 'lose':
      return { kind, node: server, at, lasts }
    case 'pause':
      return { kind, node: pick(random, all), at, lasts }
    case 'slow':
      return { kind, node: pick(random, all), at, lasts, factor: 2 + random.below(200) }
    case 'drift':
      return { kind, node: pick(random, all), rate: pick(random, [1 - drift, 1 + drift]) }
    case 'hold':
    case 'twice':
      return { kind, from, to, nth, by }
    case 'drop':
      return { kind, from, to, nth }
    case 'do':
      return { kind, client, command: pick(random, commands), at }
  }
}
