// The roads between processes of one machine: everybody is dialled through here, and who dials is known by its local
// address. So roads between two sides can be closed while both sides live: a partition. Bytes are never lost or changed;
// what does not pass stays in the kernel's buffers, and the other side cannot tell it from a slow machine.

import { createServer, connect as dial, type Server, type Socket } from 'node:net'

interface Road {
  readonly from: string
  readonly to: string
  readonly sockets: readonly [dialler: Socket, listener: Socket]
}

/** Somebody who is dialled at `port` on 127.0.0.1, listens there on `listens`, and dials from `dials`. */
export interface Place {
  readonly name: string
  readonly port: number
  readonly listens: string
  readonly dials: string
}

export class Crossroads {
  private readonly servers: Server[] = []
  private readonly roads = new Set<Road>()
  private readonly names: ReadonlyMap<string, string>
  private closed: (from: string, to: string) => boolean = () => false

  private constructor(names: ReadonlyMap<string, string>) {
    this.names = names
  }

  static async open(places: readonly Place[]): Promise<Crossroads> {
    const roads = new Crossroads(new Map(places.map(({ dials, name }) => [dials, name])))
    for (const place of places) await roads.listen(place)
    return roads
  }

  /** From now on nothing passes between members of different sides; who is on no side meets nobody. */
  part(...sides: readonly (readonly string[])[]): void {
    const sideOf = (name: string) => sides.findIndex(side => side.includes(name))
    this.closed = (from, to) => sideOf(from) < 0 || sideOf(from) !== sideOf(to)
    for (const road of this.roads) this.settle(road)
  }

  heal(): void {
    this.closed = () => false
    for (const road of this.roads) this.settle(road)
  }

  async close(): Promise<void> {
    for (const { sockets } of this.roads) for (const socket of sockets) socket.destroy()
    await Promise.all(this.servers.map(server => new Promise(resolve => server.close(resolve))))
  }

  private async listen(place: Place): Promise<void> {
    const server = createServer({ allowHalfOpen: true }, dialler => this.connected(place, dialler))
    this.servers.push(server)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(place.port, '127.0.0.1', resolve)
    })
  }

  private connected({ name: to, port, listens }: Place, dialler: Socket): void {
    const listener = dial(port, listens)
    const road: Road = { from: this.names.get(dialler.remoteAddress!) ?? '', to, sockets: [dialler, listener] }
    this.roads.add(road)
    for (const socket of road.sockets) {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.roads.delete(road)
        for (const other of road.sockets) other.destroy()
      })
    }
    dialler.on('data', bytes => pass(dialler, listener, bytes))
    listener.on('data', bytes => pass(listener, dialler, bytes))
    listener.on('drain', () => this.settle(road))
    dialler.on('drain', () => this.settle(road))
    this.settle(road)
  }

  private settle({ from, to, sockets }: Road): void {
    for (const socket of sockets) {
      if (this.closed(from, to)) socket.pause()
      else socket.resume()
    }
  }
}

function pass(from: Socket, to: Socket, bytes: Buffer): void {
  if (!to.destroyed && !to.write(bytes)) from.pause()
}
