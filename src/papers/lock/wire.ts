// The printed lock's numbers and words (BACKOFF §3, §4).

import { bool, type Codec, type Millis, uint, variants } from '../../core/index.ts'

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
}

/** A client's TRY and a server's answer. */
export type PrintedMessage = { kind: 'try'; attempt: number } | { kind: 'status'; attempt: number; locked: boolean }

/** The messages of the printed lock on the wire. */
export const printedVocabulary: Codec<PrintedMessage> = variants<PrintedMessage>({
  try: { attempt: uint() },
  status: { attempt: uint(), locked: bool },
})

/** What a user asks of the printed lock. */
export type PrintedCommand = { kind: 'contend'; id: number }

/** What the printed lock tells its user. */
export type PrintedEvent =
  /** The contend returned: the client may run until `deadline` on its own clock. */
  | { kind: 'entered'; id: number; deadline: Millis; attempts: number }
  | { kind: 'left'; id: number }
  /** A client contends once at a time. */
  | { kind: 'busy'; id: number }
