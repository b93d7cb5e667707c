// The smallest machine whose state is too large for one record, so that it is tested as others will use it: a table of
// counters. Each command adds one to a counter, saves the new value, and answers. Every save carries, beside its own
// entry, the next few entries of the account that is under way; when all entries are through, `forget`, and so on.
//
// A record is a list of pairs, key and value, put over each other in the order of the log.

import type { Protocol } from '../../src/core/index.ts'

export interface Ledger {
  readonly table: Map<number, number>
  /** The keys that the account under way has yet to write; undefined before the first one of this life. */
  left: number[] | undefined
}

export interface LedgerCommand {
  readonly key: number
  /** Nobody is told, and a crash may lose it. */
  readonly lazy?: boolean
}

export interface LedgerRules {
  readonly page: number
  /** Planted: says that the account is whole when this many entries are yet to be written. */
  readonly hurry?: number
  /** Planted: goes on, after a restart, as if the account that the crash cut short were its own. */
  readonly resumes?: boolean
}

export function ledger(rules: LedgerRules): Protocol<Ledger, never, LedgerCommand, readonly [number, number]> {
  return {
    name: 'ledger',
    init(_self, _peers, saved) {
      const table = new Map<number, number>()
      for (const record of saved.get('') ?? [])
        for (let at = 0; at < record.length; at += 2) table.set(record[at]!, record[at + 1]!)
      return { table, left: rules.resumes ? [] : undefined }
    },
    step(state, input, turn) {
      if (input.kind !== 'command') return
      const { key, lazy } = input.body
      const value = (state.table.get(key) ?? 0) + 1
      state.table.set(key, value)
      const whole = state.left !== undefined && state.left.length <= (rules.hurry ?? 0)
      if (whole) turn.do({ kind: 'forget' })
      const begins = whole || state.left === undefined
      if (begins) state.left = [...state.table.keys()]
      const page = state.left!.splice(0, rules.page).flatMap(one => [one, state.table.get(one)!])
      turn.do({ kind: 'save', record: Uint8Array.from([...page, key, value]), begins, lazy: lazy ?? false })
      if (!lazy) turn.do({ kind: 'emit', event: [key, value] })
    },
  }
}
