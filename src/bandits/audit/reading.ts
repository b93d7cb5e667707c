// The logs of a run as an auditor reads them, and what it may find.

import { decode, type NodeId } from '../../core/index.ts'
import type { LogEntry, NumberedEntry } from '../member/entries.ts'
import { chained } from '../member/log.ts'
import type { Role, Terms } from '../member/wire.ts'
import type { BanditParty, BanditTools } from '../settings.ts'
import { type BanditMessage, banditVocabulary } from '../wire.ts'

/** The log of one party, as it was written. */
export type PartyLog = readonly NumberedEntry[]

/** What an audit found. */
export type AuditResult =
  | { readonly verdict: 'right'; readonly rounds: number; readonly messages: number }
  /** That party said, or logged, what no honest party would have. */
  | { readonly verdict: 'lied'; readonly party: NodeId; readonly what: string }
  /** The logs are not enough to say more. */
  | { readonly verdict: 'unclear'; readonly what: string }

/** What an auditor may know besides: the rewards that the arms were given, by arm, in the order of pulls. */
export type RewardTable = Readonly<Record<string, readonly number[]>>

/** Ends the audit with its finding. */
export class Found extends Error {
  readonly result: AuditResult
  constructor(result: AuditResult) {
    super('found')
    this.result = result
  }
}

export function lied(party: NodeId, what: string): never {
  throw new Found({ verdict: 'lied', party, what })
}

export function unclear(what: string): never {
  throw new Found({ verdict: 'unclear', what })
}

export type Heard = LogEntry & { kind: 'heard' }

export interface Read {
  readonly self: NodeId
  readonly terms: Terms
  readonly parties: readonly BanditParty[]
  readonly secrets: ReadonlyMap<Role, Uint8Array>
  readonly heard: readonly Heard[]
  readonly paid: ReadonlyMap<number, number>
  readonly head: Uint8Array
  readonly count: number
  readonly closed: (LogEntry & { kind: 'closed' }) | undefined
}

/** The entries in order; of a number that came twice, the last. */
export function readLog(tools: BanditTools, log: PartyLog): Read {
  const byNumber = new Map<number, LogEntry>()
  let closed: (LogEntry & { kind: 'closed' }) | undefined
  for (const { number, entry } of log) {
    if (entry.kind === 'closed') closed = entry
    else byNumber.set(number, entry)
  }
  const opened = byNumber.get(1)
  if (opened?.kind !== 'opened') unclear('a log does not begin with the terms of its run')
  const secrets = new Map<Role, Uint8Array>()
  const paid = new Map<number, number>()
  const heard: Heard[] = []
  let head: Uint8Array = new Uint8Array(0)
  for (let number = 1; number <= byNumber.size; number++) {
    const entry = byNumber.get(number) ?? unclear(`entry ${number} is missing in the log of '${opened.self}'`)
    head = chained(tools, head, opened.salt, { number, entry })
    if (entry.kind === 'secret') secrets.set(entry.role, entry.secret)
    if (entry.kind === 'paid') paid.set(entry.number, entry.steps)
    if (entry.kind === 'heard') heard.push(entry)
  }
  return { ...opened, secrets, paid, heard, head, count: byNumber.size, closed }
}

export function bodyOf({ body }: Heard): BanditMessage | undefined {
  if (body.length === 0) return undefined
  const decoded = decode(banditVocabulary, body)
  return decoded.ok ? decoded.value : undefined
}
