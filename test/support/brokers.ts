// Real brokers on loopback, and a proxy in front of one that drops, repeats, reorders and invents what the broker delivers.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing } from '../../lab/debian.ts'

/** What is missing for these tests, in a sentence; nothing where all is there. */
export const noNats = missing('nats-server', 'nats-server')
export const noMosquitto = missing('mosquitto', 'mosquitto')
/** The same for its tools. */
export const noMosquittoTools = missing('mosquitto_sub', 'mosquitto-clients')

export interface Broker extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise<unknown>(resolve => server.close(resolve))
  return port
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (child.exitCode !== null) throw new Error(`the broker ended with ${child.exitCode}`)
    const isUp = await new Promise<boolean>(resolve => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('error', () => resolve(false)).on('close', () => socket.destroy())
      socket.unref()
    })
    if (isUp) return
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error('the broker does not answer')
}

async function started(
  scheme: string,
  program: string,
  args: (port: number) => string[],
  { ended = () => {}, port: given }: { ended?: () => void; port?: number } = {},
): Promise<Broker> {
  const port = given ?? (await freePort())
  const child = spawn(program, args(port), { stdio: 'ignore' })
  await answers(port, child)
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      const gone = new Promise(resolve => child.once('exit', resolve))
      child.kill()
      await gone
      ended()
    },
  }
}

/** On a port that it had before, or a free one; with a file of settings, or none. */
export function natsServer(port?: number, config?: string): Promise<Broker> {
  const more = config === undefined ? [] : ['-c', config]
  const on = port === undefined ? {} : { port }
  return started('nats', 'nats-server', one => ['-a', '127.0.0.1', '-p', String(one), ...more], on)
}

/** On a port that it had before, or a free one; anybody may do anything, or what these lines of its file say. */
export function mosquitto(port?: number, more = ['max_queued_messages 0', 'allow_anonymous true']): Promise<Broker> {
  const folder = mkdtempSync(join(tmpdir(), 'coterie-mosquitto-'))
  const file = join(folder, 'mosquitto.conf')
  const args = (port: number) => {
    const lines = [`listener ${port} 127.0.0.1`, 'persistence false', ...more]
    writeFileSync(file, `${lines.join('\n')}\n`)
    return ['-c', file]
  }
  const on = port === undefined ? {} : { port }
  return started('mqtt', 'mosquitto', args, { ...on, ended: () => rmSync(folder, { recursive: true, force: true }) })
}

/** One unit of a broker's stream: what it delivers, or anything else. */
interface Unit {
  readonly raw: Buffer
  /** Where the payload begins, if it is a delivery. */
  readonly payload: number | undefined
  /** Bytes behind the payload. */
  readonly after: number
}

/** Takes the first whole unit from the bytes; nothing where more must come. */
type Cut = (bytes: Buffer) => Unit | undefined

const cutNats: Cut = bytes => {
  const end = bytes.indexOf('\r\n')
  if (end < 0) return undefined
  const line = bytes.subarray(0, end).toString('latin1')
  if (!line.startsWith('MSG ')) return { raw: bytes.subarray(0, end + 2), payload: undefined, after: 0 }
  const whole = end + 2 + Number(line.split(' ').at(-1)) + 2
  return bytes.length < whole ? undefined : { raw: bytes.subarray(0, whole), payload: end + 2, after: 2 }
}

const cutMqtt: Cut = bytes => {
  let [length, at, scale] = [0, 1, 1]
  for (; ; scale *= 128) {
    const byte = bytes[at++]
    if (byte === undefined) return undefined
    length += (byte & 127) * scale
    if (byte < 128) break
  }
  if (bytes.length < at + length) return undefined
  const isDelivery = bytes[0]! >> 4 === 3
  const topicEnd = at + 2 + (isDelivery ? bytes.readUInt16BE(at) : 0)
  // Properties of version 5: their length is one byte here.
  return {
    raw: bytes.subarray(0, at + length),
    payload: isDelivery ? topicEnd + 1 + bytes[topicEnd]! : undefined,
    after: 0,
  }
}

/** What the proxy does to the n-th delivery. */
export type Mischief = (n: number) => 'pass' | 'drop' | 'repeat' | 'invent' | 'late'

/** Some of everything. */
export const someOfAll: Mischief = n => {
  if (n % 10 === 3) return 'drop'
  if (n % 10 === 5) return 'repeat'
  if (n % 10 === 7) return 'invent'
  return n % 10 === 9 ? 'late' : 'pass'
}

export interface LyingProxy extends AsyncDisposable {
  readonly url: string
  /** How often each was done. */
  readonly done: Record<string, number>
  /** Everything that passed, both ways. */
  readonly seen: Buffer[]
}

/** A proxy in front of a broker that lies. */
export async function lyingProxy(broker: Broker, mischief: Mischief): Promise<LyingProxy> {
  const isNats = broker.url.startsWith('nats:')
  const seen: Buffer[] = []
  const done: Record<string, number> = {}
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(broker.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.setNoDelay(true)
    }
    client.on('data', chunk => {
      seen.push(chunk)
      upstream.write(chunk)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    deliver(upstream, client, { cut: isNats ? cutNats : cutMqtt, mischief, seen, done })
  })
  const port = await freePort()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `${isNats ? 'nats' : 'mqtt'}://127.0.0.1:${port}`,
    done,
    seen,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface Lying {
  readonly cut: Cut
  readonly mischief: Mischief
  readonly seen: Buffer[]
  readonly done: Record<string, number>
}

function deliver(from: Socket, to: Socket, { cut, mischief, seen, done }: Lying): void {
  let rest = Buffer.alloc(0)
  let count = 0
  let held: Buffer | undefined
  from.on('data', chunk => {
    seen.push(chunk)
    rest = Buffer.concat([rest, chunk])
    for (let unit = cut(rest); unit !== undefined; unit = cut(rest)) {
      const raw = Buffer.from(unit.raw)
      rest = rest.subarray(raw.length)
      const act = unit.payload === undefined ? 'pass' : mischief(++count)
      if (unit.payload !== undefined) done[act] = (done[act] ?? 0) + 1
      if (act === 'late' && held === undefined) {
        held = raw
        continue
      }
      if (act === 'drop') continue
      to.write(raw)
      if (act === 'repeat') to.write(raw)
      if (act === 'invent') to.write(turned(raw, unit))
      if (held !== undefined) to.write(held)
      held = undefined
    }
  })
}

/** The same with a bit of its payload turned. */
function turned(raw: Buffer, { payload, after }: Unit): Buffer {
  const out = Buffer.from(raw)
  const at = Math.floor((payload! + raw.length - after) / 2)
  out[at]! ^= 4
  return out
}
