// Signed ranks (BACKOFF §6.2, the alternative): a rank that its client has signed cannot be invented by a server, so
// that one refusal which shows it is enough to give way.

import { encode, struct, text } from '../core/index.ts'
import type { OrderingSettings } from './settings.ts'
import { OBJECT_BYTES_MAX, type Rank, rankCodec } from './wire.ts'

const NOTHING = new Uint8Array(0)
const statement = struct<{ purpose: string; object: string; rank: Rank }>({
  purpose: text(20),
  object: text(OBJECT_BYTES_MAX),
  rank: rankCodec,
})

function rankBytes(object: string, rank: Rank): Uint8Array {
  return encode(statement, { purpose: 'rank of an object', object, rank })
}

export function prove({ proofs }: OrderingSettings, object: string, rank: Rank): Uint8Array {
  return proofs?.sign?.(rankBytes(object, rank)) ?? NOTHING
}

/** Where ranks are not signed, every rank will do. */
export function isProven({ proofs }: OrderingSettings, object: string, rank: Rank, proof: Uint8Array): boolean {
  return proofs === undefined || proofs.verify(rank.client, rankBytes(object, rank), proof)
}
