// What an ordering thread concludes from a quorum's answers to its get (BACKOFF figure 2, lines 14–25 and 33–48).

import { type PrintedState, sameState } from './messages.ts'

export interface Answer {
  readonly committed: PrintedState
  readonly proposed: PrintedState | undefined
  readonly proposer: number
  readonly pending: readonly string[]
}

/** Lines 14, 15: the newest state that b + 1 report committed. */
export function newestCommitted(answers: readonly Answer[], liars: number): PrintedState | undefined {
  return answers
    .map(answer => answer.committed)
    .filter(state => answers.filter(answer => sameState(answer.committed, state)).length > liars)
    .sort((one, other) => other.version - one.version)[0]
}

/** Lines 33–48: by version, then by proposer, the first state that b + 1 were proposed. */
export function choose(answers: readonly Answer[], liars: number): PrintedState | undefined {
  const sorted = answers
    .filter(answer => answer.proposed !== undefined)
    .map(answer => ({ state: answer.proposed!, proposer: answer.proposer }))
    .sort((one, other) => other.state.version - one.state.version || other.proposer - one.proposer)
  for (const [place, { state }] of sorted.entries()) {
    const count = sorted.slice(0, place + 1).filter(other => sameState(other.state, state)).length
    if (count > liars) return state
  }
  return undefined
}

/** Lines 17, 18: where b + 1 were proposed something newer than v, v was committed at a quorum. */
export function completedVersion(answers: readonly Answer[], liars: number): number {
  const versions = answers.flatMap(answer => answer.proposed?.version ?? []).sort((one, other) => other - one)
  return versions.length > liars ? versions[liars]! - 1 : -1
}

/** Line 24: what b + 1 servers hold to be pending. */
export function pendingAtEnough(answers: readonly Answer[], liars: number): string[] {
  const counts = new Map<string, number>()
  for (const answer of answers) {
    for (const operation of new Set(answer.pending)) counts.set(operation, (counts.get(operation) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > liars).map(([operation]) => operation)
}
