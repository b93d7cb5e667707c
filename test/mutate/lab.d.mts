export interface LabMutation {
  readonly area: string
  readonly experiment: string
  readonly file: string
  readonly old: string
  readonly new: string
  readonly why: string
  /** The mutated code must fail an assertion instead of measuring something else. */
  readonly stops?: boolean
  /** A program without which the experiment measures nothing. */
  readonly needs?: string
}
export function readLabMutations(): readonly LabMutation[]
/** How a bundle ended: what it printed, what it said of errors, its exit code, and whether its time was over first. */
export interface Ended {
  readonly told: string
  readonly wrong: string
  readonly code: number | null
  readonly late: boolean
}
export function runBundle(file: string, words: readonly string[], limitMs: number): Promise<Ended>
export function verdictOf(
  ended: Ended,
  mutation: { readonly stops?: boolean },
): { readonly outside: readonly string[]; readonly failed?: string }
export function withoutMutation(
  names: readonly string[],
  mutations: readonly { readonly experiment: string }[],
): readonly string[]
export function runnable<One extends { readonly needs?: string; readonly experiment: string; readonly why: string }>(
  mutations: readonly One[],
  isThere: (program: string) => boolean,
): { readonly run: readonly One[]; readonly leftOut: readonly string[] }
