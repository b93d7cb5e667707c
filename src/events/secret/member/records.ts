// Records: taken, saved, shown to those who start, and left when their epoch is over.

import { sameBytes } from '../../../core/index.ts'
import { epochKeys } from '../keys.ts'
import {
  decodeRecord,
  type EpochRecord,
  encodeRecord,
  encodeRecords,
  isKeepers,
  keyFor,
  RECORDS_MAX,
  receiptWords,
} from '../record.ts'
import type { SecretSettings } from '../settings.ts'
import { encodeFrame } from '../wire.ts'
import { leaveEpoch, listenAll } from './listening.ts'
import { closeEpoch } from './publishing.ts'
import { lifeKey, tellRest } from './receiving.ts'
import { type Epoch, endOf, type MemberScene, type MemberState, memberTimers, toAll, wallNow } from './state.ts'

/** How often a record is shown again for those who start. */
const SHOW_EVERY_MS = 1_000

/** A record, from a file or a carrier. */
export function takeRecord(scene: MemberScene, input: Uint8Array, share: boolean): void {
  const { state, settings, turn } = scene
  // The newest comes again with every start of somebody: no word about it.
  const newest = state.epochs.get(state.newest)
  if (newest !== undefined && sameBytes(newest.encoded, input)) return
  const decoded = decodeRecord(input)
  if (!decoded.ok) return turn.do({ kind: 'emit', event: { kind: 'dropped', why: `a record: ${decoded.refusal}` } })
  const record = decoded.value
  const why = whyNotTaken(scene, record)
  if (why !== undefined) {
    if (why !== '') turn.do({ kind: 'emit', event: { kind: 'dropped', why } })
    return
  }
  tellSkipped(scene, record)
  const epoch = addEpoch(scene, record)
  if (state.epochs.size > RECORDS_MAX) forgetEpoch(scene, state.epochs.get(Math.min(...state.epochs.keys()))!)
  if (isLate(scene, record)) for (const name of epoch.writers.keys()) epoch.unsure.add(name)
  const { number } = record
  turn.do({ kind: 'snapshot', record: savedOf(state) })
  if (share) showRecord(scene, true)
  listenAll(scene, number)
  if (epoch.writers.has(settings.name)) {
    const signature = settings.signer.sign(receiptWords(record, settings.name))
    say(scene, encodeFrame({ kind: 'receipt', number, name: settings.name, signature }))
  }
  const isParty = epoch.keys !== undefined
  turn.do({ kind: 'emit', event: { kind: 'epoch', number, record: epoch.encoded, isParty } })
  // It may have begun, cut another one short, or be over already.
  onTurn(scene)
}

/** Somebody subscribed after the epoch had begun and before its record came: how many events were in between shows nowhere. */
function isLate(scene: MemberScene, { from }: EpochRecord): boolean {
  return wallNow(scene) > from && [...scene.state.subscriptions.values()].some(({ since }) => since > from)
}

/** Records between the newest and this one never came: whatever was said under them we cannot read. */
function tellSkipped({ state, turn }: MemberScene, { number, parties }: EpochRecord): void {
  if (state.subscriptions.size === 0) return
  const authors = parties.filter(({ writes }) => writes).map(({ name }) => name)
  for (let epoch = Math.max(state.newest + 1, number - SKIPPED_MAX); epoch < number; epoch++)
    turn.do({ kind: 'emit', event: { kind: 'unknown', epoch, authors } })
}

/** Epochs that are told one by one when their records never came. */
const SKIPPED_MAX = 1_000

function whyNotTaken({ state, settings }: MemberScene, record: EpochRecord): string | undefined {
  const { rules, channel, signatures, keeper } = settings
  if (!sameBytes(record.channel.id, channel.id)) return 'a record of another channel'
  if (!isKeepers(rules, signatures, keeper, record)) return 'a record that the keeper did not sign'
  if (record.number === state.newest) return ''
  if (!rules.replaces(record.number, state.newest)) return 'a record from before the newest'
  return undefined
}

/** All records that are still of use, the newest last. */
function epochsIn(state: MemberState): Epoch[] {
  return [...state.epochs.values()].sort((one, other) => one.record.number - other.record.number)
}

/** One that starts within the notice of the next epoch needs the one in use, too. */
function savedOf(state: MemberState): Uint8Array {
  return encodeRecords(epochsIn(state).map(({ record }) => record))
}

/** An epoch with its keys, where we are a party. */
export function addEpoch({ state, settings }: MemberScene, record: EpochRecord): Epoch {
  const epoch = epochFrom(settings, record)
  state.epochs.set(record.number, epoch)
  state.newest = record.number
  state.receipts.clear()
  return epoch
}

