// Somebody inside who turns bad: a reader with the key, a writer that was removed. It hears everything that the carriers
// hear, and sends frames of its own making.

import { sha256 } from '@noble/hashes/sha2.js'
import type { NodeId, Protocol } from '../../../core/index.ts'
import { framed, type Signer } from '../../../crypto/index.ts'
import { encodeContent } from '../../content.ts'
import { channelNames, epochKeys, pairKeys, tagOf } from '../../secret/keys.ts'
import { keywordsOf } from '../../secret/keywords.ts'
import { modes, type OpenEpoch } from '../../secret/member/modes/index.ts'
import { epochFrom } from '../../secret/member/records.ts'
import type { MemberScene } from '../../secret/member/state.ts'
import { type EpochRecord, keyFor } from '../../secret/record.ts'
import { openEvent, type Sealed, signAll } from '../../secret/sealed.ts'
import type { SecretSettings } from '../../secret/settings.ts'
import { type CarrierMessage, encodeFrame, type Inside } from '../../secret/wire.ts'

/** Sends what it is told to, to all carriers. */
export function mouth(): Protocol<{ carriers: readonly NodeId[] }, CarrierMessage, CarrierMessage, never> {
  return {
    name: 'mole',
    init: (_self, carriers) => ({ carriers }),
    step({ carriers }, input, turn) {
      if (input.kind === 'command') for (const to of carriers) turn.do({ kind: 'send', to, body: input.body })
    },
  }
}

/** What the mole knows: a party's settings, with a record that was sealed to it. */
export interface Known {
  readonly settings: SecretSettings
  readonly record: EpochRecord
}

const ATTRIBUTES = { symbol: 'A' }

/** A party of one epoch that has heard nothing yet, with chance from a few bytes. */
function actor({ settings, record }: Known, from: Uint8Array, lap: number) {
  const epoch = epochFrom(settings, record)
  if (epoch.keys === undefined) return undefined
  const state = { lap, counts: new Map(), names: channelNames(settings.channel.id), subscriptions: new Map() }
  let draws = 0
  const turn = { bytes: (length: number) => drawn(from, draws++, length) }
  const scene = { settings: { ...settings, lane: 3 }, state, turn } as unknown as MemberScene
  return { scene, epoch: epoch as OpenEpoch, mode: modes[record.mode] }
}

/** As the party would send it, from another lane. */
function sendable(known: Known, inside: Inside, { nonce, lap }: Lie): CarrierMessage[] {
  const acting = actor(known, nonce, lap)
  if (acting === undefined) return []
  const { mode, scene, epoch } = acting
  return mode
    .seal(scene, epoch, keywordsOf(known.record.searchable, ATTRIBUTES), inside)
    .flatMap(({ names, frame }) => names.map(name => ({ kind: 'send', name, body: encodeFrame(frame) }) as const))
}

/** As much chance as it needs, from little. */
function drawn(from: Uint8Array, count: number, length: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, block) =>
    sha256(framed('mole', from, count, block)),
  )
  return Uint8Array.from(blocks.flatMap(block => [...block])).slice(0, length)
}

/** What an event says, when, and where it is counted. */
export interface Lie {
  readonly number: number
  readonly nonce: Uint8Array
  readonly lap: number
}

/** An event in somebody's name, signed with this key. */
export function forged(known: Known, author: string, signer: Signer, lie: Lie): CarrierMessage[] {
  const { number, nonce } = lie
  const { settings, record } = known
  const secret = keyFor(record, settings.name, settings.sealing)
  if (secret === undefined) return []
  const keys = epochKeys(settings.rules, settings.channel, record.number, record.mode, secret)
  const tags = keywordsOf(record.searchable, ATTRIBUTES).map(keyword => tagOf(keys, keyword))
  const payload = new TextEncoder().encode(String(number))
  const content = encodeContent({ attributes: ATTRIBUTES, payload, time: 0, retained: false, expires: 0 })
  const said = { epoch: record.number, tags, numbers: tags.map(() => 0), events: [{ counter: 1, content }] }
  const life = { author, started: 0, boot: nonce.slice(0, 8) }
  return sendable(known, signAll(settings, signer, life, [said])[0]!, lie)
}

/** What was said in one channel, signature and all, sealed in another. */
export function moved(from: Known, frame: Sealed, to: Known, lie: Lie): CarrierMessage[] {
  const acting = frame.epoch === from.record.number ? actor(from, lie.nonce, lie.lap) : undefined
  const inside = acting?.mode.open(acting.scene, acting.epoch, frame)
  return inside === undefined || inside === 'other' ? [] : sendable(to, inside, lie)
}

/** Whether a party that may not reads what this writer says, with the epoch's key alone. */
export function overread({ settings, record }: Known, frame: Sealed, writer: string): boolean {
  const { mode } = record
  if (mode !== 'paired' && mode !== 'peks') return false
  const { rules, channel } = settings
  const secret = keyFor(record, settings.name, settings.sealing)
  if (secret === undefined) return false
  const keys = [epochKeys(rules, channel, record.number, mode, secret)]
  const nothing = new Uint8Array(32)
  for (const { name: reader, reads } of record.parties)
    if (reads && mode === 'paired') keys.push(pairKeys(rules, record, { writer, reader }, nothing, secret))
  return keys.some(({ body }) => openEvent(settings, mode, body, frame) !== undefined)
}
