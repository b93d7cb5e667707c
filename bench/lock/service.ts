// What the lock benchmark asks of a lock service: a cluster on loopback, and clients that wait for a lock.

export interface Holding {
  release(): Promise<void>
}

export interface LockClient {
  /** Waits until it holds the lock. */
  lock(name: string): Promise<Holding>
  close(): Promise<void>
}

/** All that another process needs to become a client. */
export type Address =
  | { readonly kind: 'coterie'; readonly config: string }
  | { readonly kind: 'etcd'; readonly ports: readonly number[] }
  | { readonly kind: 'zookeeper'; readonly ports: readonly number[] }
  | { readonly kind: 'redlock'; readonly ports: readonly number[] }

export interface Cluster {
  readonly address: Address
  /** Of the servers. */
  pids(): readonly number[]
  /** SIGKILL to one server: to the leader, where there is one. */
  killOne(): Promise<void>
  stop(): Promise<void>
}

export interface LockService {
  readonly name: string
  readonly ours: boolean
  /** One server may be killed and the service still promises to work. */
  readonly mayLoseOne: boolean
  /** Why it cannot run here, or undefined. */
  missing(): string | undefined
  start(options?: StartOptions): Promise<Cluster>
}

export interface StartOptions {
  /** A folder for CPU profiles of our servers, written when they stop. */
  readonly profiles?: string
}
