// The words of the thesis's own protocols among members, and the records that their parties save. Append-only.

import { bool, bytes, type Codec, list, struct, text, uint } from '../../core/index.ts'
import { BUDGET_MAX } from '../phases.ts'

/** More arms cost too much in the other level, too. */
const ARMS_MAX = 32
/** A modulus of 4,096 bits, and a ciphertext under it. */
const MODULUS_BYTES_MAX = 512
const CIPHERTEXT_BYTES_MAX = 1_024
const SEALED_BYTES_MAX = 1_024
const KEY_BYTES = 32
const WHY_BYTES_MAX = 256

/** What parties of UCB-DS, UCB-DS2 and SR-secured say to each other. */
export type ThesisMessage =
  /** Who decrypts sums, to who encrypts them: the modulus. */
  | { kind: 'sumKey'; modulus: Uint8Array }
  /** AS to an arm: the key of all, and the arm's own; signed, sealed. */
  | { kind: 'ringKeys'; sealed: Uint8Array }
  /** AS to an arm: whether it is pulled, whether it is first, who is next. Empty: the rounds are over. */
  | { kind: 'ringTurn'; round: number; sealed: Uint8Array }
  /** An arm to the next in the ring: the largest index so far, and whose it is. */
  | { kind: 'ringPass'; round: number; sealed: Uint8Array }
  /** The last in the ring to AS: who leads. */
  | { kind: 'ringLead'; round: number; sealed: Uint8Array }
  /** An arm to AS: its sum under encryption. */
  | { kind: 'ringSum'; sum: Uint8Array }
  /** AS to the user: the sum of all. */
  | { kind: 'ringTotal'; sum: Uint8Array }
  /** DO to a drawer: what the arms are worth under encryption, and how far a reward may be from it. */
  | { kind: 'values'; epsilon: number; values: readonly Uint8Array[] }
  /** BAI to the drawer of a phase: the sums so far in new places, and which arm is where. */
  | { kind: 'phase'; phase: number; sums: readonly Uint8Array[]; sealed: Uint8Array }
  /** A drawer to BAI and Comp: the sums with the rewards of its phase. */
  | { kind: 'added'; phase: number; sums: readonly Uint8Array[] }
  /** Comp to BAI: the place of the lowest. */
  | { kind: 'worst'; phase: number; place: number }
  /** BAI to the user: the arm that is left; signed, sealed. */
  | { kind: 'best'; sealed: Uint8Array }

const sealed = bytes(SEALED_BYTES_MAX)
const sum = bytes(CIPHERTEXT_BYTES_MAX)
const sums = list(sum, ARMS_MAX)
const round = uint(BUDGET_MAX)
const phase = uint(ARMS_MAX)

/** The fields of each word. */
export const thesisWords = {
  sumKey: { modulus: bytes(MODULUS_BYTES_MAX) },
  ringKeys: { sealed },
  ringTurn: { round, sealed },
  ringPass: { round, sealed },
  ringLead: { round, sealed },
  ringSum: { sum },
  ringTotal: { sum },
  values: { epsilon: uint(), values: sums },
  phase: { phase, sums, sealed },
  added: { phase, sums },
  worst: { phase, place: uint(ARMS_MAX) },
  best: { sealed },
}

const key = bytes(KEY_BYTES)
const why = text(WHY_BYTES_MAX)
const count = uint(BUDGET_MAX)
const modulus = bytes(MODULUS_BYTES_MAX)
const prime = bytes(MODULUS_BYTES_MAX / 2)

/** The keys that AS hands an arm. */
export interface RingKeys {
  readonly all: Uint8Array
  readonly own: Uint8Array
}
export const ringKeysCodec: Codec<RingKeys> = struct<RingKeys>({ all: key, own: key })

/** What AS saves. */
export interface ControllerRecord {
  readonly secret: Uint8Array
  readonly begun: boolean
  readonly round: number
  /** One more than the place of the arm that leads; 0 before the first round. */
  readonly leads: number
  readonly modulus: Uint8Array
  readonly stopped: string
}
export const controllerRecord: Codec<ControllerRecord> = struct<ControllerRecord>({
  secret: key,
  begun: bool,
  round: uint(BUDGET_MAX + 1),
  leads: uint(ARMS_MAX),
  modulus,
  stopped: why,
})

/** What an arm of the ring saves. */
export interface NodeRecord {
  readonly secret: Uint8Array
  readonly keys: Uint8Array
  readonly modulus: Uint8Array
  /** One more than the round that it is in; 0 before the first. */
  readonly turns: number
  readonly isFirst: boolean
  readonly next: number
  readonly pulls: number
  readonly sum: number
  readonly target: number
  readonly stopped: string
}
export const nodeRecord: Codec<NodeRecord> = struct<NodeRecord>({
  secret: key,
  keys: sealed,
  modulus,
  turns: uint(BUDGET_MAX + 2),
  isFirst: bool,
  next: uint(255),
  pulls: count,
  sum: uint(),
  target: count,
  stopped: why,
})

/** What somebody saves who decrypts sums: the ring's user, and Comp. */
export interface HolderRecord {
  readonly secret: Uint8Array
  readonly begun: boolean
  readonly p: Uint8Array
  readonly q: Uint8Array
  readonly stopped: string
}
export const holderRecord: Codec<HolderRecord> = struct<HolderRecord>({
  secret: key,
  begun: bool,
  p: prime,
  q: prime,
  stopped: why,
})

/** What DO saves; a value is a whole number of steps, as text, since it may be negative. */
export interface OwnerRecord {
  readonly secret: Uint8Array
  readonly begun: boolean
  readonly modulus: Uint8Array
  readonly values: readonly string[]
  readonly epsilon: number
  readonly stopped: string
}
export const ownerRecord: Codec<OwnerRecord> = struct<OwnerRecord>({
  secret: key,
  begun: bool,
  modulus,
  values: list(text(32), ARMS_MAX),
  epsilon: uint(),
  stopped: why,
})

/** What BAI saves: which arms are in, and their sums. */
export interface JudgeRecord {
  readonly secret: Uint8Array
  readonly begun: boolean
  readonly modulus: Uint8Array
  readonly phase: number
  readonly left: readonly { readonly arm: number; readonly sum: Uint8Array }[]
  readonly stopped: string
}
export const judgeRecord: Codec<JudgeRecord> = struct<JudgeRecord>({
  secret: key,
  begun: bool,
  modulus,
  phase,
  left: list(struct<{ arm: number; sum: Uint8Array }>({ arm: uint(ARMS_MAX), sum }), ARMS_MAX),
  stopped: why,
})

/** What a drawer saves. */
export interface DrawerRecord {
  readonly secret: Uint8Array
  readonly modulus: Uint8Array
  readonly stopped: string
}
export const drawerRecord: Codec<DrawerRecord> = struct<DrawerRecord>({ secret: key, modulus, stopped: why })
