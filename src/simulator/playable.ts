// What can be played: a scenario, who in it may be played by a visitor, with which words, what its users can do, and for which
// runs its promise is made at all.

import type { NodeId } from '../core/index.ts'
import type { ManualKind } from './acts.ts'
import type { Micros } from './network.ts'
import type { RunName } from './permalink.ts'
import type { Palette } from './puppet.ts'
import type { AnyScenario, Plan } from './scenario.ts'

/** For which runs the promise is made. What a visitor does beyond it is shown, and said to be beyond it. */
export interface PlayModel {
  /** How many may lie. */
  readonly liars: number
  /** Every message arrives within it; left out, messages may take any time. */
  readonly delayMax?: Micros
  /** How far a clock's rate may be from 1. */
  readonly drift: number
  /** The kinds of act that it allows. */
  readonly allows: readonly ManualKind[]
}

/** Something that a user can do. */
export interface PlayCommand {
  readonly title: string
  /** The scenario's own act; nothing where there is no such client. `place` is another for each act of a run. */
  act(client: NodeId, plan: Plan<unknown>, place: number): unknown
}

/** One size of one thing to play, ready to run. */
export interface Playable {
  readonly scenario: AnyScenario
  readonly model: PlayModel
  /** Who may be played as a traitor; none where there is no palette. */
  readonly mayLie: readonly NodeId[]
  readonly palette?: Palette
  /** By word. */
  readonly commands: Readonly<Record<string, PlayCommand>>
  /** Processes that do not come back under their name crash by an act of the scenario. */
  dies?(client: NodeId, plan: Plan<unknown>): unknown
}

/** A range of sizes, with what is taken where nothing is said. */
export interface Sizes {
  readonly min: number
  readonly max: number
  readonly usual: number
}

/** A protocol to play with. */
export interface Playground {
  readonly name: string
  readonly title: string
  /** What it promises, in a sentence. */
  readonly promise: string
  readonly servers: Sizes
  /** Left out where nobody lies. */
  readonly liars?: Sizes
  /** Set pieces by name, with a title; without one, the seed draws everything. */
  readonly stories: Readonly<Record<string, string>>
  /** Planted bugs that can be put in. */
  readonly bugs: readonly string[]
  /** The size against its bound, in a sentence: '5 = 5b: one too few.' */
  bound(run: RunName): string
  /** Ready to run; or a sentence that says why this cannot be run. */
  open(run: RunName): Playable | string
}
