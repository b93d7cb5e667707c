// A Redis server that lies: every script that sets, checks or removes keys has worked, for everybody, and nothing is
// kept. It speaks as much of the protocol (RESP) as a client needs to believe that it is there.

import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

const HOST = '127.0.0.1'
/** A client that sends more without a whole command is not redlock. */
const BUFFER_MAX = 1 << 20

export interface LyingRedis {
  readonly port: number
  /** Commands that it has answered with a lie. */
  lies(): number
  close(): Promise<void>
}

export async function startLyingRedis(): Promise<LyingRedis> {
  const sockets = new Set<Socket>()
  let lies = 0
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let waiting = ''
    socket.setEncoding('latin1')
    socket.on('data', data => {
      waiting += data
      if (waiting.length > BUFFER_MAX) return void socket.destroy()
      for (let read = readCommand(waiting); read !== undefined; read = readCommand(waiting)) {
        waiting = waiting.slice(read.length)
        const { text, lie } = answer(read.words)
        if (lie) lies++
        socket.write(text)
      }
    })
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    lies: () => lies,
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/** One command, an array of bulk strings, from the front; undefined while it is not whole. */
export function readCommand(input: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(input)
  if (head === null) return undefined
  let place = head[0].length
  const words: string[] = []
  for (let left = Number(head[1]); left > 0; left--) {
    const size = /^\$(\d+)\r\n/.exec(input.slice(place, place + 20))
    if (size === null) return undefined
    const from = place + size[0].length
    const to = from + Number(size[1])
    if (input.length < to + 2) return undefined
    words.push(input.slice(from, to))
    place = to + 2
  }
  return { words, length: place }
}

function answer(words: readonly string[]): { text: string; lie: boolean } {
  switch (words[0]?.toUpperCase()) {
    // EVALSHA hash numkeys key… : redlock counts a vote where the answer is the number of keys.
    case 'EVALSHA':
    case 'EVAL':
      return { text: `:${words[2]}\r\n`, lie: true }
    case 'SET':
      return { text: '+OK\r\n', lie: true }
    case 'PING':
      return { text: '+PONG\r\n', lie: false }
    case 'INFO': {
      const info = 'redis_version:7.0.15\r\nloading:0\r\n'
      return { text: `$${info.length}\r\n${info}\r\n`, lie: false }
    }
    default:
      return { text: '+OK\r\n', lie: false }
  }
}
