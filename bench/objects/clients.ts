// One way to put and to watch, over whichever service the address belongs to.

import { connect } from '../../src/client/connect.ts'
import type { Address } from '../lock/service.ts'

export interface PutClient {
  /** Makes the entry, where it is not there. */
  prepare(key: string): Promise<void>
  put(key: string, value: Uint8Array): Promise<void>
  /**
   * Called with every value of the key that it hears of, or without where the service tells of every change, in order,
   * but not what it changed to; resolves when the watch is in place.
   */
  watch(key: string, heard: (value?: Uint8Array) => void): Promise<void>
  close(): Promise<void>
}

const CONNECT_MS = 30_000
const SESSION_MS = 10_000

export function openPutClient(address: Address): Promise<PutClient> {
  switch (address.kind) {
    case 'coterie':
      return coterieClient(address.config)
    case 'etcd':
      return etcdClient(address.ports)
    case 'zookeeper':
      return zookeeperClient(address.ports)
    case 'redlock':
      throw new Error('redlock stores nothing')
  }
}

async function coterieClient(config: string): Promise<PutClient> {
  const group = await connect({ config, timeout: CONNECT_MS, blockedMax: 0 })
  const tree = group.tree()
  return {
    async prepare(key) {
      await tree.create(`/${key}`, new Uint8Array()).catch(() => {})
    },
    async put(key, value) {
      await tree.set(`/${key}`, value)
    },
    watch(key, heard) {
      return new Promise((resolve, reject) => {
        const follow = async () => {
          for await (const event of tree.watch(`/${key}`, { started: resolve })) {
            if (event.kind === 'changed') heard()
          }
        }
        follow().catch(reject)
      })
    },
    close: () => group.close(),
  }
}

async function etcdClient(ports: readonly number[]): Promise<PutClient> {
  const { Etcd3 } = await import('etcd3')
  const client = new Etcd3({ hosts: ports.map(port => `http://127.0.0.1:${port}`) })
  return {
    prepare: async () => {},
    async put(key, value) {
      await client.put(key).value(Buffer.from(value))
    },
    async watch(key, heard) {
      const watcher = await client.watch().key(key).create()
      watcher.on('put', entry => heard(entry.value))
    },
    close: async () => client.close(),
  }
}

async function zookeeperClient(ports: readonly number[]): Promise<PutClient> {
  const { default: library } = await import('node-zookeeper-client')
  const client = library.createClient(ports.map(port => `127.0.0.1:${port}`).join(','), { sessionTimeout: SESSION_MS })
  await new Promise<void>(resolve => {
    client.once('connected', resolve)
    client.connect()
  })
  const follow = (key: string, heard: (value: Uint8Array) => void, placed: (error: Error | null) => void) => {
    client.getData(
      `/${key}`,
      () => follow(key, heard, () => {}),
      (error, data) => {
        if (data !== null && data !== undefined) heard(data)
        placed(error)
      },
    )
  }
  return {
    prepare: key =>
      new Promise(resolve => {
        client.create(`/${key}`, Buffer.alloc(0), library.CreateMode.PERSISTENT, () => resolve())
      }),
    put: (key, value) =>
      new Promise((resolve, reject) => {
        client.setData(`/${key}`, Buffer.from(value), error => (error ? reject(error) : resolve()))
      }),
    watch: (key, heard) =>
      new Promise((resolve, reject) => {
        follow(key, heard, error => (error ? reject(error) : resolve()))
      }),
    close: async () => client.close(),
  }
}
