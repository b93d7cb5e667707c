// Every single bit of a log of 200 leaves, turned: the audit refuses each, and names the leaf. With OpenSSL's signatures, as
// `coterie ledger audit` has them. Some 350,000 audits of one leaf: a minute or two.
//
//   test/long/ledger-audit.sh

import { sha256 } from '@noble/hashes/sha2.js'
import { Replay } from '../../src/ledger/audit.ts'
import { ledgerRules } from '../../src/ledger/index.ts'
import { ideals } from '../../src/ledger/proof/actors.ts'
import { Stage } from '../../src/ledger/proof/stories.ts'
import { opensslSigner } from '../../src/runtime/certificates/signatures.ts'
import { ledgerCryptoOf } from '../../src/runtime/ledger.ts'

const LEAVES = 200
const signer = (name: string) => opensslSigner(sha256(new TextEncoder().encode(name)))
const stage = new Stage(ledgerRules, {
  ...ideals(),
  suite: ledgerCryptoOf(),
  signer,
  voter: server => salt => signer(`${server} votes ${String(salt)}`),
})
while (stage.a.leaves.length < LEAVES) {
  const [from, to] = stage.a.leaves.length % 2 === 0 ? ['alice', 'bob'] : ['bob', 'alice']
  stage.a.must(stage.pay(stage.a, from!, 1n, { to }))
}
const replay = new Replay(stage.a.descriptor, ledgerCryptoOf())
let [bits, missed] = [0, 0]
for (const [index, leaf] of stage.a.leaves.entries()) {
  for (let bit = 0; bit < leaf.length * 8; bit++, bits++) {
    const turned = leaf.slice()
    turned[bit >> 3]! ^= 1 << (bit & 7)
    try {
      replay.take(turned)
    } catch (error) {
      if (String(error).includes(`leaf ${index} is wrong`)) continue
    }
    missed++
    console.log(`missed: bit ${bit} of leaf ${index}`)
    break
  }
  if (missed > 0) break
  replay.take(leaf)
}
console.log(`${bits} bits of ${LEAVES} leaves turned, ${missed} missed`)
process.exitCode = missed === 0 ? 0 : 1
