// What the four parts of a run have in common: what is drawn comes from one secret, so that a party that restarts says the
// same bytes again; what is signed and sealed is bound to the run; and who finds something wrong stops, and says so.

import { decode, encode, type NodeId, type Scene, sameBytes } from '../core/index.ts'
import { framed, framedBriefly, type Part, type PublicKey, type RandomBytes } from '../crypto/index.ts'
import type { Schedule } from './schedule.ts'
import type { BanditKeys, BanditParty, BanditRun, BanditSettings, BanditTools } from './settings.ts'
import { type BanditMessage, KEY_BYTES, signedCodec } from './wire.ts'

/** Something was wrong, and this party goes no further. */
export interface StoppedEvent {
  readonly kind: 'stopped'
  readonly why: string
}

/** What every party remembers. */
export interface PartyState {
  readonly self: NodeId
  /** Why it has stopped; empty while it has not. */
  stopped: string
}

/** What a handler of a party is given. */
export interface PartyScene<State extends PartyState, Event>
  extends Scene<State, BanditSettings, BanditMessage, Event | StoppedEvent> {
  readonly keys: BanditKeys
  readonly course: Schedule
  save(): void
}

export const NOTHING = new Uint8Array(0)
/** A keyed function under a key that everybody knows is a hash. */
const NO_KEY = new Uint8Array(KEY_BYTES)

export function digest(tools: BanditTools, ...parts: readonly Part[]): Uint8Array {
  return tools.prf(NO_KEY, framedBriefly(...parts))
}

/** 32 bytes that only the owner of the secret can draw, always the same for the same parts. */
export function drawn(tools: BanditTools, secret: Uint8Array, ...parts: readonly Part[]): Uint8Array {
  return tools.prf(secret, framedBriefly(...parts))
}

/** As many bytes as are asked for. */
export function drawnBytes(tools: BanditTools, secret: Uint8Array, parts: readonly Part[], length: number): Uint8Array {
  const out = new Uint8Array(length)
  for (let at = 0, block = 0; at < length; at += KEY_BYTES, block++) {
    out.set(drawn(tools, secret, ...parts, block).subarray(0, length - at), at)
  }
  return out
}

/** The settings of a run and the keys of all who take part. What the comparator adds is in `boundTo`. */
export function runDigest(tools: BanditTools, run: BanditRun): Uint8Array {
  const known = digests.get(run)
  if (known?.tools === tools) return known.found
  const found = digestOf(tools, run)
  digests.set(run, { tools, found })
  return found
}

/** A run never changes, and every message is bound to its digest. */
const digests = new WeakMap<BanditRun, { readonly tools: BanditTools; readonly found: Uint8Array }>()
/** The same with the comparator's key, by the digest: the last one that was asked for. */
const bounds = new WeakMap<Uint8Array, { readonly runKey: PublicKey; readonly found: Uint8Array }>()

function digestOf(tools: BanditTools, run: BanditRun): Uint8Array {
  const parties = [run.user, run.shuffler, run.comparator, ...run.arms]
  const said = [run.name, run.algorithm, run.budget, String(run.batch), ...run.rewards.map(String), run.nonce]
  return digest(tools, 'bandit run', ...said, ...parties.flatMap(({ id, signing, sealing }) => [id, signing, sealing]))
}

/** The run with the comparator's key for it: what every signature, box and mask is bound to. */
export function boundTo(tools: BanditTools, run: BanditRun, runKey: PublicKey): Uint8Array {
  const about = runDigest(tools, run)
  const known = bounds.get(about)
  if (known !== undefined && sameBytes(known.runKey, runKey)) return known.found
  const found = digest(tools, 'bandit run key', about, runKey)
  bounds.set(about, { runKey, found })
  return found
}

