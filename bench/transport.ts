// Request and response over mutual TLS: our transport beside bare node:tls with the same certificates, in the same run.
//
// Bare means: fixed-size messages without framing, one socket.write for each request, and a server that writes back
// whatever piece arrives: the least that a program on node:tls can do. Both run inside one process over loopback, the
// rounds are interleaved and the order inside a round changes, so that a noisy machine troubles both alike.
// A second bare variant writes each answer by itself, as a server that must look at each message would.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import * as tls from 'node:tls'
import { type Credentials, createAuthority, issueCertificate } from '../src/runtime/certificates/authority.ts'
import { createMemoryNetwork, createTlsTransport } from '../src/runtime/transport/index.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

const MESSAGE_BYTES = 128
const IN_FLIGHT = 64
const HOST = '127.0.0.1'

const ROUNDS = 9
const LATENCY_REQUESTS = 1_500
const THROUGHPUT_REQUESTS = 30_000

interface Contender {
  /** Sends one request; `answered` is called for each answer. */
  request(): void
  answered: () => void
  close(): Promise<void>
}

interface Figures {
  readonly p50Us: number
  readonly perSecond: number
}

export interface TransportBenchResult {
  readonly messageBytes: number
  readonly inFlight: number
  readonly rounds: number
  readonly coterie: Figures
  readonly bare: Figures
  readonly bareEach: Figures
  /** The in-process transport, for comparison. */
  readonly memory: Figures
  /** Our time divided by the time of bare node:tls; 1.5 is the target. */
  readonly latencyRatio: number
  readonly throughputRatio: number
}

async function certificates() {
  const authority = await createAuthority('bench')
  const server = await issueCertificate(authority, { group: 'bench', role: 'server', name: 'a' })
  const client = await issueCertificate(authority, { group: 'bench', role: 'client', name: 'c' })
  return { authority: authority.certificate, server, client }
}

type Certificates = Awaited<ReturnType<typeof certificates>>

async function ours({ authority, server, client }: Certificates): Promise<Contender> {
  const log = () => {}
  const listen = { host: HOST, port: 0 }
  const a = await createTlsTransport(
    { credentials: server, authority, log, listen },
    { frame: (from, frame) => a.send(from, frame), up() {}, down() {} },
  )
  const message = new Uint8Array(MESSAGE_BYTES)
  const addresses = new Map([['a', a.address!]])
  let c: Awaited<ReturnType<typeof createTlsTransport>> | undefined
  await new Promise<void>(resolve => {
    const events = { frame: () => contender.answered(), up: () => resolve(), down() {} }
    void createTlsTransport({ credentials: client, authority, log, addresses }, events).then(made => {
      c = made
    })
  })
  const contender: Contender = {
    request: () => c!.send('a', message),
    answered() {},
    async close() {
      await c!.close()
      await a.close()
    },
  }
  return contender
}

async function inProcess(): Promise<Contender> {
  const network = createMemoryNetwork()
  const a = network.join('a', { frame: (from, frame) => a.send(from, frame), up() {}, down() {} })
  const c = network.join('c#00000000', { frame: () => contender.answered(), up() {}, down() {} })
  const message = new Uint8Array(MESSAGE_BYTES)
  const contender: Contender = {
    request: () => c.send('a', message),
    answered() {},
    async close() {
      await c.close()
      await a.close()
    },
  }
  return contender
}

async function bare({ authority, server, client }: Certificates, each: boolean): Promise<Contender> {
  const context = ({ certificate, key }: Credentials) =>
    ({ cert: certificate, key, ca: authority, minVersion: 'TLSv1.3', rejectUnauthorized: true }) as const
  const listener = tls.createServer({ ...context(server), requestCert: true }, socket => {
    socket.setNoDelay(true)
    let bytes = 0
    const answer = Buffer.alloc(MESSAGE_BYTES)
    socket.on('data', piece => {
      if (!each) return void socket.write(piece)
      for (bytes += piece.length; bytes >= MESSAGE_BYTES; bytes -= MESSAGE_BYTES) socket.write(answer)
    })
  })
  listener.listen(0, HOST)
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const socket = tls.connect({ ...context(client), host: HOST, port, checkServerIdentity: () => undefined })
  socket.setNoDelay(true)
  await once(socket, 'secureConnect')
  const message = Buffer.alloc(MESSAGE_BYTES)
  let bytes = 0
  socket.on('data', piece => {
    for (bytes += piece.length; bytes >= MESSAGE_BYTES; bytes -= MESSAGE_BYTES) contender.answered()
  })
  const contender: Contender = {
    request: () => void socket.write(message),
    answered() {},
    async close() {
      socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
  return contender
}

function latency(contender: Contender, requests: number): Promise<number> {
  const times: number[] = []
  let start = performance.now()
  return new Promise(resolve => {
    contender.answered = () => {
      times.push(performance.now() - start)
      if (times.length === requests) return resolve(median(times) * 1000)
      start = performance.now()
      contender.request()
    }
    contender.request()
  })
}

function throughput(contender: Contender, requests: number): Promise<number> {
  const start = performance.now()
  let sent = 0
  let answers = 0
  return new Promise(resolve => {
    contender.answered = () => {
      answers++
      if (answers === requests) return resolve((requests * 1000) / (performance.now() - start))
      if (sent < requests) {
        sent++
        contender.request()
      }
    }
    while (sent < IN_FLIGHT) {
      sent++
      contender.request()
    }
  })
}

export async function run(print: Print = console.log): Promise<TransportBenchResult> {
  const issued = await certificates()
  const contenders = [await ours(issued), await bare(issued, false), await bare(issued, true), await inProcess()]
  const p50s: number[][] = contenders.map(() => [])
  const rates: number[][] = contenders.map(() => [])
  // Round 0 warms up the compiler and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const which = (turn + round) % contenders.length
      const p50 = await latency(contenders[which]!, LATENCY_REQUESTS)
      const rate = await throughput(contenders[which]!, THROUGHPUT_REQUESTS)
      if (round === 0) continue
      p50s[which]!.push(p50)
      rates[which]!.push(rate)
    }
  }
  await Promise.all(contenders.map(contender => contender.close()))
  const [coterie, bareEcho, bareEach, memory] = contenders.map((_, i) => ({
    p50Us: median(p50s[i]!),
    perSecond: median(rates[i]!),
  }))
  const result = {
    messageBytes: MESSAGE_BYTES,
    inFlight: IN_FLIGHT,
    rounds: ROUNDS,
    coterie: coterie!,
    bare: bareEcho!,
    bareEach: bareEach!,
    memory: memory!,
    latencyRatio: coterie!.p50Us / bareEcho!.p50Us,
    throughputRatio: bareEcho!.perSecond / coterie!.perSecond,
  }
  report(print, result)
  return result
}

function report(print: Print, result: TransportBenchResult): void {
  const line = (what: string, { p50Us, perSecond }: Figures) => [what, show(p50Us), show(perSecond)]
  const title = `request and response of ${result.messageBytes} bytes`
  printTable(
    print,
    [title, 'p50 µs', `per second, ${result.inFlight} in flight`],
    [
      line('coterie over mutual TLS', result.coterie),
      line('bare node:tls', result.bare),
      line('bare node:tls, one write an answer', result.bareEach),
      line('coterie inside one process', result.memory),
    ],
  )
  print(
    `ours / bare: latency ${show(result.latencyRatio)}, time under load ${show(result.throughputRatio)} (target 1.5)`,
  )
}
