// The printed lock's numbers and words (BACKOFF §3, §4).

import { bool, type Codec, type Millis, uint, variants } from '../../core/index.ts'
import type { BackoffName } from '../../lock/backoff.ts'

/** The symbols of the paper. */
export interface PrintedSettings {
  /** b */
  readonly liars: number
  /** f, liars included. */
  readonly crashes: number
  /** Δ: how long a client that entered may run. */
  readonly hold: Millis
  /** δ: every message arrives within it. */
  readonly delayMax: Millis
  /** §5, making mutex safe: answers that come later than 2δ after the question are disregarded. */
  readonly disregardsLate?: boolean
  /**
   * §5, enqueuing client requests: a server that is locked answers when it is free again. As printed a client may put
   * a FREE of long ago beside one that was delayed, and enter where the first server has since told FREE to another.
   * `fresh` counts a FREE for δ: it was given within δ before it came, and is good for 2δ.
   */
  readonly delaysReplies?: 'as printed' | 'fresh'
  /** How long to sleep after a failed attempt; figure 1 has `exponential`. */
  readonly backoff?: Exclude<BackoffName, 'none'>
}

/** A client's TRY and a server's answer. */
export type PrintedMessage =
  | { kind: 'try'; attempt: number }
  | { kind: 'status'; attempt: number; locked: boolean }
  /** §5, parameterized contend: the client says how long it wants to run. */
  | { kind: 'tryFor'; attempt: number; hold: Millis }

/** The messages of the printed lock on the wire. */
export const printedVocabulary: Codec<PrintedMessage> = variants<PrintedMessage>({
  try: { attempt: uint() },
  status: { attempt: uint(), locked: bool },
  tryFor: { attempt: uint(), hold: uint() },
})

/** What a user asks of the printed lock. */
export type PrintedCommand = {
  kind: 'contend'
  id: number
  /** §5: this client's own Δ. */
  hold?: Millis
}

/** What the printed lock tells its user. */
export type PrintedEvent =
  /** The contend returned: the client may run until `deadline` on its own clock. */
  | { kind: 'entered'; id: number; deadline: Millis; attempts: number }
  | { kind: 'left'; id: number }
  /** A client contends once at a time. */
  | { kind: 'busy'; id: number }