/** Signed for one purpose, and sealed to one party. The same bytes for the same message: the chance depends on it. */
export function signAndSeal(
  keys: BanditKeys,
  secret: Uint8Array,
  to: BanditParty,
  statement: Statement,
  chance?: RandomBytes,
): Uint8Array {
  const { content } = statement
  const signature = keys.signer.sign(framed(...statement.about, content))
  const message = encode(signedCodec, { content, signature })
  return keys.sealing.seal(to.sealing, message, chance ?? sealingChance(keys.tools, secret, message))
}

/** What is signed, and what for. */
export interface Statement {
  readonly about: readonly Part[]
  readonly content: Uint8Array
}

/** The randomness of a seal: of this message, so that two messages never share it. */
export function sealingChance(tools: BanditTools, secret: Uint8Array, message: Uint8Array): RandomBytes {
  const seed = digest(tools, 'sealed', message)
  return length => drawnBytes(tools, secret, ['seal', seed], length)
}

/** What that party signed for this purpose and sealed to us; undefined if it is anything else. */
export function openSigned(
  keys: BanditKeys,
  from: BanditParty,
  about: readonly Part[],
  sealed: Uint8Array,
): Uint8Array | undefined {
  const message = keys.sealing.open(sealed)
  const signed = message && decode(signedCodec, message)
  if (!signed?.ok) return undefined
  const { content, signature } = signed.value
  return keys.tools.signatures.verify(from.signing, framed(...about, content), signature) ? content : undefined
}

/** What the others are told of an arm whose source fails: not which one. Its owner is told more. */
export const NO_REWARDS = 'an arm gives no rewards'

/** Ends that need no lie, as the user hears them: somebody is away, slow, or has lost what it knew. */
export const SILENT = 'an arm was silent for too long'
export const MANY_SILENT = 'too many arms were silent for too long'
export const PART_MISSING = 'a part of the answer did not come'
export const TRIED_TOO_OFTEN = 'a round was tried too often'
export const TIME_UP = 'there was no answer in time'
export const NOT_WAITED_FOR = 'the user waits no longer'
const FORGOTTEN = 'does not know the run any more'
const NO_LIES: ReadonlySet<string> = new Set([
  NO_REWARDS,
  SILENT,
  MANY_SILENT,
  PART_MISSING,
  TRIED_TOO_OFTEN,
  TIME_UP,
  NOT_WAITED_FOR,
])

export const forgottenBy = (member: NodeId) => `'${member}' ${FORGOTTEN}`

/** Whether a run may have ended so among honest parties. */
export const isNoLie = (why: string) => NO_LIES.has(why) || why.endsWith(FORGOTTEN)

/** Stops this party, and tells those who can end the run. */
export function refuse<State extends PartyState, Event>(scene: PartyScene<State, Event>, why: string): void {
  const { state, settings, turn } = scene
  if (state.stopped !== '') return
  state.stopped = why
  scene.save()
  turn.do({ kind: 'emit', event: { kind: 'stopped', why } })
  const { user, shuffler } = settings.run
  for (const { id } of [user, shuffler]) if (id !== state.self) say(scene, id, { kind: 'stop', why })
}

/** Tells its caller after a restart that it has stopped: a crash may have come between what was saved and the first word of it. */
export function tellStopped<State extends PartyState, Event>({ state, turn }: PartyScene<State, Event>): void {
  if (state.stopped !== '') turn.do({ kind: 'emit', event: { kind: 'stopped', why: state.stopped } })
}

/** Says again that it has stopped, to those who can end the run: the first word may have been lost. Not to each other. */
export function repeatStop<State extends PartyState, Event>(
  scene: PartyScene<State, Event>,
  to: NodeId,
  heard: BanditMessage,
): void {
  const { state, settings } = scene
  const { user, shuffler } = settings.run
  if (heard.kind === 'stop' || (to !== user.id && to !== shuffler.id)) return
  say(scene, to, { kind: 'stop', why: state.stopped })
}

export function say<State extends PartyState, Event>(
  { turn }: PartyScene<State, Event>,
  to: NodeId,
  body: BanditMessage,
): void {
  turn.do({ kind: 'send', to, body })
}
