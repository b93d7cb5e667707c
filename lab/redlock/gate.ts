// A door between a client and a server that can be shut: what then arrives on either side goes nowhere, as in a
// partition. Nobody is told: a closed connection would be news.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

const HOST = '127.0.0.1'

export interface Gate {
  readonly port: number
  shut(): void
  close(): Promise<void>
}

export async function openGate(target: number): Promise<Gate> {
  const sockets = new Set<Socket>()
  let isShut = false
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
  }
  const server = createServer(near => {
    keep(near)
    if (isShut) return void near.pause()
    const far = connect(target, HOST)
    keep(far)
    near.setNoDelay(true)
    far.setNoDelay(true)
    join(near, far, () => isShut)
    join(far, near, () => isShut)
  })
  server.listen(0, HOST)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    shut() {
      isShut = true
    },
    async close() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function join(from: Socket, to: Socket, isShut: () => boolean): void {
  from.on('data', data => {
    if (!isShut()) to.write(data)
  })
  from.on('close', () => {
    if (!isShut()) to.destroy()
  })
}
