// Histories of real processes, as lines of JSON that are only ever appended: one when a call is about to be made, one
// when its outcome is known. A process writes to its own file, the first line before it sends and the second after it
// heard; so a process that is killed leaves calls without an outcome, which is the truth about them.
//
//   {"at":1200,"who":"client-3","id":7,"what":"call","call":{"kind":"read","key":"x"}}
//   {"at":1900,"who":"client-3","id":7,"what":"returned","result":4}
//
// `what` may also be `failed` (it certainly did not happen) and `unknown` (it may have happened, or may happen yet).
// `at` is of one clock for all: on one machine the system's monotonic clock. Results and calls are what JSON can hold.

import type { Operation } from './model.ts'

/** One line of a history: a call, or what became of it. */
export type HistoryEvent<Call, Result> = {
  readonly at: number
  readonly who: string
  /** Tells the calls of one `who` apart. A process that starts again goes by another name. */
  readonly id: number
} & (
  | { readonly what: 'call'; readonly call: Call }
  | { readonly what: 'returned'; readonly result: Result }
  | { readonly what: 'failed' }
  | { readonly what: 'unknown' }
)

/** A history that was read back. */
export interface ReadHistory<Call, Result> {
  readonly operations: readonly Operation<Call, Result>[]
  /** Calls whose outcome nobody knows. */
  readonly unknown: number
  /** Lines that make no sense. A history with problems proves nothing. */
  readonly problems: readonly string[]
}

/** One line, with its end. To be written whole, and before what it announces. */
export function historyLine<Call, Result>(event: HistoryEvent<Call, Result>): string {
  return `${JSON.stringify(event)}\n`
}

/** Reads the files of all processes; each is a text. What a kill cut off at the end of a file is left out. */
export function readHistory<Call, Result>(files: Iterable<string>): ReadHistory<Call, Result> {
  const problems: string[] = []
  const operations = new Map<string, Operation<Call, Result>>()
  let place = 0
  for (const file of files) {
    place++
    const lines = file.split('\n')
    // After the last newline there is nothing, or half a line.
    lines.pop()
    for (const [at, line] of lines.entries()) {
      const event = parseEvent<Call, Result>(line)
      const problem = event === undefined ? 'is no event' : include(operations, event)
      if (problem !== undefined) problems.push(`file ${place}, line ${at + 1} ${problem}: ${line.slice(0, 80)}`)
    }
  }
  const all = [...operations.values()]
  return { operations: all, unknown: all.filter(one => one.outcome.kind === 'unknown').length, problems }
}

function include<Call, Result>(
  operations: Map<string, Operation<Call, Result>>,
  event: HistoryEvent<Call, Result>,
): string | undefined {
  const name = `${event.who} ${event.id}`
  const open = operations.get(name)
  if (event.what === 'call') {
    if (open !== undefined) return 'is a second call of one id'
    operations.set(name, { client: event.who, call: event.call, calledAt: event.at, outcome: { kind: 'unknown' } })
    return undefined
  }
  if (open === undefined) return 'is the outcome of no call'
  if (open.outcome.kind !== 'unknown') return 'is a second outcome'
  if (event.at < open.calledAt) return 'is an outcome before its call'
  if (event.what === 'returned') {
    operations.set(name, { ...open, outcome: { kind: 'returned', at: event.at, result: event.result } })
  }
  if (event.what === 'failed') operations.set(name, { ...open, outcome: { kind: 'failed' } })
  return undefined
}

function parseEvent<Call, Result>(line: string): HistoryEvent<Call, Result> | undefined {
  try {
    const event = JSON.parse(line) as Partial<Record<string, unknown>> | null
    if (typeof event?.at !== 'number' || typeof event.who !== 'string' || typeof event.id !== 'number') return undefined
    const fields = { call: 'call', returned: 'result', failed: 'at', unknown: 'at' }[String(event.what)]
    return fields !== undefined && fields in event ? (event as HistoryEvent<Call, Result>) : undefined
  } catch {
    return undefined
  }
}
