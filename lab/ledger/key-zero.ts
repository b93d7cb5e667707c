// THESIS §5.4 burns by sending to public key 0, "owned by nobody". On Ed25519 that encoding is a point of order four: [h]A takes
// four values, so with S = 0 and R one of them a signature holds for one message in four, and one of the four for most.

import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { ledgerCryptoOf } from '../../src/runtime/ledger.ts'
import { type Experiment, row } from '../experiment.ts'

const MESSAGES = { small: 1_000, full: 20_000 }
const KEY = new Uint8Array(32)

export const keyZeroErratum: Experiment = {
  name: 'errata-ledger-zero',
  title: 'Anybody signs for public key 0.',
  source: 'THESIS §5.4, account 0',
  run({ scale, seed }) {
    const x = Buffer.from(KEY).toString('base64url')
    const openssl = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    const ours = ledgerCryptoOf()
    const A = ed25519.Point.fromBytes(KEY, true)
    const points = [ed25519.Point.ZERO, A, A.add(A), A.add(A).add(A)]
    const signatures = points.map(point => {
      const signature = new Uint8Array(64)
      signature.set(point.toBytes())
      return signature
    })
    let [theirs, here] = [0, 0]
    for (let at = 0; at < MESSAGES[scale]; at++) {
      const message = new TextEncoder().encode(`pay everything from account 0, ${seed} ${at}`)
      if (signatures.some(signature => verify(null, message, openssl, signature))) theirs++
      if (signatures.some(signature => ours.isKey(KEY) || ours.verify(KEY, message, signature))) here++
    }
    const share = 1 - (3 / 4) ** 4
    const tolerance = 3.3 * Math.sqrt((share * (1 - share)) / MESSAGES[scale])
    return {
      rows: [
        row(
          'messages signed for key 0 without a secret, as OpenSSL sees it',
          theirs / MESSAGES[scale],
          share,
          tolerance,
        ),
        row('messages signed for key 0, as a ledger sees it', here, 0, 0),
      ],
      pictures: [],
      notes: [
        `${MESSAGES[scale]} messages; four signatures tried for each. 1 - (3/4)^4 is what independent hashes give.`,
      ],
    }
  },
}
