// Phases of successive rejects by floating point. The thesis's formula can be written down in several orders, and each of
// them rounds elsewhere: how many pairs (K, N) get another phase depends on which one it is.

/** One way to write ⌈(N - K) / (logbar(K) · (K + 1 - j))⌉ in doubles; `left` is K + 1 - j. */
export type PhaseFormula = (over: number, log: number, left: number) => number

export const phaseFormulas = {
  /** By logbar first, then by the arms that are left. The construction's figures are of this one. */
  'log first': (over, log, left) => over / log / left,
  /** By the product of both. */
  'one division': (over, log, left) => over / (log * left),
  /** As algorithm 1 prints it: a reciprocal times a fraction. */
  'as printed': (over, log, left) => (1 / log) * (over / left),
} satisfies Record<string, PhaseFormula>

/** Phases by floating point, with logbar(K) added up from ½ on: not always those of whole numbers. */
export function phasesInDoubles(
  arms: number,
  budget: number,
  formula: PhaseFormula = phaseFormulas['log first'],
): number[] {
  let log = 0.5
  for (let place = 2; place <= arms; place++) log += 1 / place
  const totals = Array.from({ length: arms - 1 }, (_, phase) => Math.ceil(formula(budget - arms, log, arms - phase)))
  return totals.map((total, place) => total - (totals[place - 1] ?? 0))
}
