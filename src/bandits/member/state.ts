// What a member remembers of runs: which arms its owner has, whom it knows, the runs it takes part in, and those that it
// asked for and that have not begun.

import {
  type AnyProtocol,
  assert,
  decode,
  encode,
  type NodeId,
  type Protocol,
  type Saved,
  type Scene,
  timers,
} from '../../core/index.ts'
import type { PublicKey } from '../../crypto/index.ts'
import type { RewardRange } from '../rewards.ts'
import type { BanditRules } from '../rules.ts'
import type { Algorithm, BanditKeys, BanditParty, BanditRun, BanditSettings, Level } from '../settings.ts'
import type { BanditMessage } from '../wire.ts'
import type { LogEntry } from './entries.ts'
import {
  type Head,
  type MemberMessage,
  type MemberRecord,
  memberRecord,
  type Role,
  RUNS_MAX,
  type SavedAnswer,
  type Seat,
  type Terms,
} from './wire.ts'

/** What a member has to take part with. */
export interface BanditMemberSettings {
  readonly keys: BanditKeys
  /** After how long without news something is said again. */
  readonly repeat: number
  readonly rules: BanditRules
  /** Wraps the machine of a run as it is made: a wrapper around the member comes too late for it. No command sets it. */
  readonly disguise?: (role: Role, settings: BanditSettings, keys: BanditKeys) => AnyProtocol | undefined
  /** The keys of a member whose certificate holds, as it announced them. */
  keysOf(view: Announced): { readonly signing: PublicKey; readonly sealing: PublicKey } | undefined
}

/** What gossip tells of a member. */
export interface Announced {
  readonly member: NodeId
  readonly identity: Uint8Array
  readonly keys: readonly { readonly name: string; readonly key: Uint8Array }[]
}

/** A run that a user asks for. */
export interface Wanted {
  readonly name: string
  readonly algorithm: Algorithm
  readonly arms: readonly string[]
  readonly budget: number
  readonly batch: number
  readonly rewards: readonly [number, number]
  readonly shuffler: NodeId
  readonly comparator: NodeId
  readonly patience: number
  readonly audit: boolean
  /** Default `blind`. */
  readonly level?: Level
  /** See `BanditRun`. */
  readonly pace?: number
  readonly armTimeout?: number
  readonly drops?: boolean
  /** For SR-secured: who draws for each phase, and what only the user knows. */
  readonly search?: Search
}

/** What a search at the level of the thesis has besides. */
export interface Search {
  /** One less than there are arms. */
  readonly drawers: readonly NodeId[]
  /** What the arms are worth, and how far rewards are from it, in steps. */
  readonly values: readonly number[]
  readonly epsilon: number
}

/** What the owner of a member asks of it. */
export type BanditMemberCommand =
  /** From now on this member has that arm, for so many runs in all. */
  | { kind: 'serve'; name: string; arm: string; runs: number }
  | { kind: 'retire'; name: string; arm: string }
  /** The owner's answer to `asked`; `why` where it refuses. */
  | { kind: 'consent'; id: string; why: string | undefined }
  /** The reward of that pull, in steps of the grid. */
  | { kind: 'reward'; id: string; number: number; steps: number }
  /** The source gives no reward. */
  | { kind: 'fail'; id: string }
  /** Asks for a run. Answered by `answered`, `stopped` or `unstarted`. */
  | { kind: 'ask'; wanted: Wanted }
  /** The caller waits no longer. */
  | { kind: 'cancel'; name: string }
  /** The answer to `primes`, the highest byte first. */
  | { kind: 'primes'; id: string; p: Uint8Array; q: Uint8Array }
  /** From membership: what is known of a member now. */
  | { kind: 'changed'; view: Announced }
  /** At the start: what the logs of that user's runs take on this member's disk. */
  | { kind: 'logs'; user: NodeId; bytes: number }

/** What a member tells its owner. */
export type BanditMemberEvent =
  /** Shall the arm serve this run? Answer with `consent`. */
  | { kind: 'asked'; arm: string; terms: Terms }
  /** Pull the arm. Asked again with the same number after a restart. */
  | { kind: 'pull'; id: string; name: string; arm: string; number: number; rewards: RewardRange }
  /** An arm's run is over, or it has stopped. */
  | { kind: 'released'; id: string; name: string; arm: string; why: string }
  | { kind: 'progress'; name: string; round: number; spent: number }
  | {
      kind: 'answered'
      name: string
      best: number | undefined
      steps: number | undefined
      lost?: readonly number[]
      again?: number
      /** What the parties commit their logs with, where the run is to be audited. */
      heads: readonly { member: NodeId; head: Head }[]
    }
  /** A part of that run decrypts sums: answer with two primes of its own. Asked again after a restart. */
  | { kind: 'primes'; id: string; name: string }
  /** To be written behind the others, before anything else happens. */
  | { kind: 'log'; id: string; name: string; user: NodeId; number: number; entry: LogEntry }
  /** There is no answer. Arms may have been pulled. */
  | { kind: 'stopped'; name: string; why: string }
  /** The run has not begun, and no arm was pulled. */
  | { kind: 'unstarted'; name: string; why: string }

