// A client of whichever service the address belongs to.

import { coterieClient } from './coterie.ts'
import { etcdClient } from './etcd.ts'
import { redlockClient } from './redlock.ts'
import type { Address, LockClient } from './service.ts'
import { zookeeperClient } from './zookeeper.ts'

export function openClient(address: Address, leaseMs: number): Promise<LockClient> {
  switch (address.kind) {
    case 'coterie':
      return coterieClient(address.config, leaseMs)
    case 'etcd':
      return etcdClient(address.ports, leaseMs)
    case 'zookeeper':
      return zookeeperClient(address.ports, leaseMs)
    case 'redlock':
      return redlockClient(address.ports, leaseMs)
  }
}
