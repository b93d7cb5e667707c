// What a ledger's parts cost: the tree, a receipt, an audit, a height of transfers executed; and how often a signature is
// looked at. `npm run bench -- ledger` measures whole groups.

import { performance } from 'node:perf_hooks'
import { execute, type LedgerCrypto, leafHash, ledgerRules, openBook, verifyReceipt } from '../../src/ledger/index.ts'
import { LeafMemory } from '../../src/ledger/memory.ts'
import { append, newTree } from '../../src/ledger/merkle.ts'
import { ideals } from '../../src/ledger/proof/actors.ts'
import { Stage } from '../../src/ledger/proof/index.ts'
import { opensslSigner } from '../../src/runtime/certificates/signatures.ts'
import { sha256 } from '../../src/runtime/hash.ts'
import { ledgerCryptoOf } from '../../src/runtime/ledger.ts'
import { type Experiment, row } from '../experiment.ts'

const LEAVES = { small: 20_000, full: 1_000_000 }
const TRANSFERS = { small: 100, full: 2_000 }
const RECEIPTS = { small: 50, full: 1_000 }

/** Counts what is looked at. */
function counting(suite: LedgerCrypto): LedgerCrypto & { looked: number } {
  const counted = {
    ...suite,
    looked: 0,
    verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array) {
      counted.looked++
      return suite.verify(key, message, signature)
    },
  }
  return counted
}

function micros(times: number, work: (at: number) => void): number {
  const began = performance.now()
  for (let at = 0; at < times; at++) work(at)
  return ((performance.now() - began) * 1_000) / times
}

export const speedExperiment: Experiment = {
  name: 'ledger-speed',
  title: 'What the parts of a ledger cost, and how often a signature is looked at.',
  source: 'ours',
  run({ scale, progress }) {
    const signer = (name: string) => opensslSigner(new Uint8Array(sha256(new TextEncoder().encode(name))))
    const suite = counting(ledgerCryptoOf())
    const voter = (server: string) => (salt: Uint8Array) => signer(`${server} votes ${String(salt)}`)
    const stage = new Stage(ledgerRules, { ...ideals(), suite, signer, voter })
    progress(0.1, 'the tree')
    const tree = newTree()
    const leaf = new Uint8Array(220)
    const hash = ledgerCryptoOf().hash
    const appending = micros(LEAVES[scale], at => {
      leaf[0] = at
      append(tree, leafHash(leaf, hash), hash)
    })
    progress(0.5, 'transfers')
    const transfers = Array.from({ length: TRANSFERS[scale] }, () => stage.pay(stage.a, 'alice', 1n, { to: 'alice' }))
    const book = openBook(stage.a.descriptor)
    for (const link of stage.a.leaves) execute(book, link, { suite, rules: ledgerRules })
    suite.looked = 0
    const memory = new LeafMemory(suite.hash)
    const executing = micros(transfers.length, at =>
      execute(book, transfers[at]!, { suite, rules: ledgerRules, memory }),
    )
    const looked = suite.looked / transfers.length
    // A server tries a proposal, takes it back, and executes it again when it is certified.
    const again = openBook(stage.a.descriptor)
    for (const link of stage.a.leaves) execute(again, link, { suite, rules: ledgerRules })
    suite.looked = 0
    const repeating = micros(transfers.length, at =>
      execute(again, transfers[at]!, { suite, rules: ledgerRules, memory }),
    )
    const lookedAgain = suite.looked
    progress(0.8, 'receipts')
    stage.a.must(transfers[0]!)
    const { kind: _, ...receipt } = stage.a.proof(2) as Extract<ReturnType<typeof stage.a.proof>, { kind: 'proof' }>
    suite.looked = 0
    const verifying = micros(RECEIPTS[scale], () => verifyReceipt(receipt, stage.a.descriptor, suite))
    return {
      rows: [
        row('signatures looked at for a transfer', looked, 1, 0),
        row('and for all of them, when they are executed again', lookedAgain, 0, 0),
        row('signatures looked at for a receipt of four servers', suite.looked / RECEIPTS[scale], 4, 0),
        row('append to the tree', appending, null, null, 'µs'),
        row('check and execute a transfer, remembering OpenSSL', executing, null, null, 'µs'),
        row('execute it again', repeating, null, null, 'µs'),
        row('verify a receipt again', verifying, null, null, 'µs'),
      ],
      pictures: [],
      notes: [
        `${LEAVES[scale]} leaves, ${TRANSFERS[scale]} transfers, ${RECEIPTS[scale]} receipts. Times are this machine's, now.`,
      ],
    }
  },
}
