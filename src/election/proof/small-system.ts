// An election small enough that the explorer can try everything: three members; two claim, and one is asked by
// both; one name, a tick or two. Each of the two sees only itself standing, the third has no opinion: so no ballots are
// needed, and what is left is terms, grants, promises, renewals and crashes. The machine is the one that ships.
//
// A tick is 5 ms of true time; fast clocks gain 6 in it and slow ones 4, so the drift is 0.2. A promise lasts 6 ms: one
// tick on a fast clock. A coordinator believes for 4 ms: one tick on a slow one. It fits exactly.

import { encode, type NodeId, type Saved } from '../../core/index.ts'
import type { Moment, System, SystemNode } from '../../simulator/index.ts'
import { firstElectorate } from '../count/electorate.ts'
import { election } from '../member/machine.ts'
import type { Keys } from '../member/scene.ts'
import { type ElectionState, newRace, type Race } from '../member/state.ts'
import { type ElectionSettings, electionDefaults } from '../settings.ts'
import { electionRecord } from '../wire.ts'
import { brokenElectionRules } from './planted.ts'

const NAME = 'jobs'
const PROMISE = 6
const DRIFT = 0.2
const FAST = 6
const SLOW = 4
/** Nothing is said again of its own accord: the network may say it twice. */
const NEVER = 10_000

export const FIRST = 'member-1'
export const SECOND = 'member-2'
export const THIRD = 'member-3'
const ALL = [FIRST, SECOND, THIRD]

export interface ElectionSystemOptions {
  readonly ticks: number
  readonly crashes?: number
  readonly duplicates?: number
  /** Both claim the same term; else the second one claims the next. */
  readonly sameTerm?: boolean
  /** The two seem gone to each other, and the third to both: what gossip may say in a partition. */
  readonly alone?: boolean
  /** A promise lasts two ticks, so that a renewal can come in time. */
  readonly longer?: boolean
  readonly bug?: string | undefined
}

/** Without arithmetic: whose signature it is, the network guarantees here. */
const keys: Keys = {
  signer: { publicKey: new Uint8Array(1), sign: () => new Uint8Array(1) },
  signatures: { verify: () => true },
  sealing: { publicKey: new Uint8Array(1), seal: (_to, bytes) => bytes, open: bytes => bytes },
}

const list = firstElectorate(ALL.map(id => ({ id, key: new Uint8Array(1), sealKey: new Uint8Array(1) })))
const first: Saved = new Map([['', [encode(electionRecord, { kind: 'first', electorate: list })]]])

export function electionSystem(options: ElectionSystemOptions): System {
  const settings: ElectionSettings = {
    ...electionDefaults,
    promise: options.longer ? 2 * PROMISE : PROMISE,
    drift: DRIFT,
    countAfter: NEVER,
    attemptMax: NEVER,
    holdMax: 0,
    // Views never change here, and waiting only makes more states.
    quiet: 0,
    // What was used of it would make states differ that are the same in all else.
    rateLimit: undefined,
    rules: brokenElectionRules(options.bug),
  }
  const { ticks, crashes = 0, duplicates = 0 } = options
  const nodes = ALL.map(id => member(settings, options, id))
  const acts = [FIRST, SECOND].map(node => ({ node, label: 'stands', command: () => ({ kind: 'open', name: NAME }) }))
  return { nodes, acts, ticks, crashes, duplicates }
}

function member(settings: ElectionSettings, options: ElectionSystemOptions, id: NodeId): SystemNode {
  const machine = election(settings, keys)
  const protocol = {
    ...machine,
    init(self: NodeId, peers: readonly NodeId[], saved: Saved) {
      const state = machine.init(self, peers, saved)
      if (self === THIRD) return state
      const race = state.races.get(NAME) ?? newRace(NAME)
      race.rows = [{ member: self, values: [] }]
      if (self === SECOND && !options.sameTerm) race.begunTerm = 1
      if (options.alone) state.failed = ALL.filter(other => other !== self)
      state.races.set(NAME, race)
      return state
    },
  }
  const node = { id, protocol, peers: [], saved: first, rate: id === THIRD ? FAST : SLOW }
  return id === THIRD ? { ...node, crashes: true } : node
}

export function raceAt(moment: Moment, system: System, id: NodeId): Race | undefined {
  const place = system.nodes.findIndex(node => node.id === id)
  return (moment.nodes[place]!.state as ElectionState).races.get(NAME)
}

export function clockOf(moment: Moment, system: System, id: NodeId): number {
  return moment.tick * system.nodes.find(node => node.id === id)!.rate
}

/** The term that this member believes, by its own clock, to lead. */
export function leads(moment: Moment, system: System, id: NodeId): number | undefined {
  const candidacy = raceAt(moment, system, id)?.candidacy
  if (candidacy === undefined || candidacy.phase === 'claiming') return undefined
  return clockOf(moment, system, id) < candidacy.deadline ? candidacy.term : undefined
}

/** The highest term that anybody knows to have been led. */
export function highestLed(moment: Moment, system: System): number {
  return Math.max(...ALL.map(id => raceAt(moment, system, id)?.leader?.term ?? 0))
}
