// What is checked without servers: certificates, notes, receipts, logs, keys and signatures.

import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import sodium from 'libsodium-wrappers-sumo'
import { describe, expect, it } from 'vitest'
import { sameBytes } from '../core/index.ts'
import { isSigningKey } from '../crypto/ed25519.ts'
import type { Signatures } from '../crypto/signatures.ts'
import { opensslSignatures, opensslSigner } from '../runtime/certificates/signatures.ts'
import { auditLedger, Replay } from './audit.ts'
import { base64, fromBase64, noteText, signedNote, whyNotCertified } from './checkpoint.ts'
import { ledgerCrypto } from './crypto.ts'
import { describeGenesis, type Genesis } from './genesis.ts'
import { encodeDescriptor, readDescriptor } from './light.ts'
import { readNote } from './note.ts'
import { type Actors, ideals } from './proof/actors.ts'
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
  it('is read back as the certificate it was made from, and with any character turned it is none', () => {
    const stage = new Stage()
    const { suite } = stage.actors
    const checkpoint = stage.a.certify()
    const note = signedNote(stage.a.descriptor, checkpoint, suite)
    expect(readNote(stage.a.descriptor, note, suite)).toEqual(checkpoint)
    expect(() => readNote(stage.b.descriptor, note, suite)).toThrow('not of ledger')
    for (let at = 0; at < note.length; at++) {
      for (const other of ['x', '1', '\n', ' ']) {
        if (note[at] === other) continue
        const turned = note.slice(0, at) + other + note.slice(at + 1)
        const why = () => {
          const read = readNote(stage.a.descriptor, turned, suite)
          const wrong = whyNotCertified(stage.a.descriptor, read, suite, ledgerRules)
          if (wrong !== undefined) throw new NotProven(wrong)
        }
        expect(why, `character ${at}`).toThrow(NotProven)
      }
    }
    for (const cut of ['', 'x', note.slice(0, -1), note.split('\n\n')[0]!, `${note}\n`, note.repeat(9)])
      expect(() => readNote(stage.a.descriptor, cut, suite)).toThrow(NotProven)
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

/** Signatures that cost two hashes. */
function quick(): Actors {
  const digest = (...parts: readonly Uint8Array[]) => {
    const hash = createHash('sha512')
    for (const part of parts) hash.update(part)
    return new Uint8Array(hash.digest())
  }
  const actors = ideals()
  const suite = {
    ...actors.suite,
    hash: (input: Uint8Array) => new Uint8Array(createHash('sha256').update(input).digest()),
    verify: (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => sameBytes(digest(key, message), signature),
  }
  const signer = (name: string) => {
    const { publicKey } = actors.signer(name)
    return { publicKey, sign: (message: Uint8Array) => digest(publicKey, message) }
  }
  return { ...actors, suite, signer, voter: server => salt => signer(`${server} votes ${String(salt)}`) }
}

describe('an audit', () => {
  const stage = new Stage(ledgerRules, quick())
  for (let i = 0; i < 198; i++)
    stage.a.must(stage.pay(stage.a, i % 2 === 0 ? 'alice' : 'bob', 1n, { to: i % 2 === 0 ? 'bob' : 'alice' }))
  const { leaves, descriptor } = stage.a
  const checkpoint = stage.a.certify()
  const { suite } = stage.actors
  const audit = (log: Iterable<Uint8Array>) => auditLedger(log, { descriptor, checkpoint, suite })

  it('finds nothing wrong with what is right', async () => {
    expect((await audit(leaves)).size).toBe(200)
  })
  it('finds a turned bit where it is', async () => {
    for (let index = 0; index < 200; index += 9) {
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
  // Every ninth bit of each leaf, another one in each; test/long/ledger-audit.ts turns all of them, with OpenSSL's signatures.
  it('finds turned bits, and says in which leaf', () => {
    const replay = new Replay(descriptor, suite)
    let bits = 0
    for (const [index, leaf] of leaves.entries()) {
      const turned = leaf.slice()
      for (let bit = index % 9; bit < leaf.length * 8; bit += 9) {
        turned[bit >> 3]! ^= 1 << (bit & 7)
        let why = 'nothing'
        try {
          replay.take(turned)
        } catch (error) {
          why = (error as NotProven).message
        }
        turned[bit >> 3]! ^= 1 << (bit & 7)
        if (!why.startsWith(`leaf ${index} is wrong`)) expect.fail(`bit ${bit} of leaf ${index}: ${why}`)
        bits++
      }
      // What was refused has left nothing behind.
      replay.take(leaf)
    }
    expect(replay.root).toEqual(checkpoint.root)
    expect(bits).toBeGreaterThan(30_000)
  })
  it('names who signed two histories of one height', async () => {
    const fork = new Stage(ledgerRules, stage.actors)
    for (let i = 0; i < 198; i++) fork.a.must(fork.pay(fork.a, 'alice', i === 0 ? 3n : 1n, { to: 'alice' }))
    const seen = fork.a.certify()
    await expect(auditLedger(leaves, { descriptor, checkpoint, seen, suite })).rejects.toThrow(
      'server-1, server-2, server-3, server-4 signed both',
    )
  })
  it('finds a log that was cut, reordered, or of another history', async () => {
    await expect(audit(leaves.slice(0, 199))).rejects.toThrow('the log ends at 199 leaves')
    await expect(audit([...leaves.slice(0, 198), leaves[199]!, leaves[198]!])).rejects.toThrow(
      'a leaf is missing, turned or moved',
    )
    await expect(audit([leaves[0]!, leaves[1]!, leaves[4]!, leaves[3]!, leaves[2]!])).rejects.toThrow('leaf 2 is wrong')
    const other = new Stage(ledgerRules, stage.actors)
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

await sodium.ready

/** As another library would be used, were it quicker (decisions/ledger-signatures). */
const libsodium: Signatures = {
  verify: (key, message, signature) =>
    isSigningKey(key) && signature.length === 64 && sodium.crypto_sign_verify_detached(signature, message, key),
}

// J-16: one verdict for one signature, whichever library looks.
describe('signatures', () => {
  const libraries = {
    noble: ledgerCrypto(),
    openssl: ledgerCrypto(opensslSignatures()),
    libsodium: ledgerCrypto(libsodium),
  }
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
