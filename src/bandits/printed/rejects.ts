// SR-secured (THESIS §6.2.3, algorithm 7): successive rejects on values that a data owner DO encrypts to Comp. K - 1 nodes RP_j draw
// the rewards of a phase each and add them under encryption; Comp sees sums without names, BAI who is rejected, the user the best.
//
// Corrections: exact phases; values signed; the noise of a phase is summed and encrypted once for each arm, so that the cost does
// not grow with the budget; permutations are sealed, not encrypted number by number; BAI makes other ciphertexts of the sums before it
// sends them on (as printed the list that one RP gave goes to the next byte for byte, and the network follows each arm).

import { assert } from '../../core/index.ts'
import { rejectPhases } from '../phases.ts'
import { type PrintedSeals, permutation } from './ring.ts'

/** Sums under encryption to Comp's key. */
export interface RejectSums {
  encrypt(value: bigint): bigint
  add(one: bigint, other: bigint): bigint
  times(ciphertext: bigint, factor: bigint): bigint
  rerandomise(ciphertext: bigint): bigint
  decrypt(sum: bigint): bigint
}

/** What SR-secured is played with. */
export interface RejectParts {
  /** What each arm is worth, in steps. */
  readonly values: readonly number[]
  /** Each reward is its arm's value and a number drawn from -epsilon to epsilon. */
  readonly epsilon: number
  readonly budget: number
  readonly seals: PrintedSeals
  readonly sums: RejectSums
  /** As printed: the noise of each pull is encrypted for itself. The cost then grows with the budget. */
  readonly eachPull?: boolean
  below(bound: number): number
  overhear?(from: string, to: string, what: string, message: unknown): void
  /** The noise that RP_j added for an arm, in steps. */
  drew?(phase: number, arm: number, noise: number): void
  /** The whole of what a node does is inside: for measuring who works how long. */
  working?<Result>(node: string, work: () => Result): Result
}

/** What came of it. */
export interface RejectResult {
  readonly best: number
  /** In the order in which they were rejected: BAI knows it. */
  readonly rejected: readonly number[]
  readonly spent: number
}

const BAI = 'BAI'
const COMP = 'Comp'

/** Plays a whole search at once. */
export function playRejects(parts: RejectParts): RejectResult {
  const run = rejectsByPhase(parts)
  for (;;) {
    const { done, value } = run.next()
    if (done) return value
  }
}

/** Plays a whole search, and stops after each phase: the arithmetic takes a while. */
export function* rejectsByPhase(
  parts: RejectParts,
): Generator<{ readonly phase: number; readonly spent: number }, RejectResult> {
  const { values, budget, sums, below, overhear } = parts
  const working = parts.working ?? ((_node, work) => work())
  const phases = rejectPhases(values.length, budget)
  const encrypted = working('DO', () => values.map(value => sums.encrypt(BigInt(value))))
  overhear?.('DO', 'RP', 'values', encrypted)
  /** BAI's: the sums of the arms that are in, by arm. */
  let left = working(BAI, () => values.map((_, arm) => ({ arm, sum: sums.encrypt(0n) })))
  const rejected: number[] = []
  let spent = 0
  for (const [phase, { pulls }] of phases.entries()) {
    const node = `RP${phase + 1}`
    const { order, sent, sealed } = working(BAI, () => beginPhase(parts, phase, left))
    overhear?.(BAI, node, 'sums', sent)
    overhear?.(BAI, node, 'order', sealed)
    const arms = left.map(({ arm }) => arm)
    const added = working(node, () => drawRewards(parts, { phase, pulls, arms, encrypted }, sent, sealed))
    spent += pulls * arms.length
    overhear?.(node, BAI, 'sums', added)
    overhear?.(node, COMP, 'sums', added)
    const worst = working(COMP, () =>
      lowest(
        added.map(sum => sums.decrypt(sum)),
        below,
      ),
    )
    overhear?.(COMP, BAI, 'worst', worst)
    left = left.map(({ arm }, place) => ({ arm, sum: added[order[place]!]! }))
    const [gone] = left.splice(order.indexOf(worst), 1)
    rejected.push(gone!.arm)
    yield { phase: phase + 1, spent }
  }
  assert(left.length === 1, 'one arm is left')
  const best = left[0]!.arm
  overhear?.(BAI, 'U', 'best', parts.seals.seal('U', 'best', Uint8Array.of(best)))
  return { best, rejected, spent }
}

interface InPlay {
  readonly arm: number
  readonly sum: bigint
}

/** New places for the arms that are in, and other ciphertexts: nobody can follow one through two phases. */
function beginPhase({ seals, sums, below }: RejectParts, phase: number, left: readonly InPlay[]) {
  const order = permutation(left.length, below)
  const sent: bigint[] = []
  for (const [place, { sum }] of left.entries()) sent[order[place]!] = phase === 0 ? sum : sums.rerandomise(sum)
  return { order, sent, sealed: seals.seal(`RP${phase + 1}`, `phase ${phase}`, Uint8Array.from(order)) }
}

interface PhaseOf {
  readonly phase: number
  readonly pulls: number
  /** The arms that are in: every RP knows who was rejected before. */
  readonly arms: readonly number[]
  readonly encrypted: readonly bigint[]
}

/** RP_j: the rewards of a phase, added under encryption. */
function drawRewards(
  parts: RejectParts,
  { phase, pulls, arms, encrypted }: PhaseOf,
  sent: readonly bigint[],
  sealed: Uint8Array,
): bigint[] {
  const { seals, sums, below, epsilon, eachPull = false } = parts
  const order = seals.open(`RP${phase + 1}`, `phase ${phase}`, sealed)
  assert(order !== undefined, 'the order of a phase opens')
  const added = [...sent]
  for (const [place, arm] of arms.entries()) {
    let noise = 0
    let printed: bigint | undefined
    for (let pull = 0; pull < pulls; pull++) {
      const one = below(2 * epsilon + 1) - epsilon
      noise += one
      if (!eachPull) continue
      const encryptedOne = sums.encrypt(BigInt(one))
      printed = printed === undefined ? encryptedOne : sums.add(printed, encryptedOne)
    }
    parts.drew?.(phase, arm, noise)
    const fixed = pulls === 0 ? undefined : sums.times(encrypted[arm]!, BigInt(pulls))
    const drawn = printed ?? sums.encrypt(BigInt(noise))
    const more = fixed === undefined ? drawn : sums.add(fixed, drawn)
    added[order[place]!] = sums.add(sent[order[place]!]!, more)
  }
  return added
}

/** Of several lowest any one, by chance. */
function lowest(sums: readonly bigint[], below: (bound: number) => number): number {
  let [least] = sums as readonly [bigint]
  for (const sum of sums) if (sum < least) least = sum
  const places = sums.flatMap((sum, place) => (sum === least ? [place] : []))
  return places[below(places.length)]!
}
