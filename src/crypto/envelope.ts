// A message that can travel through anybody's hands: signed by its author for one purpose, and counted, so that it is
// taken once. The signature covers purpose, author, boot, counter and body, framed: an envelope of one protocol, group
// or member is none of another.

import { bytes, type Codec, type NodeId, struct, text, uint } from '../core/index.ts'
import { SIGNATURE_BYTES } from './ed25519.ts'
import { framed } from './framing.ts'
import { admit, type ReplayWindow } from './replay.ts'
import type { PublicKey, Signatures, Signer } from './signatures.ts'

/** A signed message: its author, which of the author's messages it is, and its body. */
export interface Envelope {
  readonly author: NodeId
  /** Grows with every start of the author: saved, or the wall clock. Counters begin again with it. */
  readonly boot: number
  /** Grows with every envelope of a boot. */
  readonly counter: number
  readonly body: Uint8Array
  readonly signature: Uint8Array
}

const AUTHOR_BYTES_MAX = 256
/** A list of 256 tickets with its proof has 60 kB; sixteen times as much is somebody's mistake. */
export const ENVELOPE_BODY_MAX = 1_048_576

/** An envelope on the wire. */
export const envelopeCodec: Codec<Envelope> = struct<Envelope>({
  author: text(AUTHOR_BYTES_MAX),
  boot: uint(),
  counter: uint(),
  body: bytes(ENVELOPE_BODY_MAX),
  signature: bytes(SIGNATURE_BYTES),
})

const DOMAIN = 'coterie envelope'

/** The purpose names protocol and group, and whatever else must not be confused. */
function signedBytes(purpose: Uint8Array, { author, boot, counter, body }: Omit<Envelope, 'signature'>): Uint8Array {
  return framed(DOMAIN, purpose, author, boot, counter, body)
}

/** Signs a message for one purpose; a signature for another purpose is worth nothing. */
export function signEnvelope(signer: Signer, purpose: Uint8Array, content: Omit<Envelope, 'signature'>): Envelope {
  const { author, boot, counter, body } = content
  return { author, boot, counter, body, signature: signer.sign(signedBytes(purpose, content)) }
}

/** What came of an envelope: the window that has it, or why it was refused. */
export type Received =
  | { readonly ok: true; readonly window: ReplayWindow }
  | { readonly ok: false; readonly refusal: string }

/** What the receiver knows of the author: its key, if it is one of us, and what has come from it. */
export interface KnownAuthor {
  readonly publicKey: PublicKey | undefined
  readonly window: ReplayWindow | undefined
}

/** Keep the window that comes back: it makes the next copy a replay. Never throws. */
export function receiveEnvelope(
  signatures: Signatures,
  purpose: Uint8Array,
  envelope: Envelope,
  { publicKey, window }: KnownAuthor,
): Received {
  if (publicKey === undefined) return { ok: false, refusal: 'an unknown author' }
  if (!signatures.verify(publicKey, signedBytes(purpose, envelope), envelope.signature)) {
    return { ok: false, refusal: 'a signature that does not hold' }
  }
  const admission = admit(window, envelope.boot, envelope.counter)
  return admission.fresh ? { ok: true, window: admission.window } : { ok: false, refusal: admission.why }
}
