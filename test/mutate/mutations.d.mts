export interface Mutation {
  readonly area: string
  readonly id: string
  readonly file: string
  readonly old: string
  readonly new: string
  readonly why: string
  readonly tests: readonly string[]
}
export function readMutations(): readonly Mutation[]
export function applied(mutation: Mutation, text: string): string
