// What operators of a ledger sign: links to other ledgers, and who keeps this one. And what anybody may show: that a linked
// ledger is kept by others.

import { SettingsError } from '../../core/index.ts'
import {
  type CountedVote,
  type Descriptor,
  encodeDescriptor,
  epochHash,
  ledgerServersNeeded,
  newestEpoch,
  PEER_BYTES_MAX,
  signingBytes,
  stepsOf,
  type Transaction,
  toHex,
  type Voter,
  writeTransaction,
} from '../../ledger/index.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import type { WaitOptions } from '../waiting.ts'
import { type Account, signedBy as signedWith } from './accounts.ts'
import { type LedgerCalls, votersOf } from './calls.ts'
import { checkAmount } from './checks.ts'
import type { EpochOptions, LinkOptions } from './options.ts'

/** A link, signed: with the next number, and all that is known of the other's keepers. */
export async function signedLink(
  calls: LedgerCalls,
  ledger: Descriptor,
  peer: Descriptor,
  link: LinkOptions,
  options: WaitOptions,
): Promise<Uint8Array> {
  if (peer.hex === ledger.hex) throw new SettingsError('a ledger is not linked to itself.')
  const { cap, rate = 0n, window = 0 } = link
  checkAmount('cap', cap, 0n)
  checkAmount('rate', rate, 0n)
  // Of a rate within no hours nothing would be counted, and it would let everything in.
  if (rate > 0n !== window > 0)
    throw new SettingsError(
      `rate is ${rate} and window is ${window}: so many coins in so many hours, or neither. Nothing was changed.`,
    )
  const { answer } = await calls.question(ledger, { kind: 'link', ledger: peer.id }, options)
  const fields = { number: answer.next, peer: encodeDescriptor(peer, PEER_BYTES_MAX), cap, rate, window }
  return signedBy(ledger, link.operators, { kind: 'link', ...fields, signatures: [] })
}

/** The next keepers, signed by the operators and pledged by as many of them as it takes. */
export async function pledgedEpoch(
  calls: LedgerCalls,
  ledger: Descriptor,
  next: EpochOptions,
  options: WaitOptions,
): Promise<Uint8Array> {
  const now = newestEpoch(ledger)
  const { crashes = now.crashes, liars = now.liars } = next
  const names = next.servers ?? now.servers.map(server => server.name)
  checkKeepers(names.length, crashes, liars)
  const named = { crashes, liars, servers: await votersFor(calls, ledger, names, crashes, options) }
  const unsigned: Transaction = {
    kind: 'epoch',
    number: now.number + 1,
    previous: epochHash(ledger, now, ledgerCryptoOf()),
    ...named,
    signatures: [],
    pledges: [],
  }
  const asked = signedBy(ledger, next.operators, unsigned)
  const pledges = await calls.pledges(ledger, asked, options)
  return writeTransaction({ ...unsigned, signatures: signaturesOf(ledger, next.operators, unsigned), pledges })
}

/** Before the servers are asked, who say no more than that they refuse it. */
function checkKeepers(servers: number, crashes: number, liars: number): void {
  if (crashes < liars)
    throw new SettingsError(
      `crashes is ${crashes} and liars is ${liars}: a liar may also fall silent, so crashes counts the liars too.`,
    )
  const needed = ledgerServersNeeded(liars, crashes)
  if (servers < needed)
    throw new SettingsError(
      `${servers} servers cannot keep a ledger with liars: ${liars} and crashes: ${crashes}; that takes ${needed} ` +
        `(3 × ${crashes} + 2 × ${liars} + 1). Nothing was changed.`,
    )
}

/** Each with the key that it offers now; one that does not answer, with the key that it has. */
async function votersFor(
  calls: LedgerCalls,
  ledger: Descriptor,
  names: readonly string[],
  crashes: number,
  options: WaitOptions,
): Promise<Voter[]> {
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) throw new SettingsError(`server '${twice}' is named twice.`)
  const asked = { of: names, needed: Math.max(0, names.length - crashes) }
  const offered = votersOf(await calls.offers(ledger.genesis.name, options, asked))
  const before = newestEpoch(ledger).servers
  return names.map(name => {
    const found = offered.find(one => one.name === name) ?? before.find(one => one.name === name)
    if (found !== undefined) return found
    throw new SettingsError(
      `server '${name}' offered no voting key and keeps ledger '${ledger.genesis.name}' not yet: is it a server of this ` +
        'group, and does it run? Nothing was changed.',
    )
  })
}

/** The leaves that lead a ledger on to the keepers of a linked one, as far as its descriptor knows them. */
export async function followingLeaves(
  calls: LedgerCalls,
  ledger: Descriptor,
  peer: Descriptor,
  options: WaitOptions,
): Promise<Uint8Array[]> {
  const { answer } = await calls.question(ledger, { kind: 'link', ledger: peer.id }, options)
  if (answer.next === 0)
    throw new SettingsError(`ledger '${ledger.genesis.name}' has no link to '${peer.genesis.name}'.`)
  return stepsOf(peer, answer.epoch).map(step => writeTransaction({ kind: 'follow', ledger: peer.id, ...step }))
}

type Signable = Extract<Transaction, { kind: 'link' | 'epoch' }>

function signedBy(ledger: Descriptor, operators: readonly Account[], unsigned: Signable): Uint8Array {
  return writeTransaction({ ...unsigned, signatures: signaturesOf(ledger, operators, unsigned) })
}

function signaturesOf(ledger: Descriptor, operators: readonly Account[], unsigned: Signable): CountedVote[] {
  const message = signingBytes(ledger.id, unsigned)
  const twice = operators.find((one, place) => operators.findIndex(other => other.key === one.key) !== place)
  if (twice !== undefined) throw new SettingsError(`operator ${twice.key} is named twice. Nothing was changed.`)
  return operators
    .map(operator => ({ server: operatorPlace(ledger, operator), signature: signedWith(operator, message) }))
    .sort((one, two) => one.server - two.server)
}

function operatorPlace({ genesis }: Descriptor, { key }: Account): number {
  const place = genesis.operators.findIndex(operator => toHex(operator) === key)
  if (place < 0) throw new SettingsError(`${key} is no operator of ledger '${genesis.name}'.`)
  return place
}
