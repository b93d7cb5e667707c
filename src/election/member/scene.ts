// What every handler is given, and the small things that all of them do: finding an election, counting a quorum,
// sending.

import type { Millis, NodeId, Scene, Turn } from '../../core/index.ts'
import type { Group, KeyPair, Sealing, Signatures, Signer } from '../../crypto/index.ts'
import type { ClaimCheck } from '../count/claim.ts'
import { digestOf, memberOf } from '../count/electorate.ts'
import { hasCountingKey } from '../count/secret.ts'
import type { ElectionSettings } from '../settings.ts'
import {
  type ElectionMessage,
  type Electorate,
  NAME_BYTES_MAX,
  NAMES_MAX,
  NAMES_PER_MEMBER,
  type Poll,
} from '../wire.ts'
import type { ElectionEvent } from './commands.ts'
import { type Attempt, type ElectionState, type ElectionTimer, electionTimers, newRace, type Race } from './state.ts'

/** The keys that a member votes with. */
export interface Keys {
  readonly signer: Signer
  readonly signatures: Signatures
  readonly sealing: Sealing
  /** For secret ballots: the group that all members agree on, and the own keys in it. */
  readonly counting?: Counting
}

/** What a secret election counts with. */
export interface Counting {
  readonly group: Group
  readonly keys: KeyPair
}

export type ElectionTurn = Turn<ElectionMessage, ElectionEvent>

export interface ElectionScene extends Scene<ElectionState, ElectionSettings, ElectionMessage, ElectionEvent> {
  readonly keys: Keys
}

export function send(scene: ElectionScene, to: NodeId, body: ElectionMessage): void {
  scene.turn.do({ kind: 'send', to, body })
}

export function others(scene: ElectionScene): NodeId[] {
  const { electorate, self } = scene.state
  return electorate?.members.flatMap(({ id }) => (id === self ? [] : [id])) ?? []
}

type RaceTimer = Exclude<ElectionTimer, 'carry'>

export function setTimer({ turn }: ElectionScene, kind: RaceTimer, race: Race, after: Millis): void {
  electionTimers.set(turn, kind, Math.max(1, Math.ceil(after)), race.name)
}

export function cancelTimers({ turn }: ElectionScene, race: Race, ...kinds: readonly RaceTimer[]): void {
  for (const kind of kinds) electionTimers.cancel(turn, kind, race.name)
}

export function emit({ turn }: ElectionScene, event: ElectionEvent): void {
  turn.do({ kind: 'emit', event })
}

/**
 * The election of that name; a new one is made while there is room. Each other member can bring up a few, and
 * all of them half of the room: the rest is for this member's own user.
 */
export function raceOf({ state }: ElectionScene, name: string, by: NodeId = ''): Race | undefined {
  const known = state.races.get(name)
  if (known !== undefined) {
    // What the own user speaks of is on nobody's account.
    if (by === '') known.broughtUpBy = ''
    return known
  }
  if (name.length > NAME_BYTES_MAX || state.races.size >= NAMES_MAX) return undefined
  const foreign = [...state.races.values()].filter(race => race.broughtUpBy !== '')
  const theirs = foreign.filter(race => race.broughtUpBy === by).length
  if (by !== '' && (theirs >= NAMES_PER_MEMBER || foreign.length >= NAMES_MAX / 2)) return undefined
  const race = newRace(name, by)
  state.races.set(name, race)
  return race
}

/** Who cannot stand under this list: where ballots are secret, members that proved no key. */
export function keylessOf({ settings, keys }: ElectionScene, electorate: Electorate): NodeId[] {
  if (settings.mode === 'sealed' || keys.counting === undefined) return []
  const { group } = keys.counting
  return electorate.members.flatMap(voter => (hasCountingKey(group, voter, settings.rules) ? [] : [voter.id]))
}

export function quorum({ state, settings }: ElectionScene, electorate: Electorate): number {
  const alive = electorate.members.filter(({ id }) => !state.failed.includes(id)).length
  return settings.rules.quorum(electorate.members.length, settings.liars, alive)
}

export function isBound({ settings, turn }: ElectionScene, race: Race): boolean {
  return settings.rules.isBound(turn.now, race.promisedUntil)
}

/** Whether this member may promise anything under its list: it is in it, and remembers what it promised. */
export function mayPromise({ state }: ElectionScene): boolean {
  return state.mayGrant && memberOf(state.electorate, state.self) !== undefined
}

/** Somebody is known to lead. */
export function isLed({ turn }: ElectionScene, race: Race): boolean {
  return race.leader !== undefined && turn.now < race.leader.until
}

export function claimCheck(scene: ElectionScene): ClaimCheck {
  const { state, settings, keys } = scene
  const electorate = state.electorate!
  const { signatures, counting } = keys
  return { electorate, quorum: quorum(scene, electorate), settings, signatures, group: counting?.group }
}

export function pollOf(race: Race, attempt: Pick<Attempt, 'term' | 'digest'>, electorate: Electorate): Poll {
  return { name: race.name, term: attempt.term, electorate: digestOf(electorate), view: attempt.digest }
}
