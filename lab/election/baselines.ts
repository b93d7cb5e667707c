// The two algorithms that SRCEA compares itself with, as far as its text gives them: a cost model, not an
// implementation. SEFA and SPLEA (Vasudevan, DeCleene, Immerman, Kurose and Towsley) go in rounds over signed messages.
//
// SRCEA §4.2.1: "O(n) in best case and O(L·n) in worst case where n is number of nodes in hierarchy and L is number of
// election rounds"; best: all one hop apart; worst: n rounds, "then the communication cost is O(n²)". SEFA and SPLEA
// cost the same. The constants are taken as 1, which is what the paper's one number turns out to assume: its "97 %
// less" is the mean of 1 - 5n/n² over n = 50, 100, …, 500.

export const SIZES_OF_FIGURE_3: readonly number[] = Array.from({ length: 10 }, (_, at) => 50 * (at + 1))

export interface CostModel {
  readonly name: string
  messages(nodes: number): number
}

export const spleaBest: CostModel = { name: 'SPLEA and SEFA, model, one hop: n', messages: nodes => nodes }
export const spleaWorst: CostModel = { name: 'SPLEA and SEFA, model, n rounds: n²', messages: nodes => nodes * nodes }
export const printedBest: CostModel = { name: 'SRCEA, printed, best: 2n', messages: nodes => 2 * nodes }
export const printedWorst: CostModel = { name: 'SRCEA, printed, worst: 5n', messages: nodes => 5 * nodes }
