// Leading: a coordinator believes while q promises stand, counted from before it asked, and says so again and again
// (IAA). It is told of the end before it comes; nobody else can be granted the next term before it has come.

import { assert, type Millis, type NodeId } from '../core/index.ts'
import { believedUntil, number } from './claiming.ts'
import { cancel, isBound, isLed, mayPromise, others, quorum, raceOf, send, setTimer } from './context.ts'
import { mayProlong } from './doubting.ts'
import { memberOf } from './electorate.ts'
import { grant, isProved } from './granting.ts'
import { isSameList } from './lists.ts'
import type { ElectionMessage } from './messages.ts'
import type { ElectionSettings } from './settings.ts'
import type { Candidacy, Context, Race } from './state.ts'
import { blame, dropAttempt, startElection } from './voting.ts'

/** `lost` comes this part of the belief before its end, so that a timer a little late still is in time. */
const WARNING_PART = 1 / 20
/** A renewal is sent when this part of the belief is over: two may fail before anything is lost. */
const RENEWAL_PART = 1 / 3

type Alive = Extract<ElectionMessage, { kind: 'alive' }>

/** The q-th largest: until then, q promises stand. */
function deadlineOf(context: Context, candidacy: Candidacy): Millis {
  const electorate = context.state.electorate!
  const standing = [...candidacy.until].filter(([id]) => memberOf(electorate, id) !== undefined)
  const sorted = standing.map(([, until]) => until).sort((one, other) => other - one)
  return sorted[quorum(context, electorate) - 1] ?? Number.NEGATIVE_INFINITY
}

export function becomeCoordinator(context: Context, race: Race, candidacy: Candidacy): void {
  const { state, turn } = context
  const deadline = deadlineOf(context, candidacy)
  // Every answer may have been slower than the promises are long.
  if (turn.now >= deadline) return
  candidacy.phase = 'leading'
  candidacy.deadline = deadline
  const { name } = race
  const { term, claim } = candidacy
  cancel(context, race, 'claim')
  turn.do({ kind: 'emit', event: { kind: 'elected', name, term, deadline, claim } })
  learn(context, race, term, state.self)
  schedule(context, race, candidacy)
  renew(context, race)
}

export function warningOf({ rules, promise, drift }: ElectionSettings): Millis {
  return rules.belief(promise, drift) * WARNING_PART
}

function schedule(context: Context, race: Race, candidacy: Candidacy): void {
  const { settings, turn } = context
  if (!settings.rules.warns()) return
  setTimer(context, 'end', race, Math.floor(candidacy.deadline - warningOf(settings) - turn.now))
}

/** More promises have come: the belief follows, and never goes back. */
export function prolong(context: Context, race: Race, candidacy: Candidacy): void {
  // A process that was stopped may find answers that are older than the end of its belief.
  if (context.turn.now >= candidacy.deadline) return lose(context, race)
  const deadline = deadlineOf(context, candidacy)
  // Just after a change of the list, the promises of the old one may reach further than those that count by the new.
  if (deadline <= candidacy.deadline) return
  candidacy.deadline = deadline
  candidacy.by = context.state.electorate!.number
  const { name } = race
  context.turn.do({ kind: 'emit', event: { kind: 'extended', name, term: candidacy.term, deadline } })
  schedule(context, race, candidacy)
}

/** "I am alive": asks everybody, and itself, to promise for longer. */
export function renew(context: Context, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase !== 'leading') return
  const { state, settings, turn } = context
  if (turn.now >= candidacy.deadline || race.term !== candidacy.term) return lose(context, race)
  const asked = number(candidacy, turn.now)
  const { name } = race
  const { term } = candidacy
  const { number: electorate } = state.electorate!
  const grants = [...candidacy.grants.values()]
  for (const to of others(context)) {
    send(context, to, {
      kind: 'alive',
      name,
      term,
      electorate,
      asked,
      by: candidacy.by,
      under: candidacy.claim.electorate,
      grants: candidacy.aware.get(to) ? [] : grants,
    })
  }
  const belief = settings.rules.belief(settings.promise, settings.drift)
  if (mayPromise(context)) {
    grant(context, race, state.self, term, candidacy.by)
    candidacy.until.set(state.self, turn.now + belief)
    learn(context, race, term, state.self)
    prolong(context, race, candidacy)
  }
  setTimer(context, 'renew', race, belief * RENEWAL_PART)
}

export function onAlive(context: Context, from: NodeId, alive: Alive): void {
  const race = raceOf(context, alive.name, from)
  if (race === undefined || !isSameList(context, from, alive.electorate)) return
  const { name, term, asked } = alive
  const isKnown = race.known?.term === term && race.known.coordinator === from
  const proved = isKnown || (alive.grants.length > 0 && isProved(context, from, alive))
  const promised = promise(context, race, from, alive, proved)
  // One that lags behind the term that is known to be led has nothing to tell.
  if (proved && term >= (race.known?.term ?? 0) && !isForsaken(context, race, from)) learn(context, race, term, from)
  send(context, from, { kind: 'renewed', name, term, asked, promised, informed: proved })
}

