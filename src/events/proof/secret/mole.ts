// Somebody inside who turns bad: a reader with the key, a writer that was removed. It hears everything that the carriers
// hear, and sends frames of its own making.

import type { NodeId, Protocol } from '../../../core/index.ts'
import type { Signer } from '../../../crypto/index.ts'
import { encodeContent } from '../../content.ts'
import { channelNames, countedTag, epochKeys, lettersOf, tagOf, trapdoorOf } from '../../secret/keys.ts'
import { keywordsOf } from '../../secret/keywords.ts'
import { type EpochRecord, keyFor } from '../../secret/record.ts'
import { openEvent, sealEvent, signAll } from '../../secret/sealed.ts'
import type { SecretSettings } from '../../secret/settings.ts'
import { type CarrierMessage, encodeFrame, type Inside, type SealedEvent } from '../../secret/wire.ts'

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

function sendable({ settings, record }: Known, inside: Inside, nonce: Uint8Array, lap: number): CarrierMessage[] {
  const secret = keyFor(record, settings.name, settings.sealing)
  if (secret === undefined) return []
  const { rules, channel } = settings
  const keys = epochKeys(rules, channel, record.number, record.mode, secret)
  const isTagged = record.mode === 'tagged'
  const trapdoor = trapdoorOf(keys, inside.author, 3, keywordsOf(record.searchable, ATTRIBUTES)[0]!)
  const tags = isTagged ? inside.tags : [countedTag(settings.ciphers, rules, trapdoor, lap, 0)]
  const outside = { epoch: record.number, lap: isTagged ? 0 : lap, tags, nonce }
  const frame = sealEvent(settings, record.mode, keys, outside, inside)
  if (frame === undefined) return []
  const names = isTagged ? tags.map(lettersOf) : [channelNames(channel.id).matcher]
  return names.map(name => ({ kind: 'send', name, body: encodeFrame(frame) }))
}

/** What an event says, when, and where it is counted. */
export interface Lie {
  readonly number: number
  readonly nonce: Uint8Array
  readonly lap: number
}

/** An event in somebody's name, signed with this key. */
export function forged(known: Known, author: string, signer: Signer, { number, nonce, lap }: Lie): CarrierMessage[] {
  const { settings, record } = known
  const secret = keyFor(record, settings.name, settings.sealing)
  if (secret === undefined) return []
  const keys = epochKeys(settings.rules, settings.channel, record.number, record.mode, secret)
  const tags = keywordsOf(record.searchable, ATTRIBUTES).map(keyword => tagOf(keys, keyword))
  const payload = new TextEncoder().encode(String(number))
  const content = encodeContent({ attributes: ATTRIBUTES, payload, time: 0, retained: false, expires: 0 })
  const said = { epoch: record.number, tags, numbers: tags.map(() => 0), events: [{ counter: 1, content }] }
  const life = { author, started: 0, boot: nonce.slice(0, 8) }
  return sendable(known, signAll(settings, signer, life, [said])[0]!, nonce, lap)
}

/** What was said in one channel, signature and all, sealed in another. */
export function moved(from: Known, frame: SealedEvent, to: Known, { nonce, lap }: Lie): CarrierMessage[] {
  const secret = keyFor(from.record, from.settings.name, from.settings.sealing)
  if (secret === undefined || frame.epoch !== from.record.number) return []
  const { rules, channel } = from.settings
  const keys = epochKeys(rules, channel, from.record.number, from.record.mode, secret)
  const inside = openEvent(from.settings, from.record.mode, keys, frame)
  return inside === undefined ? [] : sendable(to, inside, nonce, lap)
}
