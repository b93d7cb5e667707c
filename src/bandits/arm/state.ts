// What an arm remembers: its own rewards, its part of the keys, and where it sits. All of it is saved before anything is
// said about it.

import { assert, decode, encode, type NodeId, type Saved, timers } from '../../core/index.ts'
import type { BlockFunction } from '../encoding.ts'
import { NOTHING, type PartyScene, type PartyState } from '../party.ts'
import { GRID } from '../policies/index.ts'
import { type ArmRecord, armRecord, type BanditMessage, type Share } from '../wire.ts'

/** What the owner of an arm tells it. */
export type ArmCommand =
  /** The reward of that pull, in steps of the grid. */
  | { kind: 'reward'; number: number; steps: number }
  /** The source gives no reward. */
  | { kind: 'fail' }

/** What an arm asks its owner. */
export interface ArmEvent {
  readonly kind: 'pull'
  /** Counts the pulls of this arm from 1. Asked again with the same number after a restart. */
  readonly number: number
  /** The round that it follows from; -1 before the first. */
  readonly round: number
}

/** The keys of a run, as an arm has them. */
export interface ArmKeys {
  /** Of all arms, and nobody else. */
  readonly arms: Uint8Array
  /** Of all arms and the comparator. */
  readonly boxes: Uint8Array
  /** With each other arm, by its place. */
  readonly pairs: ReadonlyMap<number, Uint8Array>
  /** What everything is bound to. */
  readonly run: Uint8Array
  /** Says that all arms have the same key. */
  readonly check: Uint8Array
  /** The function that tags are drawn with. */
  readonly blocks: BlockFunction
}

export interface ArmState extends PartyState {
  readonly place: number
  secret: Uint8Array
  /** The comparator's key for this run; empty until it is known. */
  runKey: Uint8Array
  /** The parts of the other arms, as they were sealed; empty where they have not come. By place; the own stays empty. */
  readonly shares: Uint8Array[]
  /** What was in them, once it was looked at in this life. */
  readonly opened: (Share | undefined)[]
  keys: ArmKeys | undefined
  pulls: number
  sum: number
  /** How many pulls it shall have made before it says more. */
  target: number
  isIn: boolean
  round: number
  attempt: number
  slot: number
  /** The token with which it won the last round of a search. */
  claim: Uint8Array
  /** The pull that the owner was asked for in this life. */
  asked: number
  /** Whether the shuffler waits for what follows from its last word. */
  owes: boolean
  /** Arms that are lost, a bit for each place. */
  lost: number
  /** The attempt whose time runs, and whether it is up. */
  paced: { readonly round: number; readonly attempt: number; isDue: boolean } | undefined
  /** The last box, to be said again. */
  box:
    | { readonly round: number; readonly attempt: number; readonly slot: number; readonly bytes: Uint8Array }
    | undefined
}

export type ArmScene = PartyScene<ArmState, ArmEvent>
export type TurnMessage = BanditMessage & { kind: 'turn' }

export const armTimers = timers('repeat', 'pace')

export function newArm(self: NodeId, place: number, arms: number, saved: Saved): ArmState {
  const record = saved.get('')?.at(-1)
  const decoded = record && decode(armRecord, record)
  assert(decoded === undefined || decoded.ok, 'what an arm saved can be read')
  const from: ArmRecord | undefined = decoded?.ok ? decoded.value : undefined
  return {
    self,
    place,
    secret: from?.secret ?? NOTHING,
    runKey: from?.runKey ?? NOTHING,
    shares: [...(from?.shares ?? Array.from({ length: arms }, () => NOTHING))],
    opened: [],
    keys: undefined,
    pulls: from?.pulls ?? 0,
    sum: from?.sum ?? 0,
    target: from?.target ?? 0,
    isIn: from?.isIn ?? true,
    round: (from?.turns ?? 0) - 1,
    attempt: from?.attempt ?? 0,
    slot: from?.slot ?? 0,
    claim: from?.claim ?? NOTHING,
    stopped: from?.stopped ?? '',
    lost: from?.lost ?? 0,
    paced: undefined,
    asked: 0,
    owes: false,
    box: undefined,
  }
}

export function armSnapshot(state: ArmState): Uint8Array {
  const { secret, runKey, shares, pulls, sum, target, isIn, round, attempt, slot, claim, stopped, lost } = state
  const turns = round + 1
  // Written out: a spread of an object costs more than all the rest.
  const play = { pulls, sum, target, isIn, turns, attempt, slot, claim, stopped, lost, secret, runKey, shares }
  return encode(armRecord, play)
}

export function checkArm({ pulls, sum, target, round }: ArmState): void {
  assert(pulls <= target, `${pulls} pulls where ${target} were due`)
  assert(sum >= 0 && sum <= pulls * GRID, `a sum of ${sum} in ${pulls} pulls`)
  assert(round >= -1, `round ${round}`)
}