/** One machine of a run. */
export interface Playing {
  state: unknown
  /** What it saved last; empty before. */
  record: Uint8Array
  /** An arm waits for its source, and a user for its caller, after a restart. */
  awake: boolean
}

/** A run that this member takes part in. */
export interface Hosted {
  readonly terms: Terms
  readonly run: BanditRun
  readonly roles: Map<Role, Playing>
  readonly log: Kept
}

/** How far the log of a run is. */
export interface Kept {
  count: number
  head: Uint8Array
  readonly salt: Uint8Array
  /** The last message of each kind from each party: said again it is not kept again. */
  readonly last: Map<string, Uint8Array>
  /** The user's: the last words of the others on their logs. */
  readonly heads: Map<NodeId, Head>
  /** The user's answer, while it waits for these. */
  answer: (BanditMemberEvent & { kind: 'answered' }) | undefined
  /** How often it asks for them yet. */
  patience: number
}

/** A run that was asked for here and has not begun. */
export interface Asking {
  readonly wanted: Wanted
  /** Who has the arms, as far as they have answered. */
  readonly owners: Map<string, NodeId>
  /** Sent once all are known. */
  terms: Terms | undefined
  readonly accepted: Set<NodeId>
}

export interface BanditMemberState {
  readonly self: NodeId
  readonly known: Map<NodeId, BanditParty>
  /** By name and arm: for how many runs. */
  readonly serving: Map<string, number>
  /** By name and arm: how many runs it has served. */
  readonly served: Map<string, number>
  readonly runs: Map<string, Hosted>
  /** Invitations that the owner of the arm has not answered, by run. */
  readonly invited: Map<string, Terms>
  /** Last words on logs of runs that are over, for a user that asks again. */
  readonly closed: Map<string, Head>
  /** Runs that are over here: an invitation that comes once more begins none of them again. */
  readonly ended: Set<string>
  /** By name. */
  readonly asking: Map<string, Asking>
  /** Bytes of logs on this member's disk, by the user that asked for the runs. */
  readonly logged: Map<NodeId, number>
  /** Records since the last account of everything. */
  saves: number
}

export interface BanditMemberScene
  extends Scene<BanditMemberState, BanditMemberSettings, MemberMessage, BanditMemberEvent> {
  /** Words of this member to itself, which owns an arm and asks: heard before the step ends. */
  readonly own: { readonly hosted: Hosted; readonly body: BanditMessage }[]
  /** Runs that this step ends, and what they come to. */
  readonly over: { readonly hosted: Hosted; readonly event: BanditMemberEvent | undefined }[]
}

/** A member's part in private runs, as a protocol. */
export type BanditMember = Protocol<BanditMemberState, MemberMessage, BanditMemberCommand, BanditMemberEvent>

/** `machine` carries the words of a run's own machine; the others are the member's. */
export const memberTimers = timers('seek', 'expire', 'machine', 'heads')

/** Members whose keys are kept: more are names that came and went. */
export const KNOWN_MAX = 4_096
/** Runs of one user at once. */
export const RUNS_OF_USER_MAX = 8
/**
 * Bytes of logs of one user's runs on a member's disk. Who is named as shuffler or comparator takes part without being asked, and the
 * parties choose what is in its log: without a bound one of them fills the disk of another.
 */
export const LOG_BYTES_OF_USER_MAX = 2 ** 30
/** Runs that are over and not forgotten: messages are not late by more than these. */
const ENDED_MAX = 64

/** Notes that a run is over; the one that ended first is forgotten. */
export function noteEnded(ended: Set<string>, id: string): void {
  const [oldest] = ended
  if (ended.size >= ENDED_MAX && oldest !== undefined) ended.delete(oldest)
  ended.add(id)
}

/** Records between two accounts of everything. */
const SAVES_MAX = 512

export const armKey = (name: string, arm: string): string => `${name}/${arm}`

