// What a ledger is from its first moment on: who keeps it, who may lie, who owns what. Its hash is the ledger's id, by
// which every message, signature and proof names it; a name is only what clients call it.
//
// n ≥ 3f + 2b + 1 servers, and a certificate is c = n - f votes. Two certificates of one attempt share 2c - n > b servers;
// across attempts a value that may have been certified is kept, and only it, where 2c > n + f + 2b: src/ledger/rules.ts.

import {
  type Codec,
  decode,
  encode,
  isText,
  list,
  SERVERS_MAX,
  SettingsError,
  struct,
  text,
  toHex,
  uint,
} from '../core/index.ts'
import { framed } from '../crypto/framing.ts'
import { HASH_BYTES } from './limits.ts'
import type { Hash } from './merkle.ts'

/** How one ledger is told from another: hash, signatures and which keys are sound. */
export interface LedgerCrypto {
  readonly hash: Hash
  /** Never throws. */
  verify(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean
  /** Canonical, in the prime group and not of small order: nobody signs for another kind. Never throws. */
  isKey(key: Uint8Array): boolean
}

/** A server that keeps the ledger. */
export interface Voter {
  readonly name: string
  /** Ed25519. */
  readonly key: Uint8Array
  /** Drawn anew by a server in each life of its store: one that finds another's here has forgotten votes. */
  readonly salt: Uint8Array
}

/** An account's first balance. */
export interface FirstBalance {
  /** The place of the register in the list; 0 where there is one. */
  readonly register: number
  readonly key: Uint8Array
  readonly amount: bigint
}

/** What a ledger is from its first moment on. */
export interface Genesis {
  readonly name: string
  /** What is counted: 'EUR-cent'. */
  readonly asset: string
  /** Two for a 2-in-1; one, of any name, otherwise. */
  readonly registers: readonly string[]
  readonly balances: readonly FirstBalance[]
  /** Keys of those who may link, and how many must sign. */
  readonly operators: readonly Uint8Array[]
  readonly operatorsNeeded: number
  readonly servers: readonly Voter[]
  readonly crashes: number
  readonly liars: number
}

/** Who keeps a ledger, and how many of them may be gone and lie. */
export interface Keepers {
  readonly servers: readonly Voter[]
  readonly crashes: number
  readonly liars: number
}

/** Keepers, and from when on: checkpoints of more leaves than `from` are theirs. The genesis names those of epoch 0. */
export interface Epoch extends Keepers {
  readonly number: number
  readonly from: number
  /** What led to it, as bytes (`EpochStep`), where it was learned by a step and not from the leaves. */
  readonly step?: Uint8Array
}

/** A genesis with what follows from it: what others need to check this ledger's certificates. */
export interface Descriptor {
  /** SHA-256 of the genesis. */
  readonly id: Uint8Array
  readonly hex: string
  readonly genesis: Genesis
  /** Who kept it and who keeps it, oldest first; as far as is known. */
  readonly epochs: readonly Epoch[]
  /** The ids under which the registers sign and are addressed: of one register, the ledger's. */
  readonly registerIds: readonly string[]
}

/** The largest amount, and the largest sum. */
export const AMOUNT_MAX = 2n ** 63n - 1n
export const KEY_BYTES = 32
const SALT_BYTES = 16
/** Bytes of a ledger's name. */
export const LEDGER_NAME_BYTES_MAX = 64
const ASSET_BYTES_MAX = 64
export const SERVER_NAME_BYTES_MAX = 64
/** Accounts that a genesis may name: each key is checked, which takes half a millisecond. More are paid from one of them. */
export const FIRST_BALANCES_MAX = 1_000
/** Operators of one ledger. */
export const OPERATORS_MAX = 32
/** Registers of one ledger: itself, or two in one. */
export const REGISTERS_MAX = 2

/** Bytes of one length. */
export function exactly(length: number, what: string): Codec<Uint8Array> {
  return {
    write(writer, value) {
      if (value.length !== length) throw new RangeError(`cannot encode ${what}: ${value.length} bytes`)
      writer.raw(value)
    },
    read: reader => reader.raw(length),
  }
}

/** A whole number of units, from `least` to 2^63 - 1, in eight bytes. */
export function amountCodec(least: bigint): Codec<bigint> {
  return {
    write(writer, value) {
      if (value < least || value > AMOUNT_MAX) throw new RangeError(`cannot encode the amount ${value}`)
      const start = writer.reserve(8)
      new DataView(writer.bytes.buffer, writer.bytes.byteOffset).setBigUint64(start, value)
    },
    read(reader) {
      const raw = reader.raw(8)
      const value = new DataView(raw.buffer, raw.byteOffset).getBigUint64(0)
      return value >= least && value <= AMOUNT_MAX ? value : reader.refuse('an amount out of range')
    },
  }
}

export const keyCodec = exactly(KEY_BYTES, 'a key')
export const idCodec = exactly(HASH_BYTES, 'an id')

const votersCodec = list(
  struct<Voter>({ name: text(SERVER_NAME_BYTES_MAX), key: keyCodec, salt: exactly(SALT_BYTES, 'a salt') }),
  SERVERS_MAX,
)

export const keepersFields = { servers: votersCodec, crashes: uint(SERVERS_MAX), liars: uint(SERVERS_MAX) }
const keepersCodec: Codec<Keepers> = struct<Keepers>(keepersFields)

/** A genesis as bytes. */
export const genesisCodec: Codec<Genesis> = struct<Genesis>({
  name: text(LEDGER_NAME_BYTES_MAX),
  asset: text(ASSET_BYTES_MAX),
  registers: list(text(LEDGER_NAME_BYTES_MAX), REGISTERS_MAX),
  balances: list(
    struct<FirstBalance>({ register: uint(REGISTERS_MAX - 1), key: keyCodec, amount: amountCodec(1n) }),
    FIRST_BALANCES_MAX,
  ),
  operators: list(keyCodec, OPERATORS_MAX),
  operatorsNeeded: uint(OPERATORS_MAX),
  ...keepersFields,
})

/** The fewest servers for a ledger. */
export function ledgerServersNeeded(liars: number, crashes: number): number {
  return 3 * crashes + 2 * liars + 1
}

/** c: votes that make a certificate. */
export function votesNeeded({ servers, crashes }: Keepers): number {
  return servers.length - crashes
}

/** The newest keepers that are known. */
export function newestEpoch({ epochs }: Descriptor): Epoch {
  return epochs[epochs.length - 1]!
}

/** Whose a checkpoint of so many leaves is. */
export function epochAt({ epochs }: Descriptor, size: number): Epoch {
  let found = epochs[0]!
  for (const epoch of epochs) if (epoch.from < size) found = epoch
  return found
}

/** By what the next epoch names the one before it. */
export function epochHash(
  { id }: Descriptor,
  { number, servers, crashes, liars }: Epoch,
  suite: LedgerCrypto,
): Uint8Array {
  const said = encode(keepersCodec, { servers, crashes, liars })
  return suite.hash(framed('coterie ledger epoch', id, number, said))
}

/** Checks a genesis and works out what follows from it; throws a `SettingsError` that says what is wrong. */
export function describeGenesis(genesis: Genesis, suite: LedgerCrypto): Descriptor {
  const wrong = whyNoGenesis(genesis, suite)
  if (wrong !== undefined) throw new SettingsError(`ledger '${genesis.name}': ${wrong}`)
  const id = suite.hash(encode(genesisCodec, genesis)).slice()
  const hex = toHex(id)
  const registerIds =
    genesis.registers.length === 1
      ? [hex]
      : genesis.registers.map((_, register) => toHex(suite.hash(framed('coterie ledger register', id, register))))
  const { servers, crashes, liars } = genesis
  return { id, hex, genesis, registerIds, epochs: [{ number: 0, from: 0, servers, crashes, liars }] }
}

function whyNoGenesis(genesis: Genesis, suite: LedgerCrypto): string | undefined {
  const { name, asset, registers, operators, operatorsNeeded } = genesis
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name) || !isText(name, LEDGER_NAME_BYTES_MAX))
    return `its name must be of small letters, digits and hyphens, at most ${LEDGER_NAME_BYTES_MAX}.`
  if (!isText(asset, ASSET_BYTES_MAX)) return `its asset has at most ${ASSET_BYTES_MAX} bytes.`
  if (registers.length < 1 || registers.length > REGISTERS_MAX) return 'it has one register or two.'
  if (new Set(registers).size !== registers.length) return 'two registers have one name.'
  if (operators.some(key => !suite.isKey(key))) return "an operator's key is not a sound Ed25519 key."
  if (new Set(operators.map(toHex)).size !== operators.length) return 'an operator is named twice.'
  if (operatorsNeeded > operators.length || (operators.length > 0 && operatorsNeeded < 1))
    return `${operatorsNeeded} of ${operators.length} operators cannot sign.`
  return whyNoServers(genesis, suite) ?? whyNoBalances(genesis, suite)
}

