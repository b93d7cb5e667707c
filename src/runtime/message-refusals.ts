// Messages that cannot be read are logged with their reason, but a peer that sends nothing else must not fill the disk:
// a few lines a minute for each peer and reason, and then how many more there were. The same goes for what only operators may ask for,
// and for words of our own that cannot be said.

import type { NodeId } from '../core/index.ts'
import { inBackground } from './platform.ts'
import { clientOf } from './transport/instance.ts'
import type { Log } from './transport/transport.ts'

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

/** Messages that cannot be read. */
export function limitRefusedMessages(log: Log): LogRefusedMessage {
  const limited = limitLines(log, 'message refused')
  return (from, why) => limited(from, why, () => log('warn', 'message refused', { from, why: shortened(why) }))
}

/** What only operators may do, asked for by somebody else: `why` is the line. */
export type LogNotAllowed = (by: NodeId, why: string, fields: Readonly<Record<string, unknown>>) => void

export function limitNotAllowed(log: Log): LogNotAllowed {
  const limited = limitLines(log, 'not allowed')
  return (by, why, fields) => limited(by, why, () => log('warn', why, { ...fields, by }))
}

export type LogUnsaid = (to: NodeId, body: unknown, error: unknown) => void

/** Words of ours that have no encoding, or too long a one: which part's, and which word. */
export function limitUnsaid(log: Log): LogUnsaid {
  const limited = limitLines(log, 'message not sent')
  return (to, body, error) => {
    const { lane, kind } = wordOf(body)
    const why = shortened(error instanceof Error ? error.message : String(error))
    limited(to, `${lane} ${kind}`, () => log('error', 'message not sent', { to, lane, kind, why }))
  }
}

/** A word of a composed node has its part's name, and the word itself in its body. */
function wordOf(body: unknown): { lane: string; kind: string } {
  const { part, body: inner } = Object(body) as { part?: unknown; body?: unknown }
  const { kind } = Object(part === undefined ? body : inner) as { kind?: unknown }
  return { lane: shortened(String(part ?? '')), kind: shortened(String(kind ?? '')) }
}

const shortened = (why: string) => why.slice(0, REFUSED_LETTERS_MAX)

function limitLines(log: Log, what: string): (from: NodeId, why: string, line: () => void) => void {
  /** By peer, all processes of a client being one, and reason. Emptied each minute. */
  const accounts = new Map<string, Map<string, Account>>()

  function close(): void {
    for (const [peer, reasons] of accounts) {
      for (const [why, { more }] of reasons) {
        if (more > 0) log('warn', `${what}: and ${more.toLocaleString('en')} more`, { peer, why, count: more })
      }
    }
    accounts.clear()
  }

  return (from, reason, line) => {
    if (accounts.size === 0) inBackground(setTimeout(close, MINUTE_MS))
    const peer = clientOf(from)
    const reasons = accounts.get(peer) ?? new Map<string, Account>()
    accounts.set(peer, reasons)
    const why = shortened(reason)
    const kept = reasons.has(why) || reasons.size < REFUSED_REASONS_MAX ? why : OTHERS
    const account = reasons.get(kept) ?? { lines: 0, more: 0 }
    reasons.set(kept, account)
    if (account.lines < REFUSED_LINES_MAX) {
      account.lines++
      line()
    } else account.more++
  }
}
