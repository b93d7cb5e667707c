// What is checked without servers: certificates, notes, receipts, logs, keys and signatures.

import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { describe, expect, it } from 'vitest'
import { opensslSignatures, opensslSigner } from '../runtime/certificates/signatures.ts'
import { auditLedger } from './audit.ts'
import { base64, fromBase64, noteText, signedNote, whyNotCertified } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import { describeGenesis, encodeDescriptor, type Genesis, readDescriptor } from './genesis.ts'
import { Stage } from './proof/stories.ts'
import { decodeReceipt, encodeReceipt, type LedgerReceipt, NotProven, verifyReceipt } from './receipt.ts'
import { ledgerRules } from './rules.ts'
import type { Evidence } from './transactions.ts'

function receiptOf(stage: Stage, index: number): LedgerReceipt {
  const { kind, ...receipt } = stage.a.proof(index) as Evidence & { kind: 'proof' }
  expect(kind).toBe('proof')
  return receipt
}

describe('a receipt', () => {
  const stage = new Stage()
  const { suite } = stage.actors
  const index = stage.a.must(stage.pay(stage.a, 'alice', 5n))
  const receipt = receiptOf(stage, index)

  it('holds, also after it was written and read', () => {
    expect(verifyReceipt(decodeReceipt(encodeReceipt(receipt)), stage.a.descriptor, suite)).toMatchObject({
      amount: 5n,
    })
  })
  it('does not hold with any bit turned', () => {
    const encoded = encodeReceipt(receipt)
    for (let bit = 0; bit < encoded.length * 8; bit += 3) {
      const turned = encoded.slice()
      turned[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => verifyReceipt(decodeReceipt(turned), stage.a.descriptor, suite), `bit ${bit}`).toThrow(NotProven)
    }
  })
  it('of another ledger, or with too few or doubled signers, does not hold', () => {
    expect(() => verifyReceipt(receipt, stage.b.descriptor, suite)).toThrow('it is of ledger')
    const { checkpoint } = receipt
    const votes = checkpoint.votes
    const why = (changed: typeof votes) =>
      whyNotCertified(stage.a.descriptor, { ...checkpoint, votes: changed }, suite, ledgerRules)
    expect(why(votes)).toBeUndefined()
    expect(why(votes.slice(1))).toBeUndefined()
    expect(why(votes.slice(2))).toBe('2 servers signed the checkpoint, and it takes 3')
    expect(why([...votes, votes[0]!])).toContain('twice')
    expect(why(votes.map(vote => ({ ...vote, server: vote.server + 1 })))).toBeDefined()
  })
})

describe('a note', () => {
  it('has origin, size and root first, and a line for each signature', () => {
    const stage = new Stage()
    const checkpoint = stage.a.certify()
    const note = signedNote(stage.a.descriptor, checkpoint, stage.actors.suite)
    const [origin, size, root] = note.split('\n')
    expect(origin).toBe(`coterie.ledger/${stage.a.descriptor.hex}`)
    expect(size).toBe('2')
    expect(root).toBe(Buffer.from(checkpoint.root).toString('base64'))
    expect(note.split('\n\n')[0]).toBe(noteText(stage.a.descriptor, checkpoint).trimEnd())
    expect(note.match(/^— server-\d .+$/gm)?.length).toBe(4)
  })
  it('base 64 is the standard one, and has one encoding', () => {
    for (let length = 0; length < 70; length++) {
      const value = Uint8Array.from({ length }, (_, place) => (place * 37 + length) % 256)
      expect(base64(value)).toBe(Buffer.from(value).toString('base64'))
      expect(fromBase64(base64(value))).toEqual(value)
    }
    for (const bad of ['A', 'AB==A', 'AB=', '*AAA', 'AAA', 'AB==='].concat(
      'AC==' === base64(Uint8Array.of(0)) ? [] : ['AB=='],
    )) {
      expect(fromBase64(bad)).toBeUndefined()
    }
  })
})

describe('an audit', () => {
  const stage = new Stage()
  for (let i = 0; i < 198; i++)
    stage.a.must(stage.pay(stage.a, i % 2 === 0 ? 'alice' : 'bob', 1n, { to: i % 2 === 0 ? 'bob' : 'alice' }))
  const { leaves, descriptor } = stage.a
  const checkpoint = stage.a.certify()
  const { suite } = stage.actors
  const audit = (log: Iterable<Uint8Array>) => auditLedger(log, { descriptor, checkpoint, suite })

  it('finds nothing wrong with what is right', async () => {
    expect((await audit(leaves)).size).toBe(200)
  })
  it('finds a turned bit in any leaf', async () => {
    for (let index = 0; index < 200; index++) {
      const turned = [...leaves]
      const leaf = turned[index]!.slice()
      const bit = (index * 7919) % (leaf.length * 8)
      leaf[bit >> 3]! ^= 1 << (bit & 7)
      turned[index] = leaf
      // No farther than this: what comes before it is right.
      await expect(auditLedger(turned.slice(0, index + 1), { descriptor, suite }), `leaf ${index}`).rejects.toThrow(
        `leaf ${index} is wrong`,
      )
    }
  })
  it('finds a log that was cut, reordered, or of another history', async () => {
    await expect(audit(leaves.slice(0, 199))).rejects.toThrow('the log ends at 199 leaves')
    await expect(audit([...leaves.slice(0, 198), leaves[199]!, leaves[198]!])).rejects.toThrow(
      'a leaf is missing, turned or moved',
    )
    await expect(audit([leaves[0]!, leaves[1]!, leaves[4]!, leaves[3]!, leaves[2]!])).rejects.toThrow('leaf 2 is wrong')
    const other = new Stage()
    for (let i = 0; i < 3; i++) other.a.must(other.pay(other.a, 'alice', 2n))
    const seen = other.a.certify()
    await expect(auditLedger(leaves, { descriptor, checkpoint, seen, suite })).rejects.toThrow('two histories')
  })
})

