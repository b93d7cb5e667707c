// Structured logs: one JSON object a line, by pino, on standard output. Never a secret: keys, tokens of other people's
// leases and message bodies are not logged; names and reasons are.

import { type DestinationStream, pino } from 'pino'
import type { Log } from './transport/index.ts'

/** Levels are written by name: a reader of the log need not know pino's numbers. */
export function createLog(node: string, level: string, out?: DestinationStream): Log {
  const settings = { level, base: { node }, formatters: { level: (name: string) => ({ level: name }) } }
  const logger = out === undefined ? pino(settings) : pino(settings, out)
  return (at, message, fields) => logger[at](fields, message)
}