/** A log with nothing in it. */
export function newLog(salt: Uint8Array): Kept {
  return { count: 0, head: new Uint8Array(0), salt, last: new Map(), heads: new Map(), answer: undefined, patience: 0 }
}

/** A run by its terms and the keys of its parties; `nonce` binds it to every word of the terms. */
export function runOf(terms: Terms, parties: readonly BanditParty[], nonce: Uint8Array): BanditRun {
  const of = (id: NodeId) => parties.find(party => party.id === id)!
  const { name, algorithm, level, budget, batch, least, most, seats, shuffler, comparator, user } = terms
  const { pace, armTimeout, drops } = terms
  return {
    name,
    algorithm,
    level,
    pace,
    armTimeout,
    drops,
    budget,
    batch,
    rewards: [least, most],
    nonce,
    arms: seats.map(({ member }) => of(member)),
    shuffler: of(shuffler),
    comparator: of(comparator),
    user: of(user),
  }
}

export function partiesOf({ shuffler, comparator, user, seats }: Terms): NodeId[] {
  return [...new Set([shuffler, comparator, user, ...seats.map(({ member }: Seat) => member)])]
}

/** Everybody in a run, each once. */
export function everyParty({ user, shuffler, comparator, arms }: BanditRun): BanditParty[] {
  return [...new Map([user, shuffler, comparator, ...arms].map(party => [party.id, party])).values()]
}

export function saveRecord({ state, turn }: Pick<BanditMemberScene, 'state' | 'turn'>, record: MemberRecord): void {
  turn.do({ kind: 'save', record: encode(memberRecord, record) })
  state.saves++
}

/** What is worth keeping, in one record instead of many. */
export function accountFor({ state, turn }: BanditMemberScene): void {
  if (state.saves < SAVES_MAX) return
  state.saves = 0
  const records: MemberRecord[] = []
  for (const id of state.ended) records.push({ kind: 'ended', id })
  for (const [key, count] of state.served) {
    const [name, arm] = key.split('/') as [string, string]
    records.push({ kind: 'served', name, arm, count })
  }
  for (const { terms, run, roles, log } of state.runs.values()) {
    records.push({ kind: 'run', terms, parties: everyParty(run), roles: [...roles.keys()] })
    for (const [role, { record }] of roles) {
      if (record.length > 0) records.push({ kind: 'role', id: terms.id, role, record })
    }
    const { count, head, salt } = log
    if (terms.audit) records.push({ kind: 'log', id: terms.id, count, head, salt })
    if (log.answer !== undefined) records.push({ kind: 'answer', id: terms.id, answer: savedAnswer(log.answer) })
  }
  const whole: MemberRecord = { kind: 'whole', records: records.map(record => encode(memberRecord, record)) }
  turn.do({ kind: 'snapshot', record: encode(memberRecord, whole) })
}

/** An answer in the form in which it is saved. */
export function savedAnswer({
  best,
  steps,
  lost = [],
  again = 0,
}: BanditMemberEvent & { kind: 'answered' }): SavedAnswer {
  return { best: (best ?? -1) + 1, steps: steps ?? 0, lost, again }
}

/** And back. */
export function answerFrom(
  name: string,
  { best, steps, lost, again }: SavedAnswer,
): BanditMemberEvent & { kind: 'answered' } {
  const found = best > 0 ? { best: best - 1, steps: undefined } : { best: undefined, steps }
  return { kind: 'answered', name, ...found, lost, again, heads: [] }
}

/** What was saved, in order. A record that cannot be read is a broken disk: the node must not go on. */
export function readSaved(saved: Saved): MemberRecord[] {
  const read = (bytes: Uint8Array): MemberRecord[] => {
    const decoded = decode(memberRecord, bytes)
    assert(decoded.ok, 'what a member saved of its runs can be read')
    return decoded.value.kind === 'whole' ? decoded.value.records.flatMap(read) : [decoded.value]
  }
  return (saved.get('') ?? []).flatMap(read)
}

export function checkMember({ runs, known, invited, self }: BanditMemberState): void {
  assert(runs.size <= RUNS_MAX, 'runs are bounded')
  assert(invited.size <= RUNS_MAX, 'invitations are bounded')
  assert(known.size <= KNOWN_MAX, 'keys are bounded')
  for (const { terms, roles } of runs.values()) {
    assert(partiesOf(terms).includes(self), `a run of others: ${terms.name}`)
    assert(roles.size > 0, `a run without a part: ${terms.name}`)
  }
}
