// What a simulated run of slots is made of, drawn from its seed: settings, members and their clocks, who lies, what
// users do, faults and the weather.

import type { NodeId, Random } from '../../../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../../../crypto/index.ts'
import {
  calm,
  drawFaults,
  drawNetwork,
  type Micros,
  type NetworkFaults,
  type Plan,
  pick,
} from '../../../simulator/index.ts'
import { type SlotsSettings, slotsDefaults } from '../../settings.ts'
import type { SlotsRules } from '../../verified/rules.ts'
import type { SlotsAct } from '../seekers.ts'
import { slotsLiars } from './liars.ts'

export interface SlotsPlan extends Plan<SlotsAct> {
  readonly settings: SlotsSettings
  readonly members: readonly NodeId[]
  /** Members that are not in the first epoch and join. */
  readonly late: readonly NodeId[]
  /** Which member lies, and how. */
  readonly liars: ReadonlyMap<NodeId, string>
  /** Who shows its key to the secrecy checker: up to n - 2, the liars among them. */
  readonly coalition: ReadonlySet<NodeId>
  readonly rates: ReadonlyMap<NodeId, number>
  /** The longest that a save takes. */
  readonly diskMax: Micros
  /** Whether everybody must be served after healing. */
  readonly demands: boolean
}

/** Conditions in which some bugs show sooner than in what is drawn for all. */
export type Weather =
  /** A quick network in which one word in ten is late; holders that hold to the end. */
  | 'late words'
  /** A quick network; holders that leave the group with their seat. */
  | 'leavers'
  /** Nothing but epochs that follow each other: nobody wants a seat. */
  | 'successions'
  /** A quick network, saves of seconds, and a member that leaves, so that there is something to save. */
  | 'slow disks'

/** The size of the group, its liars, and what is planted. */
export interface SlotsScenarioOptions {
  readonly members?: number
  readonly liars?: number
  readonly rules?: SlotsRules
  /** This liar, instead of one that is drawn. */
  readonly liar?: string
  /** Settings that are not drawn. */
  readonly settings?: Partial<SlotsSettings>
  /** False: nothing goes wrong but what the liar does. */
  readonly faults?: boolean
  readonly weather?: Weather
  /** Ends the run early, before anybody demands to be served. */
  readonly until?: Micros
}

export const SECOND: Micros = 1_000_000
const SAFETY = 15 * SECOND
/** Runs end when everybody is served. The longest run: enough rounds to show that somebody is not. */
const LIVENESS = 600 * SECOND
/** Mild clocks, and bad ones; with the worst no patience fits where somebody lies. */
const DRIFTS = [0.05, 0.2]
const DRIFTS_AMONG_LIARS = [0.05, 0.1]
const PATIENCE_AMONG_LIARS = 1_900
const MEMBERS = 5
const DISK: Micros = 5_000
const SLOW_DISK: Micros = 2 * SECOND

const drawnSettings: Omit<SlotsSettings, 'slots'> = {
  ...slotsDefaults,
  name: 'channels',
  lease: 3_000,
  beat: 100,
  checkMax: 800,
  patience: 2_000,
  settle: 8_000,
}

