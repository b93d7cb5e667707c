// A server's numbers about objects. A group that is too small for objects has none.

import type { OrderingServerState } from '../../ordering/index.ts'

type Values = Readonly<Record<string, { readonly help: string; readonly value: number }>>

export function measureObjects(state: OrderingServerState | undefined): Values {
  if (state === undefined) return {}
  let entries = 0
  let sessions = 0
  let pending = 0
  let behind = 0
  for (const { content, committed, pending: waiting } of state.objects.values()) {
    entries += content.table.size
    sessions += content.sessions.size
    pending += waiting.size
    behind += committed.version - content.version
  }
  return {
    objects: { help: 'Objects in memory', value: state.objects.size },
    object_entries: { help: 'Entries of all objects', value: entries },
    object_sessions: { help: 'Sessions of all objects', value: sessions },
    object_operations_pending: { help: 'Operations that wait to be ordered', value: pending },
    object_versions_behind: { help: 'Versions known to be decided whose content is missing', value: behind },
    object_complaints_total: { help: 'Complaints of clients about servers that lied', value: state.complained },
    object_rejoining: { help: '1 while this server takes its state from the others', value: state.rejoin ? 1 : 0 },
  }
}
