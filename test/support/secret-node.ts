// A party of a secret channel by hand: what it is told, what it sends, and what another makes of it.

import { sha256 } from '@noble/hashes/sha2.js'
import type { Effect } from '../../src/core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../../src/crypto/index.ts'
import { parseFilter } from '../../src/events/filter.ts'
import { secretMember } from '../../src/events/secret/member/machine.ts'
import type { MemberCommand, MemberEvent, MemberState } from '../../src/events/secret/member/state.ts'
import { type EpochRecord, encodeRecord, issueRecord, NO_RECORD } from '../../src/events/secret/record.ts'
import { type SecretSettings, secretBasics } from '../../src/events/secret/settings.ts'
import { type CarrierMessage, decodeFrame } from '../../src/events/secret/wire.ts'
import { seededBytes, utf8 } from './crypto.ts'
import { Puppet, sent } from './machine.ts'

export const WALL = 1_000_000
export const SECOND = 1_000
const channel = { group: 'shop', name: 'prices', id: new Uint8Array(16).fill(7) }
export const signatures = idealSignatures()
const sealings = idealSealing()
const ciphers = idealCiphers()
export const names = ['writer', 'other', 'reader']
let draws = 0

export function settingsOf(name: string): SecretSettings {
  return {
    ...secretBasics,
    channel,
    name,
    keeper: signatures.signer('keeper').publicKey,
    signer: signatures.signer(name),
    signatures,
    sealing: sealings(name),
    ciphers,
    hash: sha256,
    wall: now => WALL + now,
  }
}

export function recordOf(number: number, from: number, lasts = 20 * SECOND): EpochRecord {
  const keeper = { signer: signatures.signer('keeper'), sealing: sealings('keeper'), random: seededBytes(number) }
  const parties = names.map(name => ({
    name,
    reads: name === 'reader',
    writes: name !== 'reader',
    signingKey: signatures.signer(name).publicKey,
    sealingKey: sealings(name).publicKey,
  }))
  const issued = WALL + from
  const searchable = [{ attribute: 'symbol', search: { kind: 'equal' } }] as const
  const times = { issued, from: issued, until: issued + lasts }
  return issueRecord(keeper, { channel, number, before: NO_RECORD, mode: 'tagged', searchable, ...times }, parties)
}

export type Out = Effect<CarrierMessage, MemberEvent>[]

export class SecretNode extends Puppet<MemberState, CarrierMessage, MemberCommand, MemberEvent> {
  constructor(name: string, settings: SecretSettings = settingsOf(name)) {
    super(secretMember(settings), ['broker'], undefined, name)
    for (let i = 0; i < 64; i++) this.drawn.push(seededBytes(100 + ++draws)(i === 0 ? 8 : i === 1 ? 16 : 12))
    this.start()
  }

  take(record: EpochRecord): Out {
    return this.command({ kind: 'record', record: encodeRecord(record), share: false })
  }

  publish(id: number, symbol = 'A'): Out {
    const content = { attributes: { symbol }, payload: utf8(String(id)), time: 0, retained: false, expires: 0 }
    return this.command({ kind: 'publish', id, content })
  }

  listen(id = 1): Out {
    return this.command({ kind: 'subscribe', id, filter: parseFilter({ symbol: 'A' }) })
  }

  hearAll(out: Out, but: (kind: string) => boolean = () => false): Out {
    const bodies = sent(out).flatMap(({ body }) => (body.kind === 'send' ? [body] : []))
    return bodies.flatMap(({ name, body }) => {
      const frame = decodeFrame(body)
      return frame.ok && but(frame.value.kind) ? [] : this.hear('broker', { kind: 'came', name, body })
    })
  }
}