/** An epoch of which nothing was heard yet. */
export function epochFrom(settings: SecretSettings, record: EpochRecord): Epoch {
  // Without pairings a channel in peks mode is closed to us.
  const isOpen = record.mode !== 'peks' || settings.search !== undefined
  const secret = isOpen ? keyFor(record, settings.name, settings.sealing) : undefined
  const keys = secret && epochKeys(settings.rules, settings.channel, record.number, record.mode, secret)
  return {
    record,
    encoded: encodeRecord(record),
    keys,
    secret: secret ?? new Uint8Array(0),
    writers: new Map(record.parties.filter(({ writes }) => writes).map(party => [party.name, party])),
    tags: new Map(),
    sent: new Map(),
    overflowed: false,
    sealed: 0,
    closed: false,
    toldAt: new Map(),
    closedBy: new Set(),
    closers: new Set(),
    unsure: new Set(),
    judged: false,
    wanted: undefined,
    pairs: new Map(),
    pairNames: new Map(),
    pairIds: new Set(),
    pairTotals: new Map(),
    trapdoors: new Map(),
  }
}

/** To all who listen for records of this channel. */
export function say(scene: MemberScene, body: Uint8Array): void {
  toAll(scene, { kind: 'send', name: scene.state.names.records, body })
}

/**
 * Seldom, however many ask: a broker may repeat the word of somebody who started. But a record that its keeper has just issued goes out at
 * once: one that was shown for such a word a moment before must not be in its way.
 */
export function showRecord(scene: MemberScene, isNew = false): void {
  const { state, turn } = scene
  if (!isNew && turn.now < state.showedAt + SHOW_EVERY_MS) return
  state.showedAt = turn.now
  for (const { encoded } of epochsIn(state)) say(scene, encodeFrame({ kind: 'record', record: encoded }))
}

/** Somebody has started. */
export function onHello(scene: MemberScene, number: number): void {
  if (number < scene.state.newest) showRecord(scene)
}

/** A writer says that it has the newest record. */
export function onReceipt(scene: MemberScene, number: number, name: string, signature: Uint8Array): void {
  const { state, settings, turn } = scene
  const epoch = state.epochs.get(number)
  if (epoch === undefined || number !== state.newest || state.receipts.has(name)) return
  const { record } = epoch
  const party = epoch.writers.get(name)
  if (party === undefined) return
  if (!settings.signatures.verify(party.signingKey, receiptWords(record, name), signature)) return
  state.receipts.add(name)
  const missing = [...epoch.writers.keys()].filter(one => !state.receipts.has(one))
  turn.do({ kind: 'emit', event: { kind: 'receipts', number, missing } })
}

/** The next moment at which an epoch begins, ends, or is no longer taken. */
export function turnAtNext(scene: MemberScene): void {
  const { state, settings, turn } = scene
  const now = wallNow(scene)
  let next = Number.POSITIVE_INFINITY
  for (const { record } of state.epochs.values()) {
    for (const at of [record.from, record.until, endOf(scene, record) + settings.grace]) {
      if (at > now && at < next) next = at
    }
  }
  if (next === Number.POSITIVE_INFINITY) return
  memberTimers.set(turn, 'turn', Math.min(next - now, TURN_MAX_MS))
}

/** A clock that is set while we wait is noticed within a minute. */
const TURN_MAX_MS = 60_000

/** An epoch has begun or ended. */
export function onTurn(scene: MemberScene): void {
  const { state, settings } = scene
  const now = wallNow(scene)
  for (const [number, epoch] of [...state.epochs]) {
    const end = endOf(scene, epoch.record)
    if (now >= end) closeEpoch(scene, epoch)
    if (settings.rules.takesEpoch(end, settings.grace, now)) continue
    const isNewest = number === state.newest
    if (settings.rules.judges(isNewest)) judge(scene, epoch)
    if (!isNewest) forgetEpoch(scene, epoch)
  }
  turnAtNext(scene)
}

/** The epoch is over: what is missing is told, and of whom nobody knows. Once. */
function judge(scene: MemberScene, epoch: Epoch): void {
  const { state, turn } = scene
  if (epoch.judged) return
  epoch.judged = true
  const { number } = epoch.record
  leaveEpoch(scene, epoch)
  const open = new Set<string>()
  for (const [key, followed] of [...state.followed]) {
    if (followed.epoch !== number) continue
    // The last word may have come a moment ago: what it showed to be missing is told before it is forgotten.
    tellRest(scene, followed)
    state.followed.delete(key)
    if (!epoch.closedBy.has(followed.life) && followed.life !== lifeKey(state.life)) open.add(followed.author)
  }
  if (state.subscriptions.size === 0 || epoch.keys === undefined) return
  const authors = [...epoch.writers.keys()].filter(name => isUnknown(scene, epoch, name) || open.has(name))
  if (authors.length > 0) turn.do({ kind: 'emit', event: { kind: 'unknown', epoch: number, authors } })
  if (number === state.newest) turn.do({ kind: 'emit', event: { kind: 'ended', epoch: number } })
}

function isUnknown({ settings }: MemberScene, { closers, unsure }: Epoch, name: string): boolean {
  return name !== settings.name && (!closers.has(name) || unsure.has(name))
}

function forgetEpoch(scene: MemberScene, epoch: Epoch): void {
  const { state } = scene
  const { number } = epoch.record
  judge(scene, epoch)
  state.epochs.delete(number)
  // Whatever such a life said can only come again under an epoch that is not taken any more.
  for (const [life, seen] of [...state.seen]) if (seen.epoch <= number) state.seen.delete(life)
}
