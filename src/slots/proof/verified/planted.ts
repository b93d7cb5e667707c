// Bugs planted on purpose, one broken rule each. If the checkers do not find them, they would not find ours either.

import type { SlotsSettings } from '../../settings.ts'
import type { SlotsRules } from '../../verified/rules.ts'
import type { Weather } from './plan.ts'

export interface PlantedSlotsBug {
  readonly rules: Partial<SlotsRules>
  /** Who takes advantage of it; nobody has to if it goes wrong by itself. */
  readonly liar?: string
  /** Where it shows soonest. */
  readonly members?: number
  readonly settings?: Partial<SlotsSettings>
  readonly weather?: Weather
  /** False: nothing goes wrong by itself. */
  readonly faults?: boolean
}

/** Rounds that follow each other closely. */
const plain: Partial<SlotsSettings> = { fairness: 'lottery', concurrent: false, paced: false, onDemand: false }

/** A group that changes at the slightest silence, and never gets to deal. */
const restless: Partial<SlotsSettings> = { lease: 12_000, patience: 700, settle: 1_000, drift: 0.02 }

/** The lease is over soon after the patience is: a member that is a little too late is too late for all. */
const shortLease: Partial<SlotsSettings> = {
  ...plain,
  lease: 2_400,
  patience: 1_800,
  drift: 0.01,
  slots: ['a', 'b', 'c'],
}

/**
 * What holds up round after round is left out sooner or later by these, and stays outside for longer and longer: they would hide
 * for a while that a rule about one round is broken.
 */
const patient: Partial<SlotsRules> = {
  addsUp: () => false,
  complainsAgainAtOnce: () => false,
  waitsLonger: () => false,
  silenceCounts: () => 0,
}

/** Rules that are broken on purpose, by name. */
export const plantedSlotsBugs: Readonly<Record<string, PlantedSlotsBug>> = {
  'no-possession': { rules: { needsPossession: () => false }, liar: 'rogue-key', settings: plain },
  'share-before-seals': { rules: { mayShare: () => true }, settings: plain },
  'share-for-any-point': { rules: { pointToShare: (_dealt, asked) => asked }, liar: 'asking-for-more' },
  'share-twice': { rules: { sharesOnce: () => false }, liar: 'asking-for-more', settings: plain },
  'lateness-forgiven': {
    rules: { lateness: (_seal, share) => share, ...patient },
    liar: 'lingering',
    members: 6,
    settings: { ...plain, slots: ['a', 'b', 'c', 'd'], drift: 0.05 },
  },
  'complaint-forgiven': {
    rules: { complaintLateness: (_seal, complained) => complained, ...patient },
    liar: 'late-to-one',
    settings: shortLease,
  },
  'no-reason-needed': { rules: { needsReason: () => false }, liar: 'restless', settings: plain },
  'restart-at-once': {
    rules: { restartWaits: () => false, waitsLonger: () => false },
    liar: 'restarting',
    members: 4,
    settings: { ...plain, paced: true },
  },
  'any-record': { rules: { mustAnswer: () => false }, liar: 'clinging', settings: plain },
  'hasty-leader': { rules: { hearsHasty: () => true }, liar: 'splitting', settings: plain },
  'own-share-sent': { rules: { sharesWith: () => true } },
  'reuse-before-lease': { rules: { mayReuse: () => true } },
  'overtaking-round': {
    rules: { mayOvertake: () => true },
    liar: 'hasty-header',
    members: 5,
    settings: { ...plain, slots: ['a', 'b', 'c'], drift: 0.05 },
    faults: false,
  },
  'lease-from-opening': {
    rules: { deadline: (_sealedAt, openedAt, lease, drift) => openedAt + lease * (1 - drift) },
    members: 4,
    settings: { ...plain, drift: 0.01, beat: 300 },
    weather: 'late words',
  },
  'no-drift-factor': {
    rules: {
      mayReuse: (closed, sharedAt, now, lease) => closed || now >= sharedAt + lease,
      deadline: (sealedAt, _openedAt, lease) => sealedAt + lease,
      quiet: lease => lease,
    },
    settings: { ...plain, drift: 0.2 },
    weather: 'leavers',
  },
  'no-quiet': { rules: { quiet: () => 0 }, settings: plain, weather: 'leavers' },
  'quorum-too-small': {
    rules: { successionQuorum: members => Math.floor(members / 2) },
    members: 6,
    settings: restless,
    weather: 'successions',
  },
  'no-proof-of-knowledge': { rules: { needsKnowledge: () => false }, liar: 'cancelling', settings: plain },
  'vote-before-opening': { rules: { votesBeforeOpening: () => true } },
  'requests-forgotten': { rules: { keepsRequests: () => false }, settings: { ...plain, onDemand: true } },
  'key-posted-again': { rules: { staysOut: () => false } },
  'no-re-encryption': { rules: { reencrypts: () => false } },
  'told-behind-saves': { rules: { userLane: () => ({}) }, settings: plain, weather: 'slow disks' },
  'bad-lap-sealed': { rules: { refusesBadLap: () => false }, liar: 'doubled-ticket' },
}
