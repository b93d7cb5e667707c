// What a tree needs of an object, over the ordering part of a client node.

import type { ObjectPort, ObjectWatcher } from '../tree.ts'
import type { Orders, WaitOptions } from './orders.ts'
import type { Session } from './session.ts'

/** `options` are for every call of this port: a tree makes a port for a call that has its own. */
export function objectPort(orders: Orders, name: string, session: Session, options: WaitOptions = {}): ObjectPort {
  return {
    get signal() {
      return session.signal
    },
    async submit(body) {
      await session.ready(options)
      return (await orders.submit(name, body, options)).body
    },
    async read(keys) {
      const { entries } = await orders.read(name, keys, false, options)
      const found = new Map(entries.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const])))
      return { get: key => found.get(key) }
    },
    watch: watcher => begin(orders, name, watcher),
  }
}

function begin(orders: Orders, name: string, watcher: ObjectWatcher): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const stop = orders.watch(name, undefined, {
      watching: () => resolve(stop),
      changed: (_version, writes) => watcher.changed(writes),
      skipped: (_version, table) => watcher.skipped({ get: key => table.get(key) }),
      failed: reject,
    })
  })
}
