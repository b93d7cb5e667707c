// A server's numbers, for Prometheus and for people. On the loopback interface unless its operator says otherwise: no
// secret is here, but who asks whom how often is nobody else's business. From outside there are numbers only, no name.
//
//   GET /metrics    counters, gauges and histograms
//   GET /health     200 when this server grants locks, 503 while it recovers after a restart

import { createServer, type Server, type ServerResponse } from 'node:http'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { Book } from './book.ts'
import { serverMetrics } from './names.ts'
import type { ServerBook } from './server-metrics.ts'

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

export interface MetricsAddress {
  readonly host: string
  readonly port: number
  readonly node: string
}

/** Those who probe are few; one who opens more connections than this does something else. */
const CONNECTIONS_MAX = 64
/** How long one may take to say what it wants. */
const REQUEST_MS = 5_000

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** The server's registry, with what Node and the process say of themselves under their usual names. */
export function openMetrics(node: string, host: string): { readonly registry: Registry; readonly book: ServerBook } {
  const registry = new Registry()
  if (isLoopback(host)) registry.setDefaultLabels({ node })
  collectDefaultMetrics({ register: registry })
  return { registry, book: new Book(registry, serverMetrics) }
}

export async function serveMetrics(
  { host, port, node }: MetricsAddress,
  registry: Registry,
  recovering: () => number,
): Promise<MetricsServer> {
  const named = isLoopback(host) ? { node } : {}
  const server = createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405).end()
    if (request.url === '/metrics') return showMetrics(registry, response)
    if (request.url === '/health') return showHealth({ ...named, recoveringMs: recovering() }, response)
    response.writeHead(404).end('there are /metrics and /health\n')
  })
  server.maxConnections = CONNECTIONS_MAX
  server.requestTimeout = REQUEST_MS
  server.headersTimeout = REQUEST_MS
  await listen(server, host, port)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function showMetrics(registry: Registry, response: ServerResponse): void {
  registry.metrics().then(
    text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
    error => response.writeHead(500).end(String(error)),
  )
}

function showHealth(
  { recoveringMs, ...named }: { readonly node?: string; readonly recoveringMs: number },
  response: ServerResponse,
): void {
  const ready = recoveringMs === 0
  const body = JSON.stringify({ ...named, ready, recoveringMs })
  response.writeHead(ready ? 200 : 503, { 'content-type': 'application/json' }).end(body)
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
}
