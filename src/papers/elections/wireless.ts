// LECTURE, "A solution for wireless networks" (Vasudevan, Kurose and Towsley): build a tree, report the best back.
//
// Guarantees that of all members up that the initiator can reach over links the one with the most capacity leads, and
// of equals the highest. Over each link two questions or one, as many answers, then a report and the result for each
// member of the tree. A member speaks to its neighbours only.
// Faults: crashes at any time; a tree that loses a branch is missed by its initiator, which starts again. A network
// in pieces has a leader in each piece that looks for one: that is what wireless networks do.
//
// The lecture's pictures show one initiator. Of several, the newest round wins, and in it the highest initiator:
// a node that hears of a better election leaves its own. A neighbour answers at once whether it becomes a child;
// that tells "down" from "still asking its own neighbours" without time-outs that grow with the depth of the tree.

import { type Codec, type Millis, type NodeId, uint, variants } from '../../core/index.ts'
import {
  COUNT_MAX,
  type ElectionAlgorithm,
  type ElectionState,
  type ElectionTurn,
  electionAlgorithm,
  MEMBERS_MAX,
  roundAfter,
  send,
  settle,
  TIMEOUT_MS,
} from './election.ts'

/** Which election: round first, then initiator. */
interface Tag {
  readonly round: number
  readonly initiator: number
}

export type WirelessMessage =
  | ({ kind: 'build' } & Tag)
  /** The sender is now a child, and will report. */
  | ({ kind: 'child' } & Tag)
  /** The sender has another parent. */
  | ({ kind: 'taken' } & Tag)
  /** The best of the sender's branch. */
  | ({ kind: 'report'; best: number; capacity: number } & Tag)
  | ({ kind: 'leader'; best: number } & Tag)
  /** There was an election of that round: start a newer one. */
  | ({ kind: 'later'; newest: number } & Tag)

const member = uint(MEMBERS_MAX - 1)
const round = uint(COUNT_MAX)
const tag = { round, initiator: member }
const vocabulary: Codec<WirelessMessage> = variants<WirelessMessage>({
  build: tag,
  child: tag,
  taken: tag,
  report: { ...tag, best: member, capacity: round },
  leader: { ...tag, best: member },
  later: { ...tag, newest: round },
})

export interface WirelessState extends ElectionState {
  /** With `round`: the election that this member is in, or was in last. */
  initiator: number
  building: boolean
  /** -1 at the initiator. */
  parent: number
  /** Neighbours that have not said whether they become children. */
  readonly asked: Map<number, true>
  /** Children, and whether they have reported. */
  readonly children: Map<number, boolean>
  best: number
  capacity: number
}

export interface WirelessSettings {
  readonly timeoutMs: Millis
  /** Battery, processing, place: a whole number, the more the better. */
  capacity(member: NodeId): number
  /** Who is in reach. Links go both ways. */
  neighbours(member: NodeId, members: readonly NodeId[]): readonly NodeId[]
}

/** Everybody within two places on a ring: a network that stays whole when one member is down. */
export function ringOfTwo(self: NodeId, members: readonly NodeId[]): readonly NodeId[] {
  const at = members.indexOf(self)
  const near = [1, 2, -1, -2].map(step => members[(at + step + 2 * members.length) % members.length]!)
  return [...new Set(near)].filter(name => name !== self)
}

type WirelessTurn = ElectionTurn<WirelessMessage>

/** The election in a wireless network: a tree of neighbours reports the best node. */
export function wireless(
  settings: WirelessSettings = { timeoutMs: TIMEOUT_MS, capacity: () => 1, neighbours: ringOfTwo },
): ElectionAlgorithm<WirelessState, WirelessMessage> {
  return electionAlgorithm<WirelessState, WirelessMessage>(
    {
      name: 'wireless',
      init: base => ({
        ...base,
        initiator: -1,
        building: false,
        parent: -1,
        asked: new Map(),
        children: new Map(),
        best: base.place,
        capacity: 0,
      }),
      elect(state, turn) {
        if (!state.building) start(state, roundAfter(state.round), settings, turn)
      },
      message: (state, from, body, turn) => message(state, from, body, settings, turn),
      timer(state, name, turn) {
        if (!state.building) return
        if (name === 'finish') return start(state, roundAfter(state.round), settings, turn)
        state.asked.clear()
        reportIfDone(state, turn)
      },
    },
    vocabulary,
  )
}

function start(state: WirelessState, newRound: number, settings: WirelessSettings, turn: WirelessTurn): void {
  // One branch after the other may have a member down at its end; a chain of all members is the deepest tree.
  turn.do({ kind: 'timer', name: 'finish', after: settings.timeoutMs * (state.members.length + 2) })
  join(state, { round: newRound, initiator: state.place }, -1, settings, turn)
}

