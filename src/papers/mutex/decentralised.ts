// LECTURE, "Decentralized mutual exclusion" (Lin and others): m votes of N coordinators, m > N/2.
//
// Guarantees exclusion as long as no more than 2m - N - 1 of the holder's coordinators reset while it is inside, since
// two sets of m share 2m - N. Beyond that it is a matter of probability (votes.ts), and that is the lecture's point.
// Entry is likely, not certain: a member that fails gives back its votes, waits a random time and tries again.
// Faults: up to N - m coordinators may be gone, and entry goes on. A coordinator that restarts has forgotten its vote.
// A process that crashes with votes keeps them for ever, unless their coordinators reset: the lecture has no lease.
//
// The obvious coordinator queues whom it refuses. Two processes with half of the votes each then wait for each other.
//
// `asked`: the lecture asks all N. A process alone then holds N votes and not m, which costs N releases and makes
// a violation much rarer than the lecture's formula says. With `asked` = m it holds exactly m.

import { type Codec, type Millis, type NodeId, uint, variants } from '../../core/index.ts'
import {
  COUNT_MAX,
  enter,
  type MutexAlgorithm,
  type MutexState,
  type MutexTurn,
  mutexAlgorithm,
  send,
} from './mutex.ts'
import { backoffMs, majority } from './votes.ts'

export type DecentralisedMessage =
  | { kind: 'request'; attempt: number }
  | { kind: 'granted'; attempt: number }
  | { kind: 'refused'; attempt: number }
  | { kind: 'release'; attempt: number }

const attempt = uint(COUNT_MAX)
const vocabulary: Codec<DecentralisedMessage> = variants<DecentralisedMessage>({
  request: { attempt },
  granted: { attempt },
  refused: { attempt },
  release: { attempt },
})

/** How many votes let a member in, and how long it waits after it lost. */
export interface DecentralisedSettings {
  /** m. By default the smallest majority. */
  readonly needed?: number
  /** How many coordinators are asked in one attempt, from m to N. By default all. */
  readonly asked?: number
  /** After this, coordinators that did not answer are taken for crashed. */
  readonly answerMaxMs: Millis
  /** The first wait is drawn from twice the base. */
  readonly backoffBaseMs: Millis
  readonly backoffMaxMs: Millis
}

export const decentralisedDefaults: DecentralisedSettings = {
  answerMaxMs: 1_000,
  backoffBaseMs: 4,
  backoffMaxMs: 2_000,
}

export interface DecentralisedState extends MutexState {
  /** As a coordinator: whose vote it is. This is what a crash forgets. */
  votedFor: { readonly member: NodeId; readonly attempt: number } | undefined
  /** Numbers this process's attempts; answers to older ones are strays. */
  attempt: number
  /** Failed attempts of this request. */
  failed: number
  /** An attempt is under way; false while backing off. */
  trying: boolean
  /** Who was asked in this attempt. */
  asked: readonly NodeId[]
  /** True for granted. Of coordinators that were asked in this attempt only. */
  readonly answers: Map<NodeId, boolean>
}

type DecentralisedTurn = MutexTurn<DecentralisedMessage>

/** Members vote; enough votes let one in, and they may split. */
export function decentralised(
  change: Partial<DecentralisedSettings> = {},
): MutexAlgorithm<DecentralisedState, DecentralisedMessage> {
  const settings = { ...decentralisedDefaults, ...change }
  return mutexAlgorithm<DecentralisedState, DecentralisedMessage>(
    {
      name: 'decentralised',
      forgets: true,
      init: base => ({
        ...base,
        votedFor: undefined,
        attempt: 0,
        failed: 0,
        trying: false,
        asked: [],
        answers: new Map(),
      }),
      ask(state, turn) {
        state.failed = 0
        tryOnce(state, settings, turn)
      },
      giveBack,
      message(state, from, body, turn) {
        switch (body.kind) {
          case 'request':
            return send(from, vote(state, from, body.attempt), turn)
          case 'release':
            return onRelease(state, from, body.attempt)
          case 'granted':
          case 'refused':
            return onAnswer(state, settings, from, body, turn)
        }
      },
      timer(state, name, turn) {
        if (state.phase !== 'waiting') return
        if (name === 'answers' && state.trying) fail(state, settings, turn)
        else if (name === 'backoff' && !state.trying) tryOnce(state, settings, turn)
      },
    },
    vocabulary,
  )
}

