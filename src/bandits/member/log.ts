// What a party keeps of a run that is to be audited: every message that it was sent, with the signature of who sent it, every
// reward, and the secret that all its own words follow from. Entries are chained, each with a salt: the last hash commits a party
// to its log and confirms nobody's guess. What is large is kept as a hash: an auditor makes it again from the secrets.

import { encode, type NodeId, sameBytes } from '../../core/index.ts'
import { framed } from '../../crypto/index.ts'
import { digest, drawn } from '../party.ts'
import type { BanditTools } from '../settings.ts'
import { type BanditMessage, banditVocabulary } from '../wire.ts'
import { entryCodec, type LogEntry, type NumberedEntry } from './entries.ts'
import { type BanditMemberScene, type Hosted, KNOWN_MAX, LOG_BYTES_OF_USER_MAX, saveRecord } from './state.ts'
import type { Head } from './wire.ts'

/** Only these say what a party did; the rest asks, repeats or reports. */
const KEPT: Partial<Record<BanditMessage['kind'], 'whole' | 'hash'>> = {
  runKey: 'whole',
  share: 'hash',
  turn: 'whole',
  box: 'hash',
  boxes: 'hash',
  tokens: 'whole',
  again: 'hash',
  answer: 'hash',
  answers: 'whole',
}

/** A message in short: which it is, and a hash of all of it. */
export interface Brief {
  readonly word: BanditMessage['kind']
  readonly round: number
  readonly attempt: number
  readonly hash: Uint8Array
}

export function briefOf(tools: BanditTools, body: BanditMessage): Brief {
  const { round = 0, attempt = 0 } = body as { readonly round?: number; readonly attempt?: number }
  return { word: body.kind, round, attempt, hash: digest(tools, 'message of a run', encode(banditVocabulary, body)) }
}

/** What the signature under a message of a run is about. */
export function saidAbout(id: string, from: NodeId, to: NodeId, { word, round, attempt, hash }: Brief): Uint8Array {
  return framed('said in a run', id, from, to, word, round, attempt, hash)
}

/** What the signature under a log's last hash is about. */
export function headAbout(id: string, self: NodeId, { count, head }: Pick<Head, 'count' | 'head'>): Uint8Array {
  return framed('log of a run', id, self, count, head)
}

/** The hash after one more entry. */
export function chained(
  tools: BanditTools,
  before: Uint8Array,
  salt: Uint8Array,
  { number, entry }: NumberedEntry,
): Uint8Array {
  return digest(tools, 'entry of a log', before, drawn(tools, salt, 'entry', number), encode(entryCodec, entry))
}

/** A log cannot be made to grow without end: what comes often is no message of this run. */
function entriesMax({ terms }: Hosted): number {
  return 256 + 8 * (terms.seats.length + 2) * (terms.budget + 2)
}

/** What a run takes of its user's share at least: a file, however short, and what a folder has of it. */
export const RUN_LOG_BYTES = 65_536
/** Entries are written as text. */
const BYTES_AS_TEXT = 4 / 3

/** Whether the logs of this user's runs may take so much more of the disk. The own ones are nobody else's doing. */
export function hasRoomFor({ state }: Pick<BanditMemberScene, 'state'>, user: NodeId, bytes: number): boolean {
  return user === state.self || (state.logged.get(user) ?? 0) + bytes <= LOG_BYTES_OF_USER_MAX
}

/** Charges the user with it. Names are of members that are known: as many as these are kept. */
export function charge({ state }: Pick<BanditMemberScene, 'state'>, user: NodeId, bytes: number): void {
  const [oldest] = state.logged.keys()
  if (!state.logged.has(user) && state.logged.size >= KNOWN_MAX && oldest !== undefined) state.logged.delete(oldest)
  state.logged.set(user, (state.logged.get(user) ?? 0) + bytes)
}

/**
 * Told before anything that follows from it is saved: a crash loses no entry. False: there is no room for it. What this party did itself is always
 * kept: that is little, and nobody else chooses it.
 */
export function log(scene: BanditMemberScene, hosted: Hosted, entry: LogEntry): boolean {
  const { turn, settings } = scene
  const { terms, log: kept } = hosted
  if (!terms.audit) return true
  const { id, name, user } = terms
  const bytes = Math.ceil(encode(entryCodec, entry).length * BYTES_AS_TEXT)
  const fits = entry.kind !== 'heard' || hasRoomFor(scene, user, bytes)
  if (kept.count >= entriesMax(hosted) || !fits) return false
  if (user !== scene.state.self) charge(scene, user, bytes)
  kept.count++
  kept.head = chained(settings.keys.tools, kept.head, kept.salt, { number: kept.count, entry })
  turn.do({ kind: 'emit', event: { kind: 'log', id, name, user, number: kept.count, entry } })
  saveRecord(scene, { kind: 'log', id, count: kept.count, head: kept.head, salt: kept.salt })
  return true
}

/**
 * Whether the message is from whom it says; kept, if it is of a kind that says what its sender did. What cannot be kept is not heard: the
 * run stands still, and its user gives it up, but nobody is called a liar for a log that ends too soon.
 */
export function logHeard(
  scene: BanditMemberScene,
  hosted: Hosted,
  from: NodeId,
  { body, signature: signed }: { readonly body: BanditMessage; readonly signature: Uint8Array },
): boolean {
  const { state, settings } = scene
  const { tools, sealing } = settings.keys
  const { run, terms, log: kept } = hosted
  const sender = [run.user, run.shuffler, run.comparator, ...run.arms].find(({ id }) => id === from)
  const brief = briefOf(tools, body)
  const { hash } = brief
  if (!sender || !tools.signatures.verify(sender.signing, saidAbout(terms.id, from, state.self, brief), signed))
    return false
  const how = KEPT[body.kind]
  const before = kept.last.get(`${from} ${body.kind}`)
  if (how === undefined || (before !== undefined && sameBytes(before, hash))) return true
  const sealed = body.kind === 'share' ? [body.sealed] : body.kind === 'answers' ? [...body.answers, body.verdict] : []
  const opened = sealed.map(one => sealing.open(one) ?? new Uint8Array(0))
  const whole = how === 'whole' ? encode(banditVocabulary, body) : new Uint8Array(0)
  if (!log(scene, hosted, { kind: 'heard', from, ...brief, body: whole, opened, signature: signed })) return false
  kept.last.set(`${from} ${body.kind}`, hash)
  return true
}

/** The last word of a party on its log. */
export function closeLog({ state, settings }: BanditMemberScene, { terms, log: { count, head } }: Hosted): Head {
  return { count, head, signature: settings.keys.signer.sign(headAbout(terms.id, state.self, { count, head })) }
}
