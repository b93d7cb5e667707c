// What a member remembers between gossip and election, with the commands it is given and the events it tells.

import { assert, type NodeId, type Protocol, type Scene, timers } from '../../core/index.ts'
import type { Attribute, Change, ElectionCommand, Electorate, Newcomer } from '../../election/index.ts'
import type { MemberView } from '../../membership/index.ts'

export interface HintSettings {
  /** What coordinators are chosen by: the election's own list. */
  readonly attributes: readonly Attribute[]
  /** The keys of a member whose certificate holds, as it announced them. */
  keysOf(view: Pick<MemberView, 'member' | 'identity' | 'keys'>): Omit<Newcomer, 'id'> | undefined
}

export type HintCommand =
  /** From now on this member sees to it that there is a coordinator of that name. */
  | { readonly kind: 'open'; readonly name: string }
  /** Agrees that a guest may vote and lead. Answered by `agreed` or `declined`. */
  | { readonly kind: 'admit'; readonly id: number; readonly member: NodeId }
  /** Agrees that a member may vote and lead no longer. Answered alike. */
  | { readonly kind: 'expel'; readonly id: number; readonly member: NodeId }
  /** From membership: what is known of a member now. */
  | { readonly kind: 'changed'; readonly view: MemberView }
  /** From membership: enough members signed that this one failed. */
  | { readonly kind: 'certified'; readonly member: NodeId }
  /** From the election: this member leads under that name, or no longer. */
  | { readonly kind: 'leads'; readonly name: string; readonly leads: boolean }
  /** From the election: the newest list of those who vote. */
  | { readonly kind: 'electorate'; readonly electorate: Electorate }

export type HintEvent =
  /** For the election. */
  | { readonly kind: 'tell'; readonly command: ElectionCommand }
  /** The list is as it was wished; `number` is the list's. */
  | { readonly kind: 'agreed'; readonly id: number; readonly number: number }
  | { readonly kind: 'declined'; readonly id: number; readonly why: Declined }

export type Declined =
  /** No member of that name has been here. */
  | 'unknown'
  /** Too many changes are under way. */
  | 'crowded'
  /** Too few agreed, or nobody led, for as long as a wish waits. */
  | 'late'

/** A change of the electorate that this member's operator agreed to, until the list has it. */
export interface Wish {
  readonly change: Change
  /** Commands that are answered when it is over. */
  readonly ids: number[]
}

export interface HintState {
  /** Everybody that gossip told of. */
  readonly views: Map<NodeId, MemberView>
  /** Places that this member sees to. */
  readonly open: Set<string>
  /** What the election was last told of each place: most of what becomes known changes nothing about who stands. */
  readonly lastStanding: Map<string, string>
  /** How often each member's failure was certified. */
  readonly failures: Map<NodeId, number>
  /** Under which names this member leads. */
  readonly leading: Set<string>
  /** By what is asked for, in words. */
  readonly wishes: Map<string, Wish>
  electorate: Electorate | undefined
}

export type HintScene = Scene<HintState, HintSettings, never, HintEvent>
export type Hints = Protocol<HintState, never, HintCommand, HintEvent>

export const hintTimers = timers('propose', 'expire')

/** As many as membership itself keeps: more are names that came and went. */
export const VIEWS_MAX = 16_384
export const WISHES_MAX = 16
/** Callers that wait for one wish. */
export const CALLERS_MAX = 64

export function checkHints(state: HintState): void {
  assert(state.views.size <= VIEWS_MAX, 'views are bounded')
  assert(state.wishes.size <= WISHES_MAX, 'wishes are bounded')
  assert(state.failures.size <= VIEWS_MAX, 'failures are bounded')
  for (const [what, { change, ids }] of state.wishes) {
    const { add, remove } = change
    assert(what === (add === undefined ? `expel ${remove}` : `admit ${add.id}`), `a wish has its own name: ${what}`)
    assert(!isFulfilled(state, change), `a wish that the list fulfils is answered: ${what}`)
    assert(ids.length > 0 && ids.length <= CALLERS_MAX, 'somebody waits for a wish, and not too many')
    assert((add === undefined) !== (remove === undefined), 'a wish is for one member, in or out')
  }
  assert(state.lastStanding.size === state.open.size, 'the election is told of every place that is open')
  for (const name of state.lastStanding.keys())
    assert(state.open.has(name), `the election is told of ${name} since it is open`)
}

/** By the newest list that this member knows. */
export function mayVote({ electorate }: HintState, member: NodeId): boolean {
  return electorate?.members.some(({ id }) => id === member) ?? false
}

/** Whether the newest list is as wished. Without a list nothing is. */
export function isFulfilled(state: HintState, { add, remove }: Change): boolean {
  if (state.electorate === undefined) return false
  return add === undefined ? !mayVote(state, remove!) : mayVote(state, add.id)
}