export function drawPlan(random: Random, options: SlotsScenarioOptions): SlotsPlan {
  const size = options.members ?? MEMBERS
  const all = Array.from({ length: size }, (_, place) => `member-${place + 1}`)
  const late = random.chance(0.2) && size > 4 ? all.slice(-1) : []
  const members = all.slice(0, size - late.length)
  const liarCount = options.liars ?? 1
  const kinds = slotsLiars(NO_MEANS).map(liar => liar.name)
  const liars = new Map<NodeId, string>()
  for (let i = 0; i < liarCount; i++) {
    // Drawn in any case: a seed with its liar named stays the same when there are more kinds of them.
    const [who, kind] = [pick(random, members), pick(random, kinds)]
    liars.set(who, options.liar ?? kind)
  }
  const colluders = members.filter(member => !liars.has(member)).slice(0, Math.max(0, members.length - 2 - liars.size))
  const acts = drawActs(random, all, options.weather)
  const faultless = options.faults === false || options.weather === 'late words' || options.weather === 'leavers'
  const faults = faultless ? [] : drawFaults(random, { durable: all, all }, SAFETY, 5 * SECOND)
  const network = weatherOf(random, options)
  const settings = { ...drawSettings(random, members.length, liarCount), ...options.settings }
  // A disk that is slower than the patience makes its member silent.
  const demands = options.weather !== 'successions' && options.weather !== 'slow disks'
  return {
    settings,
    members,
    late,
    liars,
    coalition: new Set([...liars.keys(), ...colluders]),
    diskMax: options.weather === 'slow disks' ? SLOW_DISK : DISK,
    rates: drawRates(random, all, settings.drift, acts, options.weather),
    network,
    faults,
    demands,
    acts,
    healsAt: SAFETY,
    ends: options.until ?? (demands ? SAFETY + LIVENESS : SAFETY + 1),
    drawn: {
      members: members.length,
      late: late.length,
      slots: settings.slots.length,
      liars: [...liars].map(([member, kind]) => `${member} ${kind}`).join(', ') || 'none',
      faults: faults.length,
      rounds: `${settings.fairness}${settings.concurrent ? ' concurrent' : ''}${settings.paced ? ' paced' : ''}${settings.onDemand ? ' on demand' : ''}`,
    },
  }
}

function drawSettings(random: Random, members: number, liars: number): SlotsSettings {
  const rotating = random.chance(0.2)
  const slots = Array.from({ length: 1 + random.below(members - 1) }, (_, place) => `slot-${place + 1}`)
  return {
    ...drawnSettings,
    slots,
    liars,
    drift: pick(random, liars === 0 ? DRIFTS : DRIFTS_AMONG_LIARS),
    patience: liars === 0 ? drawnSettings.patience : PATIENCE_AMONG_LIARS,
    fairness: rotating ? 'rotating' : 'lottery',
    concurrent: !rotating && random.chance(0.3),
    paced: random.chance(0.2),
    onDemand: random.chance(0.2),
  }
}

// The adversary's clocks sit at the ends of what is allowed as often as between.
function drawRates(
  random: Random,
  members: readonly NodeId[],
  drift: number,
  acts: SlotsPlan['acts'],
  weather: Weather | undefined,
): ReadonlyMap<NodeId, number> {
  const leaves = (member: NodeId) => acts.some(act => act.kind === 'leave' && act.member === member)
  const ends = weather === 'leavers' ? (member: NodeId) => (leaves(member) ? -1 : 1) : undefined
  const drawn = () => pick(random, [-1, -1, 0, 1, 1, random.unit() * 2 - 1])
  return new Map(members.map(member => [member, 1 + drift * (ends?.(member) ?? drawn())]))
}

const QUICK: NetworkFaults = { ...calm, inOrder: false }

function weatherOf(random: Random, { weather, faults }: SlotsScenarioOptions): NetworkFaults {
  const drawn = drawNetwork(random)
  if (weather === 'late words') return { ...QUICK, tailChance: 0.03, tailMax: 2 * SECOND }
  if (weather === 'leavers' || weather === 'slow disks' || faults === false) return QUICK
  return weather === 'successions' ? { ...drawn, loss: 0.3, tailChance: 0.1, tailMax: 3 * SECOND } : drawn
}

function drawActs(random: Random, members: readonly NodeId[], weather: Weather | undefined): SlotsPlan['acts'] {
  const acts: (SlotsAct & { at: Micros })[] = []
  const busy = 1 + random.below(10)
  const long = weather === undefined ? pick(random, [0.1, 0.3, 0.9]) : 1
  const leaving = weather === undefined ? 0.2 : Number(weather === 'leavers' || weather === 'slow disks')
  const longest = weather === undefined ? 0 : 6 * SECOND
  if (weather === 'successions') return acts
  for (const member of members) {
    for (let i = 0; i < busy; i++) {
      const hold = longest + random.below(random.chance(long) ? 6 * SECOND : SECOND / 2)
      acts.push({ kind: 'use', member, at: random.below(SAFETY), hold, patience: random.below(8 * SECOND) })
    }
  }
  if (random.chance(leaving))
    acts.push({
      kind: 'leave',
      member: pick(random, members),
      seated: weather !== undefined,
      at: random.below(SAFETY / 2),
    })
  return acts
}

const NO_MEANS = { group: insecureBareGroup(), signer: idealSignatures().signer('nobody'), known: [] }
