// What servers say to each other about their starts. Append only.

import { bool, type Codec, list, type NodeId, struct, text, uint, variants } from '../../core/index.ts'

/** Far beyond every number that grows by one every few minutes. */
export const LIFE_MAX = 2 ** 48
export const MARKS = 2 ** 32
/** Servers of one group whose numbers are kept. */
export const SEEN_MAX = 1_000
const SERVER_BYTES_MAX = 100

export type LivesMessage =
  /** This is the number of the sender's life; `mark` tells two lives under one number apart. */
  | { readonly kind: 'hail'; readonly life: number; readonly mark: number }
  /** No later life of yours was seen, and yours is written down. */
  | { readonly kind: 'welcome'; readonly mark: number }
  /** A life of yours was seen that is not before this one: your store is an old copy, or was lost. */
  | { readonly kind: 'older'; readonly mark: number; readonly life: number }

export interface SeenLife {
  readonly server: NodeId
  readonly life: number
  readonly mark: number
}

/** What is on disk. The last record counts. */
export interface LivesRecord {
  readonly life: number
  readonly mark: number
  /** Enough others have it written down: the next start takes the next number. */
  readonly known: boolean
  readonly seen: readonly SeenLife[]
}

const life = uint(LIFE_MAX)
const mark = uint(MARKS)

export const livesVocabulary: Codec<LivesMessage> = variants<LivesMessage>({
  hail: { life, mark },
  welcome: { mark },
  older: { mark, life },
})

export const livesRecord: Codec<LivesRecord> = struct<LivesRecord>({
  life,
  mark,
  known: bool,
  seen: list(struct<SeenLife>({ server: text(SERVER_BYTES_MAX), life, mark }), SEEN_MAX),
})
