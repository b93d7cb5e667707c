// The keeper's word through carriers: a record is sent, and every writer's receipt is waited for.

import type { PairingEngine } from '../../crypto/peks/index.ts'
import {
  encodeRecord,
  type MatcherEvent,
  matchTools,
  secretBasics,
  secretMatcher,
  secretMember,
} from '../../events/secret/index.ts'
import { opensslSignatures, opensslSigner } from '../certificates/signatures.ts'
import { type ChannelCard, newestOf, partyKeys } from '../channels.ts'
import { opensslCiphers } from '../ciphers.ts'
import { sha256 } from '../hash.ts'
import { randomBytes } from '../platform.ts'
import type { Carrier, CarrierNews } from './carrier.ts'
import { type CarriedDriver, driveCarried } from './driver.ts'

/** How often it is said again: somebody may just be starting. */
const AGAIN_MS = 1_100

/**
 * Sends a record, and gives the writers that have not said in time that they have it. One broker that is away or refuses holds nothing up
 * where another takes it: `told` hears of it.
 */
export async function shareRecord(
  card: ChannelCard,
  carriers: readonly Carrier[],
  waitMs: number,
  told: (url: string, news: CarrierNews) => void = () => {},
): Promise<readonly string[]> {
  const { channel, keeper } = card
  const record = newestOf(card)
  const writers = record.parties.filter(({ writes }) => writes).map(({ name }) => name)
  let missing: readonly string[] = writers
  let all = () => {}
  const done = new Promise<void>(resolve => {
    all = resolve
  })
  const nobody = {
    ...secretBasics,
    channel,
    // No name that a client can have: it is no party, and signs nothing.
    name: '#keeper',
    keeper,
    signer: opensslSigner(randomBytes(32)),
    signatures: opensslSignatures(),
    sealing: { ...(await partyKeys(randomBytes(32))).sealing, open: () => undefined },
    ciphers: opensslCiphers,
    hash: sha256,
    wall: () => Date.now(),
  }
  const driver = await driveCarried({
    protocol: secretMember(nobody),
    self: '#keeper',
    carriers,
    saved: new Map(),
    event(event) {
      if (event.kind !== 'receipts' || event.number !== record.number) return
      missing = event.missing
      if (missing.length === 0) all()
    },
    save: () => Promise.resolve(),
    failed() {},
    anyCarrier: true,
    carrier: told,
  })
  const say = () => driver.command({ kind: 'record', record: encodeRecord(record), share: true })
  say()
  const again = setInterval(say, AGAIN_MS)
  const timer = setTimeout(all, waitMs)
  if (missing.length > 0) await done
  clearInterval(again)
  clearTimeout(timer)
  try {
    await driver.flush()
  } catch (error) {
    // Of a broker that broke meanwhile the receipts say what it passed on; where nobody gives one, nothing does.
    if (writers.length === 0) throw error
  } finally {
    await driver.close()
  }
  return missing
}

/** What a matcher works for. */
export interface Matching {
  readonly carriers: readonly Carrier[]
  readonly channels: readonly Uint8Array[]
  /** Without it channels in peks mode are not matched. */
  readonly pairing: PairingEngine | undefined
  /** News of the brokers themselves. */
  readonly told?: (url: string, news: CarrierNews) => void
}

/**
 * Runs a matcher beside each broker. One table for all would be any one's to fill, or to empty in a reader's name: trapdoors are not
 * signed, and a matcher knows nobody. So what comes through one broker is found through that one alone.
 */
export async function runMatcher(
  { carriers, channels, pairing, told = () => {} }: Matching,
  event: (event: MatcherEvent) => void,
  failed: (error: Error) => void,
): Promise<Pick<CarriedDriver<never>, 'close'>> {
  const { rules, lap } = secretBasics
  const settings = {
    rules,
    lap,
    channels,
    ciphers: opensslCiphers,
    match: pairing && matchTools(pairing),
    wall: () => Date.now(),
    forgetAfter: 120_000,
  }
  const about = { self: 'matcher', saved: new Map(), event, save: () => Promise.resolve(), failed, carrier: told }
  const tried = await Promise.allSettled(
    carriers.map(carrier => driveCarried({ ...about, protocol: secretMatcher(settings), carriers: [carrier] })),
  )
  const open = tried.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
  const close = async () => void (await Promise.all(open.map(one => one.close())))
  const broken = tried.find(one => one.status === 'rejected')
  if (broken === undefined) return { close }
  await close()
  throw broken.reason
}