describe('a genesis', () => {
  const stage = new Stage()
  const { genesis } = stage.a.descriptor
  const { suite } = stage.actors
  const why = (change: Partial<Genesis>) => () => describeGenesis({ ...genesis, ...change }, suite)
  it('is read back as it was', () => {
    const read = readDescriptor(encodeDescriptor(stage.a.descriptor), suite)
    expect(typeof read === 'string' ? read : read.hex).toBe(stage.a.descriptor.hex)
  })
  it('too few servers: the sentence computes n', () => {
    expect(why({ servers: genesis.servers.slice(1) })).toThrow('that takes 4 (3 × 1 + 2 × 0 + 1)')
    expect(why({ liars: 1 })).toThrow('that takes 6')
    expect(why({ liars: 2 })).toThrow('crashes counts the liars too')
  })
  it('refuses what cannot be', () => {
    const [balance] = genesis.balances
    expect(why({ balances: [balance!, balance!] })).toThrow('named twice')
    expect(why({ balances: [{ ...balance!, amount: 2n ** 63n - 1n }, genesis.balances[1]!] })).toThrow(
      'more than 2^63 - 1',
    )
    expect(why({ balances: [{ ...balance!, amount: 0n }] })).toThrow('from 1 to')
    expect(why({ name: 'Coins!' })).toThrow('small letters')
    expect(why({ registers: ['a', 'b', 'c'] })).toThrow('one register or two')
    expect(why({ operatorsNeeded: 2 })).toThrow('cannot sign')
    expect(why({ servers: [...genesis.servers, genesis.servers[0]!] })).toThrow('one voting key')
  })
})

// J-16: one verdict for one signature, whichever library looks.
describe('signatures', () => {
  const libraries = { noble: ledgerCrypto(), openssl: ledgerCrypto(opensslSignatures()) }
  const seed = new Uint8Array(32).fill(7)
  const signer = opensslSigner(seed)
  const message = new TextEncoder().encode('pay bob 5')
  const good = signer.sign(message)
  const L = 2n ** 252n + 27742317777372353535851937790883648493n
  const scalar = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  const withScalar = (value: bigint) => {
    const changed = good.slice()
    changed.set(Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse(), 32)
    return changed
  }
  const torsion = ed25519.Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a')
  const shifted = () => {
    const moved = good.slice()
    moved.set(ed25519.Point.fromBytes(good.slice(0, 32)).add(torsion).toBytes())
    return moved
  }
  const identity = new Uint8Array(64)
  identity[0] = 1
  const cases: [string, Uint8Array, Uint8Array, boolean][] = [
    ['as it was made', signer.publicKey, good, true],
    ['with S + L', signer.publicKey, withScalar(scalar(good.slice(32)) + L), false],
    ['with R moved by a point of small order', signer.publicKey, shifted(), false],
    ['with R the identity', signer.publicKey, identity, false],
    ['under key 0', new Uint8Array(32), identity, false],
    ['under the identity', identity.slice(0, 32), identity, false],
    ['under a key of small order', torsion.toBytes(), identity, false],
    ['too short', signer.publicKey, good.slice(1), false],
    ['empty', signer.publicKey, new Uint8Array(0), false],
  ]
  it.each(cases)('%s', (_what, key, signature, holds) => {
    for (const [name, suite] of Object.entries(libraries))
      expect(suite.verify(key, message, signature), name).toBe(holds)
  })
  it('R the identity, made on purpose by the owner of a sound key, holds nowhere', () => {
    const { scalar: secret } = ed25519.utils.getExtendedPublicKey(seed)
    const R = identity.slice(0, 32)
    const k = scalar(Uint8Array.from(Buffer.from(sha512(Buffer.concat([R, signer.publicKey, message]))))) % L
    const forged = new Uint8Array(64)
    forged.set(R)
    forged.set(Buffer.from(((k * secret) % L).toString(16).padStart(64, '0'), 'hex').reverse(), 32)
    // The library alone takes it: the equation holds.
    expect(opensslSignatures().verify(signer.publicKey, message, forged)).toBe(true)
    for (const [name, suite] of Object.entries(libraries))
      expect(suite.verify(signer.publicKey, message, forged), name).toBe(false)
  })
  it('keys of small order and other encodings are no keys', () => {
    for (const { isKey } of Object.values(libraries)) {
      expect(isKey(signer.publicKey)).toBe(true)
      for (const bad of [
        new Uint8Array(32),
        identity.slice(0, 32),
        torsion.toBytes(),
        new Uint8Array(32).fill(255),
        new Uint8Array(31),
      ]) {
        expect(isKey(bad)).toBe(false)
      }
    }
  })
})

function sha512(input: Uint8Array): Uint8Array {
  return createHash('sha512').update(input).digest()
}
