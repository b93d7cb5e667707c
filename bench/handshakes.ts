// How long a newcomer takes to be let in by a server, while a stranger holds 1,400 handshakes that it does not go on with.
//
// The stranger has no certificate: it opens connections and says nothing, from the newcomer's own address or from another,
// and dials again when one is ended. Server, stranger and newcomer run inside one process over loopback, and the kinds of
// siege take turns in every round, so that a noisy machine troubles all of them alike.

import { connect, type Socket } from 'node:net'
import { createAuthority, issueCertificate } from '../src/runtime/certificates/authority.ts'
import { createTlsTransport } from '../src/runtime/transport/index.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

const GROUP = 'bench'
const HOST = '127.0.0.1'
const OTHER_HOST = '127.0.0.9'
const HALF_HANDSHAKES = 1_400
const ROUNDS = 9
/** What is ended is dialled again after this. */
const AGAIN_MS = 10_000
/** All of them are under way, or were turned away, before the newcomer comes. */
const SETTLE_MS = 1_000

interface Siege {
  readonly what: string
  /** Where the stranger is; undefined: there is none. */
  readonly from: string | undefined
  /** Of a handshake that goes on with nothing. */
  readonly makesRoomMs?: number
}

const SIEGES: readonly Siege[] = [
  { what: 'nobody else', from: undefined },
  { what: '1,400 from another address', from: OTHER_HOST },
  { what: '1,400 from the same address', from: HOST },
  { what: 'the same, where none makes room', from: HOST, makesRoomMs: Number.POSITIVE_INFINITY },
]

export interface HandshakesResult {
  readonly what: string
  readonly medianMs: number
  readonly longestMs: number
}

export async function run(print: Print): Promise<HandshakesResult[]> {
  const taken = new Map(SIEGES.map(({ what }) => [what, [] as number[]]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const siege of SIEGES) taken.get(siege.what)!.push(await newcomer(siege))
  }
  const results = SIEGES.map(({ what }) => {
    const times = taken.get(what)!
    return { what, medianMs: median(times), longestMs: Math.max(...times) }
  })
  const rows = results.map(({ what, medianMs, longestMs }) => [what, show(medianMs), show(longestMs)])
  printTable(print, ['half handshakes', 'let in after ms, median', 'longest'], rows)
  return results
}

/** Milliseconds from the first dial until the server has let it in. */
async function newcomer({ from, makesRoomMs: handshakeRoomMs }: Siege): Promise<number> {
  const authority = await createAuthority(GROUP)
  const server = await issueCertificate(authority, { group: GROUP, role: 'server', name: 'a' })
  const client = await issueCertificate(authority, { group: GROUP, role: 'client', name: 'c' })
  const log = () => {}
  const events = { frame() {}, up() {}, down() {} }
  const listen = { host: HOST, port: 0 }
  const { certificate } = authority
  const limits = handshakeRoomMs === undefined ? {} : { handshakeRoomMs }
  const a = await createTlsTransport({ credentials: server, authority: certificate, log, listen, limits }, events)
  const stranger = from === undefined ? undefined : new Stranger(from, a.address!.port)
  if (stranger !== undefined) await new Promise(resolve => setTimeout(resolve, SETTLE_MS))
  const began = performance.now()
  let close = async () => {}
  await new Promise<void>((resolve, reject) => {
    const addresses = new Map([['a', a.address!]])
    createTlsTransport(
      { credentials: client, authority: certificate, log, addresses },
      { ...events, up: () => resolve() },
    ).then(made => {
      close = () => made.close()
    }, reject)
  })
  const took = performance.now() - began
  stranger?.close()
  await close()
  await a.close()
  return took
}

/** Opens connections and says nothing. */
class Stranger {
  private readonly sockets = new Set<Socket>()
  private readonly timers = new Set<NodeJS.Timeout>()
  private closed = false
  private readonly from: string
  private readonly port: number

  constructor(from: string, port: number) {
    this.from = from
    this.port = port
    for (let place = 0; place < HALF_HANDSHAKES; place++) this.dial()
  }

  private dial(): void {
    const socket = connect({ host: HOST, port: this.port, localAddress: this.from })
    this.sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.sockets.delete(socket)
      if (this.closed) return
      const timer = setTimeout(() => {
        this.timers.delete(timer)
        this.dial()
      }, AGAIN_MS)
      this.timers.add(timer)
    })
  }

  close(): void {
    this.closed = true
    for (const timer of this.timers) clearTimeout(timer)
    for (const socket of this.sockets) socket.destroy()
  }
}