function neededOf(state: DecentralisedState, settings: DecentralisedSettings): number {
  return settings.needed ?? majority(state.members.length)
}

function tryOnce(state: DecentralisedState, settings: DecentralisedSettings, turn: DecentralisedTurn): void {
  state.attempt++
  state.trying = true
  state.answers.clear()
  state.asked = chooseAsked(state.members, settings.asked ?? state.members.length, turn)
  turn.do({ kind: 'timer', name: 'answers', after: settings.answerMaxMs })
  for (const to of state.asked) {
    if (to !== state.self) send(to, { kind: 'request', attempt: state.attempt }, turn)
  }
  // The own vote needs no message. Last, so that a decision does not come before the requests are out.
  if (state.asked.includes(state.self)) {
    onAnswer(state, settings, state.self, vote(state, state.self, state.attempt), turn)
  }
}

function chooseAsked(members: readonly NodeId[], count: number, turn: DecentralisedTurn): readonly NodeId[] {
  if (count >= members.length) return members
  const start = turn.below(members.length)
  return [...members.slice(start), ...members.slice(0, start)].slice(0, count)
}

// A coordinator always responds immediately (LECTURE). To its own voter's next attempt it says yes again: the release
// of the one before may still be under way.
function vote(
  state: DecentralisedState,
  member: NodeId,
  asked: number,
): DecentralisedMessage & { kind: 'granted' | 'refused' } {
  const { votedFor } = state
  const free = votedFor === undefined || (votedFor.member === member && votedFor.attempt <= asked)
  if (free) state.votedFor = { member, attempt: asked }
  return { kind: free ? 'granted' : 'refused', attempt: asked }
}

function onRelease(state: DecentralisedState, member: NodeId, given: number): void {
  if (state.votedFor?.member === member && state.votedFor.attempt === given) state.votedFor = undefined
}

function onAnswer(
  state: DecentralisedState,
  settings: DecentralisedSettings,
  from: NodeId,
  body: DecentralisedMessage & { kind: 'granted' | 'refused' },
  turn: DecentralisedTurn,
): void {
  const granted = body.kind === 'granted'
  const current = body.attempt === state.attempt && (state.trying || state.phase === 'inside')
  if (!current || !state.asked.includes(from)) {
    // A vote that comes after its attempt was given up would be lost to everybody.
    if (granted) release(state, from, body.attempt, turn)
    return
  }
  state.answers.set(from, granted)
  if (state.trying) judge(state, settings, turn)
}

// In as soon as m votes are there, failed as soon as m cannot be reached any more.
function judge(state: DecentralisedState, settings: DecentralisedSettings, turn: DecentralisedTurn): void {
  const needed = neededOf(state, settings)
  const votes = [...state.answers.values()].filter(granted => granted).length
  const refusals = state.answers.size - votes
  if (votes >= needed) {
    state.trying = false
    turn.do({ kind: 'cancel', name: 'answers' })
    enter(state, turn)
  } else if (state.asked.length - refusals < needed) fail(state, settings, turn)
}

function fail(state: DecentralisedState, settings: DecentralisedSettings, turn: DecentralisedTurn): void {
  state.trying = false
  state.failed++
  turn.do({ kind: 'cancel', name: 'answers' })
  giveBack(state, turn)
  const { backoffBaseMs, backoffMaxMs } = settings
  const after = backoffMs(backoffBaseMs, state.failed, backoffMaxMs, bound => turn.below(bound))
  turn.do({ kind: 'emit', event: { kind: 'retrying', id: state.id, attempts: state.failed } })
  turn.do({ kind: 'timer', name: 'backoff', after })
}

function giveBack(state: DecentralisedState, turn: DecentralisedTurn): void {
  for (const [member, granted] of state.answers) if (granted) release(state, member, state.attempt, turn)
  state.answers.clear()
}

function release(state: DecentralisedState, to: NodeId, given: number, turn: DecentralisedTurn): void {
  if (to === state.self) onRelease(state, to, given)
  else send(to, { kind: 'release', attempt: given }, turn)
}
