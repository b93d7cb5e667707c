// Finding ports that nobody uses, for a group that is made on this machine without being asked where.

import { createServer } from 'node:net'

/** Blocks tried before giving up: metrics ports are a hundred above the servers' own. */
const BLOCKS_MAX = 50
const BLOCK = 200

export async function freeBasePort(first: number, servers: number): Promise<number> {
  for (let block = 0; block < BLOCKS_MAX; block++) {
    const base = first + block * BLOCK
    const ports = Array.from({ length: servers }, (_, place) => [base + place, base + 100 + place]).flat()
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return base
  }
  return first
}

export function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
