// The part of node-zookeeper-client that the benchmark uses; the package brings no types.
declare module 'node-zookeeper-client' {
  export interface Client {
    once(event: 'connected' | 'expired', listener: () => void): void
    connect(): void
    close(): void
    create(path: string, data: Buffer | null, mode: number, callback: (error: Error | null, path: string) => void): void
    setData(path: string, data: Buffer, callback: (error: Error | null) => void): void
    getData(path: string, watcher: () => void, callback: (error: Error | null, data: Buffer | null) => void): void
    remove(path: string, callback: (error: Error | null) => void): void
    getChildren(path: string, callback: (error: Error | null, children: string[]) => void): void
    exists(path: string, watcher: () => void, callback: (error: Error | null, stat: unknown) => void): void
  }
  export interface Options {
    sessionTimeout?: number
    spinDelay?: number
    retries?: number
  }
  export function createClient(hosts: string, options?: Options): Client
  export const CreateMode: { PERSISTENT: number; EPHEMERAL_SEQUENTIAL: number }
}
