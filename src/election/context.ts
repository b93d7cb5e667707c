// Small things that every part of the machine does: finding an election, counting a quorum, saying something.

import type { Millis, NodeId } from '../core/index.ts'
import type { Poll } from './ballot.ts'
import { digestOf, type Electorate, memberOf } from './electorate.ts'
import { type ElectionMessage, NAME_BYTES_MAX, NAMES_MAX, NAMES_PER_MEMBER, TERMS_PER_LIST } from './messages.ts'
import { hasCountingKey } from './secret.ts'
import { type Attempt, type Context, newRace, type Race } from './state.ts'

/** How far one message can raise the term that is thought to be next: a liar burns terms slowly. */
const TERM_STEP = 1_024

export function send(context: Context, to: NodeId, body: ElectionMessage): void {
  context.turn.do({ kind: 'send', to, body })
}

export function others(context: Context): NodeId[] {
  const { electorate, self } = context.state
  return electorate?.members.flatMap(({ id }) => (id === self ? [] : [id])) ?? []
}

type Purpose = 'attempt' | 'count' | 'claim' | 'start' | 'promise' | 'held' | 'renew' | 'end' | 'over'

export function setTimer(context: Context, purpose: Purpose, race: Race, after: Millis): void {
  context.turn.do({ kind: 'timer', name: `${purpose}:${race.name}`, after: Math.max(1, Math.ceil(after)) })
}

export function cancel(context: Context, race: Race, ...purposes: readonly Purpose[]): void {
  for (const purpose of purposes) context.turn.do({ kind: 'cancel', name: `${purpose}:${race.name}` })
}

/**
 * The election of that name; a new one is made while there is room. Others have room for so many names each, and half
 * of all: the rest is for this member's own user.
 */
export function raceOf({ state }: Context, name: string, by: NodeId = ''): Race | undefined {
  const known = state.races.get(name)
  if (known !== undefined) {
    // What the own user speaks of is on nobody's account.
    if (by === '') known.by = ''
    return known
  }
  if (name.length > NAME_BYTES_MAX || state.races.size >= NAMES_MAX) return undefined
  const foreign = [...state.races.values()].filter(race => race.by !== '')
  const theirs = foreign.filter(race => race.by === by).length
  if (by !== '' && (theirs >= NAMES_PER_MEMBER || foreign.length >= NAMES_MAX / 2)) return undefined
  const race = newRace(name, by)
  state.races.set(name, race)
  return race
}

/** Who cannot stand under this list: where ballots are secret, whoever has no key that it proved. */
export function keylessOf({ settings, keys }: Context, electorate: Electorate): NodeId[] {
  if (settings.mode === 'sealed' || keys.counting === undefined) return []
  const { group } = keys.counting
  return electorate.members.flatMap(voter => (hasCountingKey(group, voter, settings.rules) ? [] : [voter.id]))
}

export function quorum({ state, settings }: Context, electorate: Electorate): number {
  const alive = electorate.members.filter(({ id }) => !state.failed.includes(id)).length
  return settings.rules.quorum(electorate.members.length, settings.liars, alive)
}

/** Remembers that there is such a term, as far as one message may raise it. */
export function hear(race: Race, term: number): void {
  race.seen = Math.max(race.seen, Math.min(term, race.seen + TERM_STEP))
}

/** Whether a term may be granted or voted in under this list. */
export function isReachable({ state }: Context, race: Race, term: number): boolean {
  const { floor } = state
  return term > floor && term <= floor + TERMS_PER_LIST && term <= Math.max(race.seen, floor) + TERM_STEP
}

/** The term to begin: one that others vote in already and we do not, or the one after all that we heard of. */
export function nextTerm({ state }: Context, race: Race): number {
  const past = Math.max(race.term, race.voted, state.floor)
  const begun = Math.max(0, ...[...race.early.values()].map(({ term }) => term))
  return begun > past && begun === race.seen ? begun : Math.max(race.seen, past) + 1
}

export function isBound({ settings, turn }: Context, race: Race): boolean {
  return settings.rules.isBound(turn.now, race.promisedUntil)
}

/** Whether this member may promise anything under its list: it is in it, and remembers what it promised. */
export function mayPromise({ state }: Context): boolean {
  return state.mayGrant && memberOf(state.electorate, state.self) !== undefined
}

/** Somebody is known to lead. */
export function isLed({ turn }: Context, race: Race): boolean {
  return race.known !== undefined && turn.now < race.known.until
}

export function pollOf(race: Race, attempt: Pick<Attempt, 'term' | 'digest'>, electorate: Electorate): Poll {
  return { name: race.name, term: attempt.term, electorate: digestOf(electorate), view: attempt.digest }
}
