// Structured logs: one JSON object a line, by pino, on standard output. Never a secret: keys, tokens of other people's
// leases and message bodies are not logged; names and reasons are. Clients choose some of them, the words of an accusation too,
// and whoever reads the log may do so in a terminal: nothing that one obeys is written as it is.

import { type DestinationStream, pino } from 'pino'
import { harmlessJson } from '../core/harmless.ts'
import type { Log } from './transport/index.ts'

/** Levels are written by name: a reader of the log need not know pino's numbers. */
export function createLog(node: string, level: string, out?: DestinationStream): Log {
  const settings = {
    level,
    base: { node },
    formatters: { level: (name: string) => ({ level: name }) },
    hooks: { streamWrite: harmlessJson },
  }
  const logger = out === undefined ? pino(settings) : pino(settings, out)
  return (at, message, fields) => logger[at](fields, message)
}
