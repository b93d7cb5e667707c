// What a tree needs of an object, over the ordering part of a client node.

import { NotAnswered } from '../../core/index.ts'
import type { ObjectPort, ObjectWatcher } from '../tree.ts'
import { type Orders, timerOf, type WaitOptions } from './orders.ts'
import type { Session } from './session.ts'

/** `options` are for every call of this port: a tree makes a port for a call that has its own. */
export function objectPort(
  orders: Orders,
  name: string,
  session: Session,
  options: WaitOptions & { readonly stale?: boolean } = {},
): ObjectPort {
  return {
    get signal() {
      return session.signal
    },
    async submit(body) {
      await session.ready(options)
      return (await orders.submit(name, body, options)).body
    },
    async read(keys) {
      const { entries } = await orders.read(name, keys, options.stale ?? false, options)
      const found = new Map(entries.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const])))
      return { get: key => found.get(key) }
    },
    watch: watcher => begin(orders, name, watcher, options),
  }
}

function begin(orders: Orders, name: string, watcher: ObjectWatcher, { timeout }: WaitOptions): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const late = () => {
      stop()
      reject(new NotAnswered(name, 'cancelled', 'did not happen'))
    }
    const timer = timerOf(timeout, () => late())
    const stop = orders.watch(name, undefined, {
      watching: () => {
        clearTimeout(timer)
        resolve(stop)
      },
      changed: (_version, writes) => watcher.changed(writes),
      skipped: (_version, table) => watcher.skipped({ get: key => table.get(key) }),
      failed: error => {
        clearTimeout(timer)
        reject(error)
      },
    })
  })
}
