// What a member keeps on disk: which successors it knows, which epochs it posted a key in, what it favoured and signed.
// Nothing of it is secret, and nothing that is secret is among it: keys, permutations and opened slots die with the
// process.

import { assert, bytes, type Codec, decode, encode, type NodeId, text, uint, variants } from '../../core/index.ts'
import { type EpochRecord, HASH_BYTES, NAME_BYTES_MAX } from './record.ts'
import type { SlotsScene } from './state.ts'
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

function save(scene: SlotsScene, record: SavedRecord): void {
  scene.turn.do({ kind: 'save', record: encode(savedCodec, record) })
}

export function saveAdopted(scene: SlotsScene, link: Link): void {
  save(scene, { kind: 'adopted', link })
}

export function saveJoined(scene: SlotsScene, epoch: Uint8Array): void {
  save(scene, { kind: 'joined', epoch })
}

export function saveFavoured(scene: SlotsScene, epoch: Uint8Array, ballot: number): void {
  save(scene, { kind: 'favoured', epoch, ballot })
}

export function saveLocked(scene: SlotsScene, epoch: Uint8Array, record: EpochRecord, favoured: Favoured): void {
  save(scene, { kind: 'locked', epoch, link: { record, ...favoured } })
}

export function saveCheat(scene: SlotsScene, name: NodeId, what: string): void {
  save(scene, { kind: 'cheat', name, what })
}

/** Records that cannot be read are our own bug or a broken disk: the node must not go on and promise again. */
export function readSaved(records: readonly Uint8Array[]): SavedRecord[] {
  return records.map(record => {
    const decoded = decode(savedCodec, record)
    assert(decoded.ok, `a saved record that cannot be read: ${decoded.ok ? '' : decoded.refusal}`)
    return decoded.value
  })
}
