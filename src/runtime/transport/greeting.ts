// The first frame in each direction. TLS has settled who is there; the greeting settles what we speak and, for a
// client, which of the processes that share its certificate this is.
//
// Why an answer at all? In TLS 1.3 the dialer's handshake is complete before the listener has looked at the dialer's
// certificate. Only the welcome tells it that it was let in.

import { type Codec, type Decoded, decode, encode, text, uint, variants } from '../../core/index.ts'
import { SETTINGS_BYTES_MAX } from './settings.ts'

/** Raised when the meaning of what follows the greeting changes. */
export const WIRE_VERSION = 1

const VERSION_MAX = 0xffff
const GROUP_BYTES_MAX = 64
const INSTANCE_BYTES_MAX = 16
const WHY_BYTES_MAX = 200

export type Greeting =
  /** From the dialer. A server has one process to a name and says '' as instance. */
  | {
      readonly kind: 'hello'
      readonly version: number
      readonly group: string
      readonly instance: string
      /** What both sides must agree on: settings.ts. */
      readonly settings: string
    }
  /** From the listener: you are let in. */
  | { readonly kind: 'welcome'; readonly version: number }
  /** From the listener, and the last thing it says. Only a peer with a certificate of the group ever hears it. */
  | { readonly kind: 'refused'; readonly why: string }

const greeting: Codec<Greeting> = variants<Greeting>({
  hello: {
    version: uint(VERSION_MAX),
    group: text(GROUP_BYTES_MAX),
    instance: text(INSTANCE_BYTES_MAX),
    settings: text(SETTINGS_BYTES_MAX),
  },
  welcome: { version: uint(VERSION_MAX) },
  refused: { why: text(WHY_BYTES_MAX) },
})

export function encodeGreeting(value: Greeting): Uint8Array {
  return encode(greeting, value)
}

/** The reason may quote what the peer sent: it is cut to size, and to letters that a terminal shows as they are. */
export function encodeRefusal(why: string): Uint8Array {
  return encodeGreeting({ kind: 'refused', why: why.replaceAll(/[^ -~]/g, '?').slice(0, WHY_BYTES_MAX) })
}

export function decodeGreeting(frame: Uint8Array): Decoded<Greeting> {
  return decode(greeting, frame)
}
