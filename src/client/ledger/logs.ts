// A log in pages, each lot checked against its certificate before anything of it is given out.

import {
  type Descriptor,
  extend,
  type Frontier,
  frontierFrom,
  frontierRoot,
  leafHash,
  NotProven,
  toHex,
} from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import type { WaitOptions } from '../waiting.ts'
import type { LedgerCalls, Page } from './calls.ts'
import { entryOf, type LedgerEntry } from './checks.ts'

const RETRIES = 8

/**
 * Every leaf from one on, up to a size that more servers vouch for than can lie. One of them that is behind, or says so, does
 * not end the log: the next is asked.
 */
export async function* entriesUpTo(
  calls: LedgerCalls,
  ledger: Descriptor,
  { from, size }: { readonly from: number; readonly size: number },
  options: WaitOptions,
): AsyncGenerator<LedgerEntry, void, undefined> {
  let next = from
  for (let empty = 0; next < size; ) {
    const lot = await lotOf(calls, ledger, next, options)
    empty = lot.length === 0 ? empty + 1 : 0
    if (empty > RETRIES)
      throw new NotProven(`ledger '${ledger.genesis.name}' has ${size} leaves, and its servers show ${next} of them.`)
    yield* lot
    next += lot.length
  }
}

/** Pages up to the certificate of the first of them; the root is compared before anything is given out. */
export async function lotOf(
  calls: LedgerCalls,
  ledger: Descriptor,
  from: number,
  options: WaitOptions,
): Promise<LedgerEntry[]> {
  const { hash } = ledgerCryptoOf()
  for (let tries = 0; ; tries++) {
    const first = await calls.page(ledger, from, options)
    if (first.leaves.length === 0) return []
    const tree = frontierFrom(from, first.frontier)!
    const leaves = await pagesUpTo(calls, ledger, first, tree, options)
    if (leaves !== undefined && toHex(frontierRoot(tree, hash)) === toHex(first.checkpoint.root)) {
      return leaves.map((leaf, place) => entryOf(from + place, leaf))
    }
    if (tries >= RETRIES)
      throw new NotProven(`${first.server} and others gave a log that does not lead to its certificate.`)
  }
}

async function pagesUpTo(
  calls: LedgerCalls,
  ledger: Descriptor,
  first: Page,
  tree: Frontier,
  options: WaitOptions,
): Promise<Uint8Array[] | undefined> {
  const { hash } = ledgerCryptoOf()
  const leaves: Uint8Array[] = []
  let page = first
  for (;;) {
    const taken = page.leaves.slice(0, first.checkpoint.size - tree.size)
    for (const leaf of taken) extend(tree, leafHash(leaf, hash), hash)
    leaves.push(...taken)
    if (tree.size >= first.checkpoint.size) return leaves
    page = await calls.page(ledger, tree.size, options)
    if (page.leaves.length === 0) return undefined
  }
}

export async function* leavesOf(entries: AsyncIterable<LedgerEntry>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const { leaf } of entries) yield leaf
}
