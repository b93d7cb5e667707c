// Who owns, operates and keeps the ledgers of a simulation: ideal keys, a genesis, and transactions signed by them.

import { sha256 } from '@noble/hashes/sha2.js'
import { encode, fromHex, type NodeId, type Saved, toHex } from '../../core/index.ts'
import { type IdealSignatures, idealSignatures, type Signer } from '../../crypto/index.ts'
import {
  type Descriptor,
  describeGenesis,
  epochHash,
  type Genesis,
  type Keepers,
  type LedgerCrypto,
  newestEpoch,
} from '../genesis.ts'
import type { LedgerRules } from '../rules.ts'
import { ledgerRules } from '../rules.ts'
import type { LedgerServerSettings } from '../settings.ts'
import { ledgerDefaults } from '../settings.ts'
import { type SpendingTransaction, signingBytes, type Transaction, writeTransaction } from '../transactions.ts'
import { ledgerRecord } from '../wire.ts'
import { rememberedHash } from './remembered.ts'

/** Keys that exist in one simulation only. */
export interface Actors {
  readonly signatures: IdealSignatures
  readonly suite: LedgerCrypto
  /** Looked up by name; the same name gives the same key. */
  signer(name: string): Signer
  voter(server: NodeId): (salt: Uint8Array) => Signer
}

/** Fresh keys for one simulation. */
export function ideals(): Actors {
  const signatures = idealSignatures()
  const signers = new Map<string, Signer>()
  const signer = (name: string): Signer => {
    const known = signers.get(name) ?? signatures.signer(name)
    signers.set(name, known)
    return known
  }
  return {
    signatures,
    suite: {
      hash: rememberedHash(sha256),
      verify: (key, message, signed) => signatures.verify(key, message, signed),
      isKey: key => key.length === 32,
    },
    signer,
    voter: server => salt => signer(`${server} votes ${toHex(salt)}`),
  }
}

/** The salt with which a simulated server begins. */
export function firstSalt(server: NodeId): Uint8Array {
  return sha256(new TextEncoder().encode(`salt of ${server}`)).slice(0, 16)
}

/** What a simulated server's disk holds at first. */
export function firstDisk(server: NodeId): Saved {
  return new Map([['', [encode(ledgerRecord, { kind: 'salt', salt: firstSalt(server) })]]])
}

export interface MadeLedger {
  readonly name: string
  readonly servers: readonly NodeId[]
  readonly crashes: number
  readonly liars: number
  readonly balances: Readonly<Record<string, bigint>>
  readonly registers?: readonly string[]
}

/** A ledger of these servers; accounts and operator are named by what their keys are made from. */
export function makeLedger(
  actors: Actors,
  made: MadeLedger,
  saltOf: (server: NodeId) => Uint8Array = firstSalt,
): Descriptor {
  const { name, servers, crashes, liars } = made
  const registers = made.registers ?? ['']
  const genesis: Genesis = {
    name,
    asset: 'coin',
    registers,
    balances: registers.flatMap((_, register) =>
      Object.entries(made.balances).map(([owner, amount]) => ({
        register,
        key: actors.signer(owner).publicKey,
        amount,
      })),
    ),
    operators: [actors.signer('operator').publicKey],
    operatorsNeeded: 1,
    servers: servers.map(server => ({
      name: server,
      key: actors.voter(server)(saltOf(server)).publicKey,
      salt: saltOf(server),
    })),
    crashes,
    liars,
  }
  return describeGenesis(genesis, actors.suite)
}

/** Settings of one simulated server. */
export function serverSettings(actors: Actors, server: NodeId, rules: LedgerRules = ledgerRules): LedgerServerSettings {
  return {
    ...ledgerDefaults,
    attemptMax: 400,
    repeatEvery: 150,
    suite: actors.suite,
    rules,
    voter: actors.voter(server),
  }
}

type Draft<T> = T extends SpendingTransaction ? Omit<T, 'signature' | 'from'> : never

/** A spending as its owner signs it. */
export function signed(
  actors: Actors,
  descriptor: Descriptor,
  owner: string,
  draft: Draft<SpendingTransaction>,
): Uint8Array {
  const { publicKey, sign } = actors.signer(owner)
  const unsigned = { ...draft, from: publicKey, signature: new Uint8Array(0) } as SpendingTransaction
  const id = fromHex(descriptor.registerIds[draft.register]!)!
  return writeTransaction({ ...unsigned, signature: sign(signingBytes(id, unsigned)) } as Transaction)
}

/** A link as the operator signs it. */
export function linked(
  actors: Actors,
  descriptor: Descriptor,
  link: Omit<Extract<Transaction, { kind: 'link' }>, 'kind' | 'signatures'>,
): Uint8Array {
  const unsigned: Transaction = { kind: 'link', ...link, signatures: [] }
  const signature = actors.signer('operator').sign(signingBytes(descriptor.id, unsigned))
  return writeTransaction({ ...unsigned, signatures: [{ server: 0, signature }] })
}

/** The next keepers as an operator names them; nobody has pledged yet. */
export function nextEpoch(
  actors: Actors,
  descriptor: Descriptor,
  { servers, crashes, liars }: Keepers,
  operator = 'operator',
): Transaction & { readonly kind: 'epoch' } {
  const now = newestEpoch(descriptor)
  const unsigned = {
    kind: 'epoch' as const,
    number: now.number + 1,
    previous: epochHash(descriptor, now, actors.suite),
    servers: servers.map(({ name, key, salt }) => ({ name, key, salt })),
    crashes,
    liars,
    signatures: [],
    pledges: [],
  }
  const signature = actors.signer(operator).sign(signingBytes(descriptor.id, unsigned))
  return { ...unsigned, signatures: [{ server: 0, signature }] }
}
