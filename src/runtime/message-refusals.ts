// Messages that cannot be read are logged with their reason, but a peer that sends nothing else must not fill the disk:
// a few lines a minute for each peer and reason, and then how many more there were.

import type { NodeId } from '../core/index.ts'
import type { Log } from './transport/index.ts'
import { clientOf } from './transport/instance.ts'

/** Lines a minute for each peer and reason: enough to see what goes on. */
export const REFUSED_LINES_MAX = 5
/** Reasons of one peer that have lines of their own: a reason may quote what came, and the peer chose that. */
export const REFUSED_REASONS_MAX = 8
const REFUSED_LETTERS_MAX = 200
const MINUTE_MS = 60_000
const OTHERS = 'other reasons'

interface Account {
  lines: number
  more: number
}

export type LogRefusedMessage = (from: NodeId, why: string) => void

export function limitRefusedMessages(log: Log): LogRefusedMessage {
  /** By peer, all processes of a client being one, and reason. Emptied each minute. */
  const accounts = new Map<string, Map<string, Account>>()

  function close(): void {
    for (const [peer, reasons] of accounts) {
      for (const [why, { more }] of reasons) {
        if (more > 0) log('warn', `message refused: and ${more.toLocaleString('en')} more`, { peer, why, count: more })
      }
    }
    accounts.clear()
  }

  return (from, reason) => {
    if (accounts.size === 0) setTimeout(close, MINUTE_MS).unref()
    const peer = clientOf(from)
    const reasons = accounts.get(peer) ?? new Map<string, Account>()
    accounts.set(peer, reasons)
    const why = reason.slice(0, REFUSED_LETTERS_MAX)
    const kept = reasons.has(why) || reasons.size < REFUSED_REASONS_MAX ? why : OTHERS
    const account = reasons.get(kept) ?? { lines: 0, more: 0 }
    reasons.set(kept, account)
    if (account.lines < REFUSED_LINES_MAX) {
      account.lines++
      log('warn', 'message refused', { from, why })
    } else account.more++
  }
}
