// Structured logs: one JSON object a line, by pino, on standard output. Never a secret: keys, tokens of other people's
// leases and message bodies are not logged; names and reasons are.

import { pino } from 'pino'
import type { Log } from './transport/index.ts'

export function createLog(node: string, level: string): Log {
  const logger = pino({ level, base: { node } })
  return (at, message, fields) => logger[at](fields, message)
}
