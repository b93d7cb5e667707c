// A server of objects over a log: what it saves in one step, and nobody waits for, may be more than a batch holds. The
// store must not take that for a disk that is too slow: the server would stop, and after its restart do the same again.

import { expect, it } from 'vitest'
import { createDisk, type Disk } from '../../../test/storage/disk.ts'
import { unexpected } from '../../../test/storage/history.ts'
import { rank, SERVERS, settings } from '../../../test/support/ordering-group.ts'
import { createHost, type NodeId } from '../../core/index.ts'
import { orderingServer } from '../../ordering/server/machine.ts'
import { FIRST_DIGEST } from '../../ordering/versions/digest.ts'
import type { OrderingMessage } from '../../ordering/wire.ts'
import { createLogStorage } from './log.ts'

/** Of a megabyte each; a batch holds 32. */
const PAGES = 40
const value = new Uint8Array(1 << 20)

/** The server s3 on this disk. The others are played. */
async function serve(disk: Disk) {
  const storage = await createLogStorage({ folder: '/store', files: disk }).open(unexpected)
  const sent: { readonly to: NodeId; readonly body: OrderingMessage }[] = []
  const host = createHost(orderingServer(settings), 's3', SERVERS.slice(0, 2), await storage.read(), {
    now: () => 0,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: (to, body) => sent.push({ to, body }),
    timer: () => {},
    cancel: () => {},
    save: (lane, record, kind, durable) => storage.save(lane, record, kind, durable),
    forget: lane => storage.forget(lane),
    emit: () => {},
  })
  host.input({ kind: 'start' })
  const hear = (from: NodeId, body: OrderingMessage) => host.input({ kind: 'message', from, body })
  return { storage, host, sent, hear }
}

it('a large object is copied from another server, and is there after a restart', async () => {
  const disk = createDisk()
  const { storage, sent, hear } = await serve(disk)
  const head = { version: 9, digest: new Uint8Array(32).fill(9) }
  hear('c', { kind: 'commit', object: 'o', rank: rank(1), ...head })
  for (let page = 0; page < PAGES; ) {
    const { to, body } = sent.pop()!
    if (body.kind === 'vouch') hear(to, { kind: 'vouched', object: 'o', query: body.query, known: true })
    if (body.kind === 'fetch') {
      const forgotten = { from: 0, base: FIRST_DIGEST, changes: [], committed: head, known: false }
      hear(to, { kind: 'changes', object: 'o', query: body.query, ...forgotten })
    }
    if (body.kind !== 'page') continue
    const entries = [{ key: `page ${100 + page++}`, value }]
    hear(to, { kind: 'entries', object: 'o', query: body.query, applied: head, entries, more: page < PAGES })
  }
  await storage.close()
  const again = await serve(disk)
  await again.storage.close()
  const { version, table } = again.host.state.objects.get('o')!.content
  expect({ version, pages: table.size }).toEqual({ version: 9, pages: PAGES })
})
