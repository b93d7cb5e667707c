// Level `verified`: slots among members of whom up to n - 2 collude and b lie (PROTOCOLS A). One machine per member.
//
// Guarantees, while at least two members are honest: no two honest members hold one slot at one time; whoever waits is
// served by lottery (or within n rounds, rotating); nobody learns who holds which. A cheat is caught and named with
// evidence; a silent member is left out. README.md says it precisely, with the limits.
//
// The idea: n tickets, of which the first mean slots, go once around the ring. Each member re-encrypts and permutes them
// and proves it, so that nobody knows where which ticket went and nobody can change one. Ticket k then belongs to member
// k, and opens with the shares of all others and its own.

import { type NodeId, type Protocol, type Saved, unreachable } from '../../core/index.ts'
import type { Group, Signatures, Signer } from '../../crypto/index.ts'
import { checkSettings, type SlotsSettings } from '../settings.ts'
import { repeatAccusations } from './accusing.ts'
import { expire, lookAround } from './asking.ts'
import { beginEpoch, newEpoch, quietFor } from './epoch.ts'
import { begun, hear } from './hearing.ts'
import { sameBytes } from './proofs.ts'
import { type EpochMember, firstRecord, recordHash } from './record.ts'
import { advanceRound, openRound, worked } from './rounds.ts'
import { type SlotsRules, slotsRules } from './rules.ts'
import { readSaved, type SavedRecord } from './saved.ts'
import { flush, sendToAll, statementOf } from './saying.ts'
import { LEASE_TIMER, leaseEnded, seatCommand } from './seats.ts'
import {
  type Epoch,
  type MemberState,
  NEVER,
  type SlotsCommand,
  type SlotsEvent,
  type SlotsTurn,
  type Surroundings,
} from './state.ts'
import { statusOf } from './status.ts'
import { advanceSuccession, petition } from './succession.ts'
import type { SlotsMessage, Want } from './wire.ts'

export interface SlotsMemberOptions {
  readonly settings: SlotsSettings
  /** The members of the first epoch, in ring order. All must be given the same list. */
  readonly members: readonly EpochMember[]
  /** Who else may join. */
  readonly candidates?: readonly EpochMember[]
  readonly group: Group
  readonly signer: Signer
  readonly signatures: Signatures
  readonly rules?: SlotsRules
}

export type SlotsMember = Protocol<MemberState, SlotsMessage, SlotsCommand, SlotsEvent>

const BEAT_TIMER = 'beat'
const NO_EVIDENCE = new Uint8Array()

export function slotsMember(options: SlotsMemberOptions): SlotsMember {
  const { settings, members, candidates = [], group, signer, signatures, rules = slotsRules } = options
  checkSettings(settings, members.length)
  const first = firstRecord(settings, members, group.name)
  const directory = [...members, ...candidates]
  const around: Surroundings = { settings, group, signer, signatures, directory, first, rules }
  return {
    name: 'slots, verified',
    init: (self, _peers, saved) => restore(around, self, saved),
    step(state, input, turn) {
      switch (input.kind) {
        case 'start':
          return start(around, state, turn)
        case 'message':
          return hear(around, state, input.from, input.body, turn)
        case 'command':
          return command(around, state, input.body, turn)
        case 'timer':
          return input.name === LEASE_TIMER ? leaseEnded(around, state, turn) : beat(around, state, turn)
        case 'stop':
          return
      }
    },
  }
}

/** From what was durable: the chain of epochs, what we favoured and signed, and whether our key of the last is lost. */
function restore(around: Surroundings, self: NodeId, saved: Saved): MemberState {
  const records = readSaved(saved.get('') ?? [])
  const chain = records.filter(record => record.kind === 'adopted').map(({ link }) => link)
  const record = chain.at(-1)?.record ?? around.first
  const hash = recordHash(record)
  const joined = records.some(one => one.kind === 'joined' && sameBytes(one.epoch, hash))
  const epoch = newEpoch(self, record, joined && around.rules.staysOut(), NEVER, NEVER)
  restoreSuccession(epoch, records)
  const cheats = new Map(records.filter(one => one.kind === 'cheat').map(({ name }) => [name, NO_EVIDENCE]))
  return {
    self,
    chain,
    epoch,
    waiting: [],
    seat: undefined,
    cheats,
    petitions: new Map(),
    leaving: false,
    outbox: [],
    beats: 0,
    works: 0,
    working: new Map(),
  }
}

function restoreSuccession(epoch: Epoch, records: readonly SavedRecord[]): void {
  const { succession } = epoch
  for (const record of records) {
    if (record.kind === 'favoured' && sameBytes(record.epoch, epoch.hash)) {
      succession.favouredIn = record.ballot
      succession.ballot = record.ballot + 1
    } else if (record.kind === 'locked' && sameBytes(record.epoch, epoch.hash)) {
      const { record: successor, ballot, signatures } = record.link
      succession.lock = { record: successor, favoured: { ballot, signatures } }
      succession.valid = succession.lock
      epoch.closed = true
    }
  }
}

// Times are never saved: whatever we did before the restart, we did before now.
function start(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch } = state
  const first = epoch.record.number === 0 && !epoch.barred
  const quietUntil = first && !epoch.closed ? NEVER : turn.now + quietFor(around, epoch.record)
  state.epoch = { ...epoch, adoptedAt: turn.now, quietUntil }
  turn.do({ kind: 'timer', name: BEAT_TIMER, after: around.settings.beat })
  beginEpoch(around, state, turn)
}

function command(around: Surroundings, state: MemberState, asked: SlotsCommand, turn: SlotsTurn): void {
  switch (asked.kind) {
    case 'request':
    case 'cancel':
    case 'release':
      return seatCommand(around, state, asked, turn)
    case 'worked':
      return worked(around, state, asked.id, asked.answer, turn)
    case 'leave':
      state.leaving = true
      return
    case 'status':
      return turn.do({ kind: 'emit', event: { kind: 'status', id: asked.id, status: statusOf(state, turn.now) } })
    default:
      return unreachable(asked, 'command')
  }
}

/** Everything that time brings about. */
function beat(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  turn.do({ kind: 'timer', name: BEAT_TIMER, after: around.settings.beat })
  state.beats++
  begun(around, state, turn, () => advanceSuccession(around, state, turn))
  petition(around, state, turn)
  repeatAccusations(around, state, turn)
  const { epoch } = state
  for (const round of epoch.rounds.values()) {
    expire(epoch, round, turn.now)
    advanceRound(around, state, round, turn)
  }
  openRound(around, state, turn)
  want(around, state, turn)
  lookAround(around, state, turn)
  flush(state, turn)
}

function want(around: Surroundings, state: MemberState, turn: SlotsTurn): void {
  const { epoch } = state
  if (!around.settings.onDemand || !epoch.live || state.waiting.length === 0) return
  sendToAll(around, state, statementOf<Want>(around, state, { kind: 'want', round: epoch.next }), turn)
}
