// What every node counts: messages, frames, connections, records.

import type { Driver } from '../driver.ts'
import type { TlsTransport } from '../transport/index.ts'
import type { Book } from './book.ts'
import type { Definitions } from './names.ts'

type Counted = Pick<Driver<unknown, unknown, unknown, unknown>, 'counts'>
type Prefix = '' | 'client_' | 'member_'

/** A peer that is away is no fault of this node: what could not reach it is counted apart from what was thrown away. */
export function measureTraffic<D extends Definitions>(
  book: Book<D>,
  prefix: Prefix,
  { counts }: Counted,
  transport: () => Pick<TlsTransport, 'dropped' | 'connected'> | undefined,
): void {
  const reads = (name: string, value: () => number) => book.reads(`${prefix}${name}` as keyof D & string, value)
  const drops = () => transport()?.dropped()
  reads('messages_received_total', () => counts.received)
  reads('messages_sent_total', () => counts.sent)
  reads('messages_refused_total', () => counts.refused)
  const dropped = () => (drops()?.['queue full'] ?? 0) + (drops()?.['too large'] ?? 0)
  reads('frames_dropped_total', () => dropped() + counts.tooLong + counts.unsayable)
  reads('frames_unsent_total', () => (drops()?.unreachable ?? 0) + (drops()?.['connection lost'] ?? 0))
  reads('connections', () => transport()?.connected().length ?? 0)
  if (prefix !== 'client_') reads('saves_total', () => counts.saves)
}
