// The election as a machine for peers (SRCEA, with PROTOCOLS C): who leads, term after term.
//
// Guarantees, with at most b liars: never two coordinators in a term; never two that believe, at one moment of true
// time, to lead one election; every term has a count that anybody can check. A coordinator that cannot renew stops
// before another can start.
//
// The printed algorithm trusts that nodes and links do not fail during an election, and lets whoever counts most votes
// lead. Under a partition both sides then have a coordinator. Here the votes decide who may ask, and promises of a
// quorum of a numbered list decide who leads, for a time: gossip can delay an election, but not hold two.

import { assert, type Input, type NodeId, type Protocol } from '../core/index.ts'
import { allow, carryOn, change, onApprove, onList, onPropose } from './changing.ts'
import { onGrant, onRefusal, sendClaim } from './claiming.ts'
import { keylessOf, raceOf } from './context.ts'
import { memberOf } from './electorate.ts'
import { mayAsk } from './flooding.ts'
import { noteNews, noteOpened, noteSeen } from './gathering.ts'
import { judgeHeld, onClaim } from './granting.ts'
import { restored, resume, saveLeft } from './keeping.ts'
import { checkRace, finish, lapse, lose, onAlive, onRenewed, onResigned, renew, resign } from './leading.ts'
import { isSameList, sendLists } from './lists.ts'
import { ATTRIBUTES_MAX, type ElectionMessage, MEMBERS_MAX } from './messages.ts'
import type { ElectionSettings } from './settings.ts'
import type { Context, ElectionCommand, ElectionEvent, ElectionState, Keys, Race } from './state.ts'
import { onOpened, onOpening, onTally } from './tallying.ts'
import { countNow, giveUp, onBallot, onCall, onDouble, startElection } from './voting.ts'

export type ElectionProtocol = Protocol<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

export function election(settings: ElectionSettings, keys: Keys): ElectionProtocol {
  assert(settings.mode === 'sealed' || keys.counting !== undefined, 'secret ballots need a group and keys in it')
  return {
    name: 'election',
    init: (self, _peers, saved) => restored(self, saved),
    step(state, input, turn) {
      const context = { state, settings, keys, turn }
      if (state.stopped) return
      switch (input.kind) {
        case 'start':
          return start(context)
        case 'stop':
          state.stopped = true
          return saveLeft(context)
        case 'timer':
          return timer(context, input.name)
        case 'command':
          return command(context, input.body)
        case 'message':
          return message(context, input)
      }
    },
    check(state) {
      for (const race of state.races.values()) checkRace(race, state.self)
    },
  }
}

function start(context: Context): void {
  const { state, turn } = context
  resume(context)
  state.keyless = state.electorate === undefined ? [] : keylessOf(context, state.electorate)
  for (const race of state.races.values()) lapse(context, race)
  if (state.signed !== undefined) turn.do({ kind: 'timer', name: 'carry', after: context.settings.promise })
  if (state.electorate !== undefined) {
    turn.do({ kind: 'emit', event: { kind: 'electorate', electorate: state.electorate } })
  }
}

function timer(context: Context, name: string): void {
  if (name === 'carry') return carryOn(context)
  const mark = name.indexOf(':')
  const race = context.state.races.get(name.slice(mark + 1))
  if (race === undefined) return
  switch (name.slice(0, mark)) {
    case 'attempt':
      return giveUp(context, race)
    case 'count':
      return countNow(context, race)
    case 'claim':
      return sendClaim(context, race)
    case 'start':
      return startElection(context, race)
    case 'promise':
      return lapse(context, race)
    case 'held':
      return judgeHeld(context, race)
    case 'renew':
      return renew(context, race)
    case 'end':
      return lose(context, race)
    case 'over':
      return finish(context, race)
    default:
      return
  }
}

function command(context: Context, body: ElectionCommand): void {
  const { state } = context
  switch (body.kind) {
    case 'open':
    case 'close':
    case 'view':
      return interest(context, body)
    case 'failed':
      state.failed = body.members.slice(0, MEMBERS_MAX)
      return
    case 'seen':
      return seen(context, body.members)
    case 'vouch':
      if (memberOf(state.electorate, body.member) !== undefined) state.vouched.set(body.member, body.failures)
      return
    case 'allow':
      return allow(context, body.change)
    case 'resign': {
      const race = state.races.get(body.name)
      if (race !== undefined) resign(context, race)
      return
    }
    case 'change':
      return change(context, body.id, body.change)
  }
}

function interest(context: Context, body: Extract<ElectionCommand, { kind: 'open' | 'close' | 'view' }>): void {
  const race = raceOf(context, body.name)
  if (race === undefined) return
  if (body.kind === 'view') {
    const rows = sorted(body.rows)
    noteNews(context, race, rows)
    race.rows = rows
  } else if (race.open !== (body.kind === 'open')) {
    race.open = body.kind === 'open'
    noteOpened(context, race)
  }
  if (context.turn.now >= race.pausedUntil) startElection(context, race)
}

function seen(context: Context, members: readonly NodeId[]): void {
  const before = context.state.gatheredAt
  noteSeen(context, members)
  if (context.state.gatheredAt === before) return
  for (const race of context.state.races.values()) startElection(context, race)
}

/** In the order of ids, so that equal views have equal digests; values as the wire can carry them. */
function sorted(rows: Race['rows']): Race['rows'] {
  const kept = new Map(rows.slice(0, MEMBERS_MAX).map(row => [row.member, row.values]))
  return [...kept]
    .map(([member, values]) => ({ member, values: values.slice(0, ATTRIBUTES_MAX).map(whole) }))
    .sort((one, other) => (one.member < other.member ? -1 : 1))
}

function whole(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), Number.MAX_SAFE_INTEGER) : 0
}

function message(context: Context, input: Extract<Input<ElectionMessage, never>, { kind: 'message' }>): void {
  const { body } = input
  const from: NodeId = input.from
  if (!mayAsk(context, from, body) || !mayTalk(context, from, body)) return
  switch (body.kind) {
    case 'call':
      return onCall(context, from, body)
    case 'ballot':
      return onBallot(context, from, body)
    case 'claim':
      return onClaim(context, from, body)
    case 'tally':
      return onTally(context, from, body)
    case 'opening':
      return onOpening(context, from, body)
    case 'opened':
      return onOpened(context, from, body)
    case 'grant':
      return onGrant(context, from, body)
    case 'refusal':
      return onRefusal(context, from, body)
    case 'double':
      return onDouble(context, body)
    case 'alive':
      return onAlive(context, from, body)
    case 'renewed':
      return onRenewed(context, from, body)
    case 'resigned':
      return onResigned(context, from, body)
    case 'propose':
      return onPropose(context, from, body.electorate)
    case 'approve':
      return onApprove(context, from, body)
    case 'behind':
      return sendLists(context, from, body.number)
    case 'list':
      return onList(context, from, body.listed)
  }
}

// A stranger may be a member of a list that we have not seen, or one that was removed and does not know: lists are all
// that is spoken of with it.
function mayTalk(context: Context, from: NodeId, body: ElectionMessage): boolean {
  if (body.kind === 'behind' || body.kind === 'list' || memberOf(context.state.electorate, from) !== undefined)
    return true
  if ('electorate' in body && typeof body.electorate === 'number') isSameList(context, from, body.electorate)
  return false
}