// q grants say more than any count that we could check: with them, a member that missed the claim promises as well.
function promise(context: Context, race: Race, from: NodeId, { term, by }: Alive, proved: boolean): boolean {
  if (!mayPromise(context)) return false
  const again = race.term === term && race.coordinator === from
  if (again && !mayProlong(context, race, proved)) return false
  if (!again && (!proved || !context.settings.rules.isNewTerm(term, race.term) || isBound(context, race))) return false
  grant(context, race, from, term, by)
  return true
}

// What the others do not know any more is no news.
function isForsaken(context: Context, race: Race, coordinator: NodeId): boolean {
  return race.coordinator === coordinator && !mayProlong(context, race, true)
}

/** Who leads is now known, until nothing is heard of it for the length of a promise. */
function learn(context: Context, race: Race, term: number, coordinator: NodeId): void {
  const { settings, turn } = context
  const until = turn.now + settings.promise
  const news = race.known?.term !== term || race.known.coordinator !== coordinator
  race.known = { term, coordinator, until }
  race.met = true
  race.since.clear()
  race.failures = 0
  race.tried = []
  race.idle = race.idle.filter(id => id !== coordinator)
  race.lapsed = ''
  if (race.attempt !== undefined && race.attempt.term <= term) dropAttempt(context, race)
  setTimer(context, 'promise', race, Math.max(until, race.promisedUntil) - turn.now)
  if (!news) return
  const { name } = race
  turn.do({ kind: 'emit', event: { kind: 'coordinator', name, term, coordinator, until } })
}

export function onRenewed(context: Context, from: NodeId, body: Extract<ElectionMessage, { kind: 'renewed' }>): void {
  const race = context.state.races.get(body.name)
  const candidacy = race?.candidacy
  if (race === undefined || candidacy?.phase !== 'leading' || candidacy.term !== body.term) return
  candidacy.aware.set(from, body.informed)
  const until = believedUntil(context, candidacy, body.asked)
  if (!body.promised || until === undefined) return
  candidacy.until.set(from, Math.max(until, candidacy.until.get(from) ?? 0))
  prolong(context, race, candidacy)
}

/** Whoever leads is told now, and has until the deadline to stop. */
export function lose(context: Context, race: Race): void {
  const { candidacy } = race
  if (candidacy?.phase !== 'leading') return
  const { turn } = context
  candidacy.phase = 'ending'
  turn.do({ kind: 'emit', event: { kind: 'lost', name: race.name, term: candidacy.term } })
  cancel(context, race, 'renew', 'end')
  if (turn.now >= candidacy.deadline) return finish(context, race)
  setTimer(context, 'over', race, candidacy.deadline - turn.now)
}

export function finish(context: Context, race: Race): void {
  if (race.candidacy?.phase !== 'ending') return
  race.candidacy = undefined
  lapse(context, race)
}

/** Steps down by command: the belief ends here, before the first word of it leaves. */
export function resign(context: Context, race: Race): void {
  const { candidacy } = race
  if (candidacy === undefined || candidacy.phase === 'claiming') return
  const { name } = race
  const { term } = candidacy
  context.turn.do({ kind: 'emit', event: { kind: 'resigned', name, term } })
  race.candidacy = undefined
  cancel(context, race, 'renew', 'end', 'over')
  for (const to of others(context)) send(context, to, { kind: 'resigned', name, term })
  free(context, race)
}

export function onResigned(context: Context, from: NodeId, body: Extract<ElectionMessage, { kind: 'resigned' }>): void {
  const race = context.state.races.get(body.name)
  if (race === undefined || race.term !== body.term || race.coordinator !== from) return
  free(context, race)
}

// The promise was to this coordinator, and it says that it no longer leads.
function free(context: Context, race: Race): void {
  race.promisedUntil = context.turn.now
  if (race.known?.coordinator === race.coordinator) race.known.until = context.turn.now
  lapse(context, race)
}

/** A promise may have run out: if nobody leads any more, say so and elect. */
export function lapse(context: Context, race: Race): void {
  const { turn, settings } = context
  if (race.candidacy?.phase === 'leading' || race.candidacy?.phase === 'ending') return
  if (isLed(context, race) || settings.rules.isBound(turn.now, race.promisedUntil)) {
    setTimer(context, 'promise', race, Math.max(race.known?.until ?? 0, race.promisedUntil) - turn.now)
    return
  }
  if (race.known !== undefined) {
    const { term, coordinator } = race.known
    race.lapsed = coordinator
    race.known = undefined
    turn.do({ kind: 'emit', event: { kind: 'vacant', name: race.name, term } })
  }
  // Promised to, and never proved to lead.
  if (race.coordinator !== '' && race.coordinator !== race.lapsed && race.coordinator !== context.state.self)
    race.idle = blame(context, race, race.idle, [race.coordinator]).slice(-Math.max(1, settings.liars))
  startElection(context, race)
}

export function checkRace(race: Race, self: NodeId): void {
  if (race.candidacy?.phase !== 'leading') return
  assert(race.term >= race.candidacy.term, `${self} leads '${race.name}' in a term that it did not grant`)
}
