// What an arm of the ring remembers: its own rewards, the keys that AS gave it, and its place in the ring of this round.

import { assert, encode, type NodeId, type Saved, timers } from '../../../core/index.ts'
import type { ArmEvent } from '../../arm/state.ts'
import { NOTHING, type PartyScene, type PartyState } from '../../party.ts'
import { lastSaved, NOBODY } from '../common.ts'
import { nodeRecord } from '../wire.ts'

export interface NodeState extends PartyState {
  readonly place: number
  secret: Uint8Array
  /** As AS sealed them; empty until they are there. */
  keys: Uint8Array
  modulus: Uint8Array
  round: number
  isFirst: boolean
  next: number
  pulls: number
  sum: number
  /** How many pulls it shall have made before it passes anything on. */
  target: number
  /** What the arm before it passed on, and in which round. */
  received: { readonly round: number; readonly sealed: Uint8Array } | undefined
  /** The pull that the owner was asked for in this life. */
  asked: number
  /** Whether somebody waits for its word. */
  owes: boolean
}

export type NodeScene = PartyScene<NodeState, ArmEvent>

export const nodeTimers = timers('repeat')

export function newNode(self: NodeId, place: number, saved: Saved): NodeState {
  const from = lastSaved(nodeRecord, saved)
  return {
    self,
    place,
    secret: from?.secret ?? NOTHING,
    keys: from?.keys ?? NOTHING,
    modulus: from?.modulus ?? NOTHING,
    round: (from?.turns ?? 0) - 1,
    isFirst: from?.isFirst ?? false,
    next: from?.next ?? NOBODY,
    pulls: from?.pulls ?? 0,
    sum: from?.sum ?? 0,
    target: from?.target ?? 0,
    stopped: from?.stopped ?? '',
    received: undefined,
    asked: 0,
    owes: false,
  }
}

export function nodeSnapshot(state: NodeState): Uint8Array {
  return encode(nodeRecord, { ...state, turns: state.round + 1 })
}

export function checkNode({ pulls, target, round }: NodeState): void {
  assert(pulls <= target, `${pulls} pulls where ${target} were due`)
  assert(round >= -1, `round ${round}`)
}
