// What a member keeps on disk: which successors it knows, which epochs it posted a key in, what it favoured and signed.
// Nothing of it is secret, and nothing that is secret is among it: keys, permutations and opened slots die with the
// process.

import { bytes, type Codec, decode, encode, type NodeId, text, uint, variants } from '../../core/index.ts'
import { type EpochRecord, HASH_BYTES, NAME_BYTES_MAX } from './record.ts'
import type { SlotsTurn } from './state.ts'
import { type Favoured, type Link, linkCodec } from './wire.ts'

export type SavedRecord =
  | { kind: 'adopted'; link: Link }
  /** We posted a key in this epoch. */
  | { kind: 'joined'; epoch: Uint8Array }
  /** We favoured something in this ballot. */
  | { kind: 'favoured'; epoch: Uint8Array; ballot: number }
  /** We signed this successor. */
  | { kind: 'locked'; epoch: Uint8Array; link: Link }
  | { kind: 'cheat'; name: NodeId; what: string }

const hash = bytes(HASH_BYTES)

const savedCodec: Codec<SavedRecord> = variants<SavedRecord>({
  adopted: { link: linkCodec },
  joined: { epoch: hash },
  favoured: { epoch: hash, ballot: uint() },
  locked: { epoch: hash, link: linkCodec },
  cheat: { name: text(NAME_BYTES_MAX), what: text(NAME_BYTES_MAX) },
})

function save(record: SavedRecord, turn: SlotsTurn): void {
  turn.do({ kind: 'save', record: encode(savedCodec, record) })
}

export function saveAdopted(link: Link, turn: SlotsTurn): void {
  save({ kind: 'adopted', link }, turn)
}

export function saveJoined(epoch: Uint8Array, turn: SlotsTurn): void {
  save({ kind: 'joined', epoch }, turn)
}

export function saveFavoured(epoch: Uint8Array, ballot: number, turn: SlotsTurn): void {
  save({ kind: 'favoured', epoch, ballot }, turn)
}

export function saveLocked(epoch: Uint8Array, record: EpochRecord, favoured: Favoured, turn: SlotsTurn): void {
  save({ kind: 'locked', epoch, link: { record, ...favoured } }, turn)
}

export function saveCheat(name: NodeId, what: string, turn: SlotsTurn): void {
  save({ kind: 'cheat', name, what }, turn)
}

/** Records that cannot be read are our own bug or a broken disk: the node must not go on and promise again. */
export function readSaved(records: readonly Uint8Array[]): SavedRecord[] {
  return records.map(record => {
    const decoded = decode(savedCodec, record)
    if (!decoded.ok) throw new RangeError(`a saved record that cannot be read: ${decoded.refusal}`)
    return decoded.value
  })
}
