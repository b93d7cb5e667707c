// How one kind of channel hides: what is sent of a bundle and under which names, what a reader listens on, and how what came
// opens. One file a mode; all else is the same for all of them.

import type { Sealed, Unsigned } from '../../sealed.ts'
import type { Frame, Inside, Totals } from '../../wire.ts'
import type { Epoch, MemberScene } from '../state.ts'

/** A frame, and the names under which it is sent. */
export interface Outgoing {
  readonly names: readonly string[]
  readonly frame: Sealed
}

/** Totals on their way. */
export type SealedTotals = Extract<Frame, { kind: 'totals' | 'told' }>

/** An epoch of which we are a party. */
export type OpenEpoch = Epoch & { readonly keys: NonNullable<Epoch['keys']> }

/** One kind of channel. */
export interface Mode {
  /** Keywords of an event, at most. */
  readonly keywordsMax: number
  /** Events that are signed and sealed at once, at most. */
  readonly batchMax: number
  /** Whether a matcher is given trapdoors. */
  readonly isMatched: boolean
  /** Keywords that one reader may listen on. */
  listenedMax(epoch: Epoch): number
  /** Whether something can be sealed now; where it cannot, a timer is set. */
  mayBegin(scene: MemberScene): boolean
  seal(scene: MemberScene, epoch: OpenEpoch, keywords: readonly Uint8Array[], inside: Inside): readonly Outgoing[]
  tell(scene: MemberScene, epoch: OpenEpoch, said: Unsigned): readonly SealedTotals[]
  /** What came, opened; nothing where it is not for us, or not sealed so. `isOthers`: it is for somebody else. */
  open(scene: MemberScene, epoch: OpenEpoch, frame: Sealed): Inside | undefined | 'other'
  openTotals(scene: MemberScene, epoch: OpenEpoch, frame: SealedTotals): Totals | undefined | 'other'
  /** The names that a reader asks the carriers for. */
  names(scene: MemberScene, epoch: OpenEpoch): Iterable<string>
  /** What the matcher is told; nothing where it is not finished: a timer is set. */
  searches(scene: MemberScene, epochs: readonly OpenEpoch[]): readonly Frame[] | undefined
}
