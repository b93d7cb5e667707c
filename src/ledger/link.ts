// What a link to another ledger lets in, and what shows that the other ledger is no longer to be believed.
//
// A peer with more liars than it declared certifies anything. What it can cost is bounded here: its own coins by `cap` and
// `rate`; ours, coming back, by what went there (`withinOutstanding` in rules.ts).

import { sameBytes } from '../core/index.ts'
import type { LinkBook } from './book.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { LedgerCrypto } from './genesis.ts'
import { verifyConsistency } from './merkle.ts'
import type { LedgerRules } from './rules.ts'

/** What is to be minted, and when. */
export interface Arriving {
  /** Coins of that ledger that are here. */
  readonly held: bigint
  readonly amount: bigint
  readonly tick: number
}

/** Why the link does not let it in. */
export function whyNotWithinLink(
  link: LinkBook,
  { held, amount, tick }: Arriving,
  rules: LedgerRules,
): string | undefined {
  if (!rules.withinCap(held, amount, link.cap))
    return `the cap is ${link.cap}, ${held} are here, and this is ${amount}.`
  if (link.rate === 0n) return undefined
  const minted = link.minted.reduce((sum, one) => (one.tick > tick - link.window ? sum + one.amount : sum), 0n)
  return minted + amount <= link.rate
    ? undefined
    : `${link.rate} may come in ${link.window} ticks, ${minted} came, and this is ${amount}.`
}

/** What shows two histories of one ledger. */
export interface Contradiction {
  readonly one: Checkpoint
  readonly other: Checkpoint
  /** Another root of the smaller size, and how the larger tree grew out of it. */
  readonly root: Uint8Array
  readonly path: readonly Uint8Array[]
}

/** Why two certificates do not contradict each other. */
export function whyNoContradiction(
  { one, other, root, path }: Contradiction,
  { hash }: LedgerCrypto,
): string | undefined {
  const [smaller, larger] = one.size <= other.size ? [one, other] : [other, one]
  if (one.height === other.height && (one.size !== other.size || !sameBytes(one.root, other.root))) return undefined
  if (sameBytes(smaller.root, root)) return 'the root shown is the certified one'
  const grew = verifyConsistency({ size: smaller.size, root }, larger, path, hash)
  return grew ? undefined : 'the larger tree did not grow out of the root shown'
}
