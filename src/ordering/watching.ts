// Watches: every change of the replica is told, in order.

import type { Use } from './client-state.ts'
import { RESERVED } from './content.ts'
import type { Write } from './messages.ts'
import type { OrderingTurn } from './state.ts'

export function tellWatches(use: Use, version: number, writes: readonly Write[], turn: OrderingTurn): void {
  if (use.watches.size === 0) return
  const { object } = use
  const shown = writes.filter(({ key }) => !key.startsWith(RESERVED))
  for (const watch of use.watches.values()) {
    if (watch.told === undefined || watch.told >= version) continue
    watch.told = version
    turn.do({ kind: 'emit', event: { kind: 'changed', id: watch.id, object, version, writes: shown } })
  }
}
