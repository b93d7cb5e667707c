// A server's numbers, for Prometheus and for people, on a port of the loopback interface only: no secret is here,
// but who asks whom how often is nobody else's business.
//
//   GET /metrics    counters and gauges
//   GET /health     200 when this server grants locks, 503 while it recovers after a restart

import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export interface Measures {
  /** Names with their present values; counters and gauges alike, since the sources count by themselves. */
  values(): Readonly<Record<string, { readonly help: string; readonly value: number }>>
  /** Milliseconds for which this server still grants nothing. */
  recovering(): number
}

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

export async function serveMetrics(port: number, node: string, measures: Measures): Promise<MetricsServer> {
  const registry = new Registry()
  registry.setDefaultLabels({ node })
  collectDefaultMetrics({ register: registry, prefix: 'coterie_' })
  for (const [name, { help }] of Object.entries(measures.values())) {
    new Gauge({
      name: `coterie_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(measures.values()[name]!.value)
      },
    })
  }
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      registry.metrics().then(
        text => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        error => response.writeHead(500).end(String(error)),
      )
      return
    }
    const recovering = measures.recovering()
    if (request.url === '/health') {
      const body = { node, ready: recovering === 0, recoveringMs: recovering }
      response.writeHead(recovering === 0 ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    }
    response.writeHead(404).end('there are /metrics and /health\n')
  })
  await listen(server, port)
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
}
