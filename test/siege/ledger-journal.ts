// What clients wrote of the payments that were certified to them, and the judgement of it.

import type { Ledger } from 'coterie'
import { texts } from './journals.ts'

/** A certified payment: its place, its bytes, and the size and root that the servers signed. */
export interface PaymentLine {
  readonly index: number
  readonly leaf: string
  readonly size: number
  readonly root: string
}

/** What a ledger holds in the end, after an audit of every leaf. */
export interface FinalLedger {
  readonly leaves: readonly string[]
  /** Of all accounts together. */
  readonly held: bigint
}

/** Reads the whole log, replays it, and asks what the accounts hold. Throws where the log does not hold. */
export async function finalLedger(ledger: Ledger): Promise<FinalLedger> {
  const leaves: string[] = []
  for await (const { leaf } of ledger.log()) leaves.push(Buffer.from(leaf).toString('hex'))
  await ledger.audit()
  return { leaves, held: (await ledger.totals()).held }
}

export async function judgeLedger(dir: string, final: FinalLedger, supply: bigint): Promise<string[]> {
  const lines = (await texts(dir, 'ledger-')).join('').split('\n').filter(Boolean)
  return problemsOfPayments(
    lines.map(line => JSON.parse(line) as PaymentLine),
    final,
    supply,
  )
}

/** One certified history, every certified payment in it, and never a coin more or less. */
export function problemsOfPayments(lines: readonly PaymentLine[], final: FinalLedger, supply: bigint): string[] {
  const problems: string[] = []
  const roots = new Map<number, string>()
  for (const { index, leaf, size, root } of lines) {
    if (final.leaves[index] !== leaf) problems.push(`leaf ${index} was certified, and the log has another`)
    if ((roots.get(size) ?? root) !== root) problems.push(`two histories of ${size} leaves were certified`)
    roots.set(size, root)
  }
  const places = new Set(lines.map(({ index }) => index))
  if (places.size !== lines.length) problems.push('one place was certified for two payments')
  if (final.held !== supply) problems.push(`the accounts hold ${final.held} of ${supply} coins`)
  return problems
}
