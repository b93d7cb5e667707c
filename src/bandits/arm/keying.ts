// How an arm comes to the keys of a run. Each arm gives every other a part, signed and bound to the run and the
// comparator's key for it; a key is a hash of all parts, so that one honest arm is enough for nobody else to know it.

import { decode, encode } from '../../core/index.ts'
import type { Part, RandomBytes } from '../../crypto/index.ts'
import { keyCheck } from '../box.ts'
import { boxesKey, shareAbout } from '../keys.ts'
import { boundTo, digest, drawn, drawnBytes, NOTHING, openSigned, say, signAndSeal } from '../party.ts'
import type { BanditTools } from '../settings.ts'
import { type BanditMessage, KEY_BYTES, type Share, shareCodec } from '../wire.ts'
import type { ArmKeys, ArmScene } from './state.ts'

function partFrom(tools: BanditTools, secret: Uint8Array, ...about: readonly Part[]): Uint8Array {
  return drawn(tools, secret, 'part of a key', ...about)
}

/** What the owner of this secret gives another arm for the key of the two. */
export function pairFrom(tools: BanditTools, secret: Uint8Array, other: number): Uint8Array {
  return partFrom(tools, secret, 'pair', other)
}

/** What the owner of this secret gives another arm, by its place, or the comparator. */
export function shareFrom(tools: BanditTools, secret: Uint8Array, other: number | undefined): Share {
  const boxes = partFrom(tools, secret, 'boxes')
  if (other === undefined) return { arms: NOTHING, boxes, pair: NOTHING }
  return { arms: partFrom(tools, secret, 'arms'), boxes, pair: pairFrom(tools, secret, other) }
}

function ownShare({ state, keys }: ArmScene, other: number | undefined): Share {
  return shareFrom(keys.tools, state.secret, other)
}

/** To another arm by its place, or to the comparator. Nothing before the comparator's key is known: all is bound to it. */
export function sendShare(scene: ArmScene, other: number | undefined): void {
  const { state, settings, keys } = scene
  const { run } = settings
  if (state.runKey.length === 0 || other === state.place) return
  const to = other === undefined ? run.comparator : run.arms[other]!
  const bound = boundTo(keys.tools, run, state.runKey)
  const content = encode(shareCodec, ownShare(scene, other))
  const statement = { about: shareAbout(bound, state.self, to.id), content }
  const sealed = signAndSeal(keys, state.secret, to, statement, sharesChance(scene, bound))
  say(scene, to.id, { kind: 'share', sealed })
}

/**
 * One fresh key for all parts that this arm gives in this run: the seal's key is a hash of the receiver's key too, no two parties have
 * the same (`checkRun`), and a receiver is always given the same part.
 */
function sharesChance({ state, keys }: ArmScene, bound: Uint8Array): RandomBytes {
  return length => drawnBytes(keys.tools, state.secret, ['seal of all parts', bound], length)
}

export function sendShares(scene: ArmScene): void {
  for (const other of scene.settings.run.arms.keys()) sendShare(scene, other)
  sendShare(scene, undefined)
}

/** The comparator's key for this run, signed by it. The first one stays. */
export function keepRunKey(scene: ArmScene, { publicKey, signature }: BanditMessage & { kind: 'runKey' }): void {
  const { state, settings, keys } = scene
  if (state.runKey.length > 0 || publicKey.length !== KEY_BYTES || !keys.tools.sealing.isKey(publicKey)) return
  if (
    !keys.tools.signatures.verify(
      settings.run.comparator.signing,
      boundTo(keys.tools, settings.run, publicKey),
      signature,
    )
  )
    return
  state.runKey = publicKey
  scene.save()
  sendShares(scene)
}

/** Another arm's part. What cannot be opened, or was not signed for us and this run, is not there. */
export function keepShare(scene: ArmScene, from: number, sealed: Uint8Array): void {
  const { state } = scene
  if (state.shares[from]!.length > 0 || state.runKey.length === 0) return
  const opened = openShare(scene, from, sealed)
  if (opened === undefined) return
  state.opened[from] = opened
  state.shares[from] = sealed
  scene.save()
}

function openShare({ state, settings, keys }: ArmScene, from: number, sealed: Uint8Array): Share | undefined {
  const { run } = settings
  const party = run.arms[from]!
  const bound = boundTo(keys.tools, run, state.runKey)
  const content = openSigned(keys, party, shareAbout(bound, party.id, state.self), sealed)
  const share = content && decode(shareCodec, content)
  if (!share?.ok) return undefined
  return Object.values<Uint8Array>({ ...share.value }).every(part => part.length === KEY_BYTES)
    ? share.value
    : undefined
}

/** All keys, once every part is there. */
export function makeKeys(scene: ArmScene): ArmKeys | undefined {
  const { state, settings, keys } = scene
  const { tools } = keys
  const isWhole = state.shares.every((sealed, place) => place === state.place || sealed.length > 0)
  if (state.runKey.length === 0 || !isWhole) return undefined
  const parts: Share[] = []
  for (const [place, sealed] of state.shares.entries()) {
    const share =
      place === state.place ? ownShare(scene, place) : (state.opened[place] ?? openShare(scene, place, sealed))
    if (share === undefined) return undefined
    parts.push(share)
  }
  const given = settings.run.arms.map((_, other) => pairFrom(tools, state.secret, other))
  return keysFrom(tools, boundTo(tools, settings.run, state.runKey), state.place, { parts, given })
}

/** The keys of an arm, from what every arm gave it and what it gave every other for the key of the two. */
export function keysFrom(
  tools: BanditTools,
  run: Uint8Array,
  own: number,
  { parts, given }: { readonly parts: readonly Share[]; readonly given: readonly Uint8Array[] },
): ArmKeys {
  const pairs = new Map<number, Uint8Array>()
  for (const [other, { pair }] of parts.entries()) {
    if (other === own) continue
    const mine = given[other]!
    pairs.set(other, digest(tools, 'pair', run, ...(own < other ? [mine, pair] : [pair, mine])))
  }
  const boxes = parts.map(part => part.boxes)
  const arms = digest(tools, 'arms', run, ...parts.map(part => part.arms))
  const [check, drawing] = [keyCheck(tools, arms, run), tools.blocks(arms)]
  return { run, pairs, arms, boxes: boxesKey(tools, run, boxes), check, blocks: drawing }
}
