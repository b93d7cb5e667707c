// The log of a user's choice. Three shapes are taken: a function of ours, a logger like pino's (fields first), and one like
// the console (words first). A logger that throws must not end a node: what it threw is dropped with the line.

import type { Rule } from '../core/index.ts'
import { silence } from '../runtime/log.ts'
import type { Log } from '../runtime/transport/index.ts'

type Level = Parameters<Log>[0]
type Fields = Parameters<Log>[2]

/** A logger whose methods take the fields, then the words: pino, and the `log` of Fastify. */
export interface PinoLike {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** What tells it from a console. */
  bindings(): object
}

/** A logger whose methods take the words, then the fields: the console. */
export interface ConsoleLike {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** What `log` takes: a function, pino or the like, or the console. */
export type LogTarget = Log | PinoLike | ConsoleLike

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error']

export const logRule: Rule = {
  must: 'a function of (level, message, fields), a logger such as pino, or console',
  fits: value =>
    typeof value === 'function' ||
    (typeof value === 'object' &&
      value !== null &&
      LEVELS.every(level => typeof (value as Record<string, unknown>)[level] === 'function')),
}

/** One function for all of them. */
export function logTo(target: LogTarget | undefined): Log {
  if (target === undefined) return silence
  const say = sayTo(target)
  return (level, message, fields) => {
    try {
      say(level, message, fields)
    } catch {
      // Nobody is left to tell it to.
    }
  }
}

function sayTo(target: LogTarget): Log {
  if (typeof target === 'function') return target
  if (isPino(target)) return (level, message, fields: Fields) => target[level](fields, message)
  return (level, message, fields) => target[level](message, fields)
}

function isPino(target: PinoLike | ConsoleLike): target is PinoLike {
  return 'bindings' in target && typeof target.bindings === 'function'
}
