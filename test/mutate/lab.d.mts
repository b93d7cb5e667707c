export interface LabMutation {
  readonly area: string
  readonly experiment: string
  readonly file: string
  readonly old: string
  readonly new: string
  readonly why: string
  /** The mutated code must fail an assertion instead of measuring something else. */
  readonly stops?: boolean
}
export function readLabMutations(): readonly LabMutation[]