export function whyNoServers({ servers, crashes, liars }: Keepers, suite: LedgerCrypto): string | undefined {
  if (crashes < liars)
    return `crashes is ${crashes} and liars is ${liars}: a liar may also fall silent, so crashes counts the liars too.`
  const needed = ledgerServersNeeded(liars, crashes)
  if (servers.length < needed) {
    return (
      `${servers.length} servers cannot keep a ledger with liars: ${liars} and crashes: ${crashes}; that takes ${needed} ` +
      `(3 × ${crashes} + 2 × ${liars} + 1).`
    )
  }
  if (servers.some(({ key }) => !suite.isKey(key))) return "a server's voting key is not a sound Ed25519 key."
  if (new Set(servers.map(({ key }) => toHex(key))).size !== servers.length) return 'two servers have one voting key.'
  if (new Set(servers.map(server => server.name)).size !== servers.length) return 'two servers have one name.'
  return undefined
}

function whyNoBalances({ balances, registers }: Genesis, suite: LedgerCrypto): string | undefined {
  const sums = registers.map(() => 0n)
  const seen = new Set<string>()
  for (const { register, key, amount } of balances) {
    const place = `${register} ${toHex(key)}`
    if (register >= registers.length) return `a balance is in register ${register}, and there are ${registers.length}.`
    if (!suite.isKey(key)) return `account ${toHex(key)} is not a sound Ed25519 key.`
    if (seen.has(place)) return `account ${toHex(key)} is named twice.`
    if (amount < 1n || amount > AMOUNT_MAX) return `a balance is ${amount}; it must be from 1 to 2^63 - 1.`
    seen.add(place)
    sums[register]! += amount
  }
  return sums.some(sum => sum > AMOUNT_MAX) ? 'the balances add up to more than 2^63 - 1.' : undefined
}

/** The descriptor that a genesis leads to, or why these bytes are none. */
export function readGenesis(encoded: Uint8Array, suite: LedgerCrypto): Descriptor | string {
  const decoded = decode(genesisCodec, encoded)
  if (!decoded.ok) return `no genesis of a ledger: ${decoded.refusal}`
  return describedOr(decoded.value, suite)
}

/** The same of a genesis that was read. */
export function describedOr(genesis: Genesis, suite: LedgerCrypto): Descriptor | string {
  try {
    return describeGenesis(genesis, suite)
  } catch (error) {
    if (error instanceof SettingsError) return error.message
    throw error
  }
}