function join(
  state: WirelessState,
  election: Tag,
  parent: number,
  settings: WirelessSettings,
  turn: WirelessTurn,
): void {
  state.round = election.round
  state.initiator = election.initiator
  state.leader = undefined
  state.building = true
  state.parent = parent
  state.best = state.place
  state.capacity = settings.capacity(state.self)
  state.asked.clear()
  state.children.clear()
  if (parent >= 0) turn.do({ kind: 'cancel', name: 'finish' })
  for (const name of settings.neighbours(state.self, state.members)) {
    const neighbour = state.members.indexOf(name)
    if (neighbour < 0 || neighbour === parent) continue
    state.asked.set(neighbour, true)
    send(state, neighbour, { kind: 'build', ...tagOf(state) }, turn)
  }
  turn.do({ kind: 'timer', name: 'answers', after: settings.timeoutMs })
  reportIfDone(state, turn)
}

function tagOf(state: WirelessState): Tag {
  return { round: state.round, initiator: state.initiator }
}

function message(
  state: WirelessState,
  from: number,
  body: WirelessMessage,
  settings: WirelessSettings,
  turn: WirelessTurn,
): void {
  if (body.kind === 'build') return invited(state, from, body, settings, turn)
  if (body.kind === 'leader') return told(state, from, body, turn)
  if (body.kind === 'later') return refused(state, body, settings, turn)
  if (!state.building || body.round !== state.round || body.initiator !== state.initiator) return
  if (body.kind === 'report') return reported(state, from, body, turn)
  if (!state.asked.delete(from)) return
  if (body.kind === 'child') state.children.set(from, false)
  reportIfDone(state, turn)
}

function invited(
  state: WirelessState,
  from: number,
  theirs: Tag,
  settings: WirelessSettings,
  turn: WirelessTurn,
): void {
  const order = theirs.round - state.round || theirs.initiator - state.initiator
  if (order > 0) {
    send(state, from, { kind: 'child', round: theirs.round, initiator: theirs.initiator }, turn)
    return join(state, theirs, from, settings, turn)
  }
  if (order === 0 && from !== state.parent) return send(state, from, { kind: 'taken', ...tagOf(state) }, turn)
  // It has been away. One that merely started at the same time hears of the better election by itself.
  const past = theirs.round < state.round || state.leader !== undefined
  const { round: newest } = state
  if (order < 0 && past) {
    send(state, from, { kind: 'later', round: theirs.round, initiator: theirs.initiator, newest }, turn)
  }
}

// Handed up the tree to its initiator.
function refused(
  state: WirelessState,
  body: WirelessMessage & { kind: 'later' },
  settings: WirelessSettings,
  turn: WirelessTurn,
): void {
  const newer = roundAfter(body.newest)
  if (body.round !== state.round || body.initiator !== state.initiator || newer <= state.round) return
  if (state.parent >= 0) return send(state, state.parent, body, turn)
  if (state.initiator === state.place) start(state, newer, settings, turn)
}

function reported(
  state: WirelessState,
  from: number,
  body: WirelessMessage & { kind: 'report' },
  turn: WirelessTurn,
): void {
  // A report may overtake the word that its sender is a child.
  state.asked.delete(from)
  state.children.set(from, true)
  if (body.capacity > state.capacity || (body.capacity === state.capacity && body.best > state.best)) {
    state.best = body.best
    state.capacity = body.capacity
  }
  reportIfDone(state, turn)
}

function reportIfDone(state: WirelessState, turn: WirelessTurn): void {
  if (!state.building || state.asked.size > 0 || [...state.children.values()].includes(false)) return
  turn.do({ kind: 'cancel', name: 'answers' })
  state.building = false
  const { best, capacity } = state
  if (state.parent >= 0) return send(state, state.parent, { kind: 'report', ...tagOf(state), best, capacity }, turn)
  turn.do({ kind: 'cancel', name: 'finish' })
  announce(state, best, turn)
}

function announce(state: WirelessState, leader: number, turn: WirelessTurn): void {
  for (const child of state.children.keys()) send(state, child, { kind: 'leader', ...tagOf(state), best: leader }, turn)
  settle(state, leader, state.round, turn)
}

function told(
  state: WirelessState,
  from: number,
  body: WirelessMessage & { kind: 'leader' },
  turn: WirelessTurn,
): void {
  const mine = body.round === state.round && body.initiator === state.initiator && from === state.parent
  if (mine && state.leader === undefined) announce(state, body.best, turn)
}
