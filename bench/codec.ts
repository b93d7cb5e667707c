// The codec on the lock's messages, beside msgpackr and cborg where they can be imported. Ours checks every limit
// while it reads and has one form for each message; the others are given their quickest and their canonical settings.

import { decode, Writer } from '../src/core/index.ts'
import { type LockMessage, lockVocabulary } from '../src/lock/index.ts'
import { median, type Print, printTable, show } from './support/figures.ts'

interface CodecRow {
  readonly codec: string
  readonly encodeNs: number
  readonly decodeNs: number
  /** Of all messages together. */
  readonly bytes: number
}

interface Contender {
  readonly name: string
  encode(message: LockMessage): Uint8Array
  decode(bytes: Uint8Array): unknown
}

const ROUNDS = 7
const REPEATS = 40_000

const TOKEN = 1_760_000_000_123_456
const messages: readonly LockMessage[] = [
  { kind: 'try', name: 'invoices', attempt: 12, token: TOKEN, ttl: 10_000 },
  { kind: 'granted', name: 'invoices', attempt: 12, token: TOKEN, held: 10_000 },
  { kind: 'release', name: 'invoices', token: TOKEN, unused: false },
]

export async function run(print: Print = console.log): Promise<CodecRow[]> {
  const contenders = [ours()]
  for (const [name, load] of [
    ['msgpackr', msgpackr],
    ['cborg', cborg],
  ] as const) {
    try {
      contenders.push(await load())
    } catch (error) {
      print(`${name} is left out: ${(error as Error).message.split('\n')[0]}`)
    }
  }
  const rows = contenders.map(() => ({ encodeNs: [] as number[], decodeNs: [] as number[] }))
  // Round 0 warms up the compiler and is not counted.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [place, contender] of contenders.entries()) {
      const { encodeNs, decodeNs } = measure(contender)
      if (round === 0) continue
      rows[place]!.encodeNs.push(encodeNs)
      rows[place]!.decodeNs.push(decodeNs)
    }
  }
  const result = contenders.map((contender, place) => ({
    codec: contender.name,
    encodeNs: median(rows[place]!.encodeNs),
    decodeNs: median(rows[place]!.decodeNs),
    bytes: messages.reduce((sum, message) => sum + contender.encode(message).length, 0),
  }))
  printTable(
    print,
    ['try, granted, release', 'encode ns', 'decode ns', 'bytes of all three'],
    result.map(row => [row.codec, show(row.encodeNs), show(row.decodeNs), String(row.bytes)]),
  )
  return result
}

function ours(): Contender {
  const writer = new Writer()
  return {
    name: 'coterie',
    // As the driver does it: into one writer, and handed on before the next.
    encode(message) {
      writer.reset()
      lockVocabulary.write(writer, message)
      return writer.bytes.subarray(0, writer.length)
    },
    decode(bytes) {
      const decoded = decode(lockVocabulary, bytes)
      if (!decoded.ok) throw new Error(decoded.refusal)
      return decoded.value
    },
  }
}

// Not dependencies of ours: named in variables, so that neither compiler nor bundler looks for them.
async function msgpackr(): Promise<Contender> {
  const name = 'msgpackr'
  const { Packr } = await import(name)
  const packr = new Packr({ useRecords: false })
  return {
    name: 'msgpackr',
    encode: message => packr.pack(message),
    decode: bytes => packr.unpack(bytes),
  }
}

async function cborg(): Promise<Contender> {
  const name = 'cborg'
  const library = await import(name)
  return {
    name: 'cborg, strict',
    encode: message => library.encode(message),
    decode: bytes => library.decode(bytes, { strict: true }),
  }
}

function measure(contender: Contender): { encodeNs: number; decodeNs: number } {
  const encoded = messages.map(message => contender.encode(message).slice())
  let used = 0
  const began = performance.now()
  for (let i = 0; i < REPEATS; i++) for (const message of messages) used += contender.encode(message).length
  const between = performance.now()
  for (let i = 0; i < REPEATS; i++) for (const bytes of encoded) used += contender.decode(bytes) === undefined ? 0 : 1
  const ended = performance.now()
  // What is computed must be used, or the compiler need not compute it.
  if (used === 0) throw new Error('nothing was encoded')
  const each = 1e6 / (REPEATS * messages.length)
  return { encodeNs: (between - began) * each, decodeNs: (ended - between) * each }
}
