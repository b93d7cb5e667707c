// What servers answered to calls that are open. Each server has a share of this client's memory: one that lies would fill it
// with a large page or receipt for each of thousands of calls. What is beyond the share counts as not said.

import type { NodeId } from '../../core/index.ts'
import type { LedgerReply } from '../wire.ts'
import { ANSWERS_BYTES_MAX, type Call, type LedgerClientState } from './state.ts'

/** Of an answer beside its lists: numbers, and places in maps. */
const ANSWER_BYTES = 500
/** A hash, a vote, a balance. */
const ENTRY_BYTES = 150

function bytesOf(reply: LedgerReply): number {
  let bytes = ANSWER_BYTES
  if ('checkpoint' in reply) bytes += ENTRY_BYTES * reply.checkpoint.votes.length
  if ('path' in reply) bytes += ENTRY_BYTES * reply.path.length
  if ('leaf' in reply) bytes += reply.leaf.length
  if ('leaves' in reply) for (const leaf of reply.leaves) bytes += ENTRY_BYTES + leaf.length
  if ('lies' in reply) bytes += ENTRY_BYTES * reply.lies.length
  if ('genesis' in reply) bytes += reply.genesis?.length ?? 0
  return bytes
}

/** In place of what the server said before; false where its share is full. */
export function keepAnswer(
  { shares }: LedgerClientState,
  { answers }: Call,
  from: NodeId,
  reply: LedgerReply,
): boolean {
  const before = answers.get(from)
  const bytes = (shares.get(from) ?? 0) + bytesOf(reply) - (before === undefined ? 0 : bytesOf(before))
  if (bytes > ANSWERS_BYTES_MAX) return false
  shares.set(from, bytes)
  answers.set(from, reply)
  return true
}

/** The call is decided, or nobody waits for it. */
export function forgetAnswers({ shares }: LedgerClientState, { answers }: Call): void {
  for (const [server, reply] of answers) {
    const left = (shares.get(server) ?? 0) - bytesOf(reply)
    if (left > 0) shares.set(server, left)
    else shares.delete(server)
  }
  answers.clear()
}
