// Long addresses, packed: `z=` and the text in deflate-raw (RFC 1951) and base64url. Mail programs break lines beyond some length.

import { ADDRESS_MAX, ADDRESS_PLAIN_MAX } from '../simulator/index.ts'
import { fromBase64, toBase64 } from '../simulator/puppet.ts'

interface Transform {
  readonly readable: {
    getReader(): {
      read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
  }
  readonly writable: { getWriter(): { write(bytes: Uint8Array<ArrayBuffer>): Promise<void>; close(): Promise<void> } }
}

/** The text of an address as it is best sent: packed where it is long. */
export async function packAddress(text: string): Promise<string> {
  if (text.length <= ADDRESS_PLAIN_MAX) return text
  const packed = await through(
    new CompressionStream('deflate-raw') as unknown as ByteTransform,
    new TextEncoder().encode(text),
    ADDRESS_MAX,
  )
  return packed === undefined ? text : `z=${toBase64(packed)}`
}

/** The plain text of an address, packed or not; or a sentence. Never throws, and never unpacks more than an address may have. */
export async function unpackAddress(
  address: string,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly refusal: string }> {
  const text = address.slice(address.indexOf('#') + 1)
  if (!text.startsWith('z=')) return { ok: true, text: address }
  if (text.length > ADDRESS_MAX) return { ok: false, refusal: `the address has more than ${ADDRESS_MAX} letters.` }
  const packed = fromBase64(text.slice(2))
  if (packed === undefined) return { ok: false, refusal: 'the packed address has letters that do not belong there.' }
  const plain = await through(new DecompressionStream('deflate-raw') as unknown as ByteTransform, packed, ADDRESS_MAX)
  if (plain === undefined)
    return { ok: false, refusal: 'the packed address cannot be unpacked: a part of it is missing or changed.' }
  return { ok: true, text: new TextDecoder().decode(plain) }
}

/** As much of a stream that packs as is used here: browsers and Node have it. */
interface ByteTransform {
  readonly readable: {
    getReader(): { read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>; cancel(): Promise<void> }
  }
  readonly writable: { getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> } }
}

/** What comes out of a transform; nothing where it fails or has more to say. */
async function through(transform: Transform, bytes: Uint8Array, max: number): Promise<Uint8Array | undefined> {
  const writer = transform.writable.getWriter()
  // Both fail together with the reader, which is where it is noticed.
  writer.write(Uint8Array.from(bytes)).catch(() => {})
  writer.close().catch(() => {})
  const reader = transform.readable.getReader()
  const out: number[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) return Uint8Array.from(out)
      if (out.length + value.length > max) {
        reader.cancel().catch(() => {})
        return undefined
      }
      for (const byte of value) out.push(byte)
    }
  } catch {
    return undefined
  }
}
