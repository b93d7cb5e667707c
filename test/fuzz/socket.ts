// Mutated frames against a listening node, over real sockets, from a member whose certificate is good: it gets further
// than any stranger. The seed decides every byte. Run with the number of frames and a seed; a test runs a few thousand.
//
//   npx esbuild test/fuzz/socket.ts --bundle --platform=node --format=esm --packages=external --outfile=dist/fuzz.mjs
//   node dist/fuzz.mjs 1000000 1
//
// Checked: the node does not fall over, an honest client that was connected before stays connected and is served, every
// frame that comes through bears the attacker's own name, memory stays bounded, and refusals are logged.

import { pathToFileURL } from 'node:url'
import { type Random, seededRandom } from '../../src/core/index.ts'
import { dialTls, framed, header, hello, welcome } from '../support/attacker.ts'
import { type TlsBed, tlsBed, until } from '../support/transport.ts'

/** Frames of one connection, unless it is ended before: a handshake costs as much as hundreds of frames. */
const FRAMES_PER_CONNECTION = 400
const AT_ONCE = 4

export interface FuzzReport {
  readonly seed: number
  readonly frames: number
  readonly connections: number
  readonly endedByNode: number
  readonly delivered: number
  readonly refusalsByReason: Readonly<Record<string, number>>
  readonly residentMb: number
}

export async function fuzzSocket(frames: number, seed: number): Promise<FuzzReport> {
  const bed = await tlsBed()
  try {
    return await attack(bed, frames, seed)
  } finally {
    await bed.end()
  }
}

async function attack(bed: TlsBed, frames: number, seed: number): Promise<FuzzReport> {
  const random = seededRandom(seed)
  let delivered = 0
  let honestFrames = 0
  let honestLost = false
  const server = await bed.start(
    'a',
    {
      frame(from) {
        if (from.startsWith('mallory#')) delivered++
        else if (from === honest.self) honestFrames++
        else throw new Error(`a frame under a false name: ${from}`)
      },
      up() {},
      down(peer) {
        honestLost ||= peer === honest.self
      },
    },
    { handshakeMs: 2_000, frameMs: 1_000, sweepMs: 100 },
  )
  const honest = await bed.start('Honest', { frame() {}, up() {}, down() {} })
  await until('the honest client is connected', () => honest.connected().length === 1)
  const totals = { frames: 0, connections: 0, endedByNode: 0 }
  while (totals.frames < frames) {
    const batch = Array.from({ length: AT_ONCE }, () =>
      oneConnection(bed, server.address!, random.fork(totals.connections++)),
    )
    for (const { sent, endedByNode } of await Promise.all(batch)) {
      totals.frames += sent
      totals.endedByNode += endedByNode ? 1 : 0
    }
    honest.send('a', new Uint8Array(1))
  }
  const before = honestFrames
  honest.send('a', new Uint8Array(1))
  await until('the honest client is served', () => honestFrames > before)
  if (honestLost) throw new Error('the honest client lost its connection')
  return {
    seed,
    ...totals,
    delivered,
    refusalsByReason: tally(bed.log.refusals),
    residentMb: process.memoryUsage.rss() >> 20,
  }
}

async function oneConnection(bed: TlsBed, target: { host: string; port: number }, random: Random) {
  const { socket, ended } = dialTls(target, await bed.credentials('Mallory'))
  const good = hello({ instance: Buffer.from(random.bytes(8)).toString('hex') })
  let endedByNode = false
  void ended.then(() => {
    endedByNode = true
  })
  socket.write(random.chance(0.2) ? mutate(good, random) : good)
  let sent = 1
  while (sent < FRAMES_PER_CONNECTION && !endedByNode) {
    const many = Array.from({ length: 20 }, () => mutate(someFrame(random), random))
    sent += many.length
    await new Promise<void>(resolve => socket.write(Buffer.concat(many), () => resolve()))
    await new Promise(resolve => setImmediate(resolve))
  }
  const result = { sent, endedByNode }
  socket.destroy()
  await ended
  return result
}

function someFrame(random: Random): Buffer {
  switch (random.below(8)) {
    case 0:
      return Buffer.from(welcome)
    case 1:
      return hello()
    case 2:
      return framed(random.bytes(random.below(5_000)))
    default:
      return framed(random.bytes(random.below(100)))
  }
}

/** Most leave the length alone: a broken length ends the connection, and the frames behind it would not be read. */
function mutate(frame: Buffer, random: Random): Buffer {
  const body = frame.length - 4
  switch (random.below(400)) {
    case 0:
      return Buffer.concat([header(random.below(0xffff_ffff)), frame.subarray(4)])
    case 1:
      return frame.subarray(0, random.below(frame.length))
    case 2:
      return Buffer.concat([frame, Buffer.from(random.bytes(1 + random.below(9)))])
    default:
      if (body > 0) frame[4 + random.below(body)]! ^= 1 << random.below(8)
      return frame
  }
}

function tally(reasons: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const reason of reasons) {
    const kind = reason.replaceAll(/\d+/g, 'N').replaceAll(/'[^']*'/g, "'…'")
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [count = '10000', seed = '1'] = process.argv.slice(2)
  console.log(JSON.stringify(await fuzzSocket(Number(count), Number(seed)), null, 2))
}
