// The chain of epochs: each record names the one before it, and a quorum of that one's voters signed it.

import { type NodeId, sameBytes } from '../../core/index.ts'
import { endEpoch, newEpoch, quietFor } from './epoch.ts'
import { type EpochRecord, recordHash, votersOf } from './record.ts'
import { noteGoing } from './returning.ts'
import { saveAdopted } from './saved.ts'
import { type MemberState, NEVER, type SlotsScene } from './state.ts'
import { quorum } from './successor.ts'
import {
  type Favour,
  type Link,
  type Sign,
  type Signature,
  type SlotsMessage,
  type Succeeded,
  signedBytes,
} from './wire.ts'

/** Links that are kept for members that are behind; a member that is further behind has to be set up again. */
export const CHAIN_MAX = 256

/** How many voters of the record signed this. */
export function countSigned(
  scene: SlotsScene,
  record: EpochRecord,
  signatures: readonly Signature[],
  said: Omit<Favour, 'author' | 'signature'> | Omit<Sign, 'author' | 'signature'>,
): number {
  const signed = new Set<NodeId>()
  for (const { author, signature } of signatures) {
    const member = votersOf(record).find(({ name }) => name === author)
    const statement = { ...said, author, signature } as SlotsMessage
    if (member === undefined || signed.has(author)) continue
    if (scene.signatures.verify(member.identity, signedBytes(statement), signature)) signed.add(author)
  }
  return signed.size
}

/** The successor is there: the old epoch ends here. */
export function adopt(scene: SlotsScene, link: Link): void {
  const { state, turn } = scene
  const { epoch } = state
  const { signedAt } = epoch.succession
  // A member gives no share since it signed. One that was outside counts from now, when a quorum has signed: an honest
  // member of the old ring is among them.
  const since = signedAt === NEVER || epoch.position < 0 ? turn.now : signedAt
  noteGoing(scene, link.record)
  endEpoch(epoch)
  saveAdopted(scene, link)
  state.chain.push(link)
  if (state.chain.length > CHAIN_MAX) state.chain.shift()
  state.petitions.clear()
  state.workUnderWay.clear()
  const quietUntil = Math.max(epoch.quietUntil, since + quietFor(scene, link.record))
  state.epoch = newEpoch(state.self, link.record, false, turn.now, quietUntil)
}

/** Somebody shows us a successor. It needs no trust in who brings it: the quorum's signatures are inside. */
export function onSucceeded(scene: SlotsScene, { link }: Succeeded): void {
  const { epoch } = scene.state
  const { record, ballot, signatures } = link
  if (!sameBytes(record.previous, epoch.hash) || record.number !== epoch.record.number + 1) return
  const said = { kind: 'sign', round: 0, epoch: epoch.hash, ballot, record: recordHash(record) } as const
  if (countSigned(scene, epoch.record, signatures, said) < quorum(scene, epoch.record)) return
  adopt(scene, link)
}

/** For a member that is behind: the successor of the epoch that it speaks of. */
export function linkAfter({ chain }: MemberState, hash: Uint8Array): Link | undefined {
  return chain.find(link => sameBytes(link.record.previous, hash))
}
