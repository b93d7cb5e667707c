// Frames between nodes of one process: the embedded default, and the cheapest thing that keeps the contract.
//
// Why not simply call the receiver? Two nodes that answer each other would recurse until the stack ends, and a node
// would be entered again in the middle of its own step. So `send` copies the frame into the receiver's inbox, and one
// `soon` for the whole network empties all inboxes: timers and sockets get their turn between two rounds
// (a microtask would starve them for as long as two nodes keep talking).
//
// An inbox is two buffers that change places: one fills while the other is read. Nothing is allocated per frame but
// the view that the receiver gets, and a receiver that keeps the view sees it overwritten, here as with sockets.

import type { NodeId } from '../../core/index.ts'
import { SettingsError } from '../../core/index.ts'
import { soon } from '../platform.ts'
import { isClient } from './instance.ts'
import { FRAME_BYTES_MAX, noDrops, type Transport, type TransportEvents } from './transport.ts'

/** What one node may have waiting in a round: room for a few of the largest frames. */
const INBOX_BYTES_MAX = 3 * FRAME_BYTES_MAX
/** Empty frames take no bytes but an entry each: this bounds them. */
const INBOX_FRAMES_MAX = 1 << 16
/** A buffer that one burst blew up is given back, so that a node at rest is small. */
const INBOX_BYTES_KEPT = 1 << 16

export interface MemoryNetwork {
  /** The events of the new node begin with `up` for each peer that is already there. */
  join(self: NodeId, events: TransportEvents): Transport
}

const UP = -1
const DOWN = -2

class Inbox {
  bytes = new Uint8Array(1024)
  length = 0
  readonly from: NodeId[] = []
  /** Where each frame ends in `bytes`, or UP, or DOWN. Same length as `from`. */
  readonly ends: number[] = []

  push(from: NodeId, frame: Uint8Array): boolean {
    const end = this.length + frame.length
    if (end > INBOX_BYTES_MAX || this.from.length >= INBOX_FRAMES_MAX) return false
    if (end > this.bytes.length) this.grow(end)
    this.bytes.set(frame, this.length)
    this.length = end
    this.notice(from, end)
    return true
  }

  notice(from: NodeId, what: number): void {
    this.from.push(from)
    this.ends.push(what)
  }

  private grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  clear(): void {
    if (this.bytes.length > INBOX_BYTES_KEPT) this.bytes = new Uint8Array(INBOX_BYTES_KEPT)
    this.length = 0
    this.from.length = 0
    this.ends.length = 0
  }
}

interface Seat {
  readonly id: NodeId
  readonly events: TransportEvents
  filling: Inbox
  spare: Inbox
  closed: boolean
}

export function createMemoryNetwork(): MemoryNetwork {
  return new Network()
}

class Network implements MemoryNetwork {
  readonly seats = new Map<NodeId, Seat>()
  /** Seats whose inbox is not empty, each once. */
  private readonly waiting: Seat[] = []
  private roundPlanned = false

  join(self: NodeId, events: TransportEvents): Transport {
    if (this.seats.has(self)) throw new SettingsError(`'${self}' is already part of this network: choose another name`)
    const seat: Seat = { id: self, events, filling: new Inbox(), spare: new Inbox(), closed: false }
    for (const peer of this.seats.values()) {
      if (!canReach(self, peer.id)) continue
      this.notify(seat, peer.id, UP)
      this.notify(peer, self, UP)
    }
    this.seats.set(self, seat)
    return seatTransport(seat, this)
  }

  // What the leaver sent is in the inboxes of the others already; the round that delivers it was planned before
  // this promise's own immediate, so it is delivered when the promise resolves.
  leave(seat: Seat): Promise<void> {
    if (!seat.closed) {
      seat.closed = true
      this.seats.delete(seat.id)
      for (const peer of this.seats.values()) if (canReach(seat.id, peer.id)) this.notify(peer, seat.id, DOWN)
    }
    return new Promise(soon)
  }

  private notify(seat: Seat, peer: NodeId, what: number): void {
    this.wake(seat)
    seat.filling.notice(peer, what)
  }

  /** To be called before something is put into the seat's inbox. */
  wake(seat: Seat): void {
    if (seat.filling.from.length === 0) this.waiting.push(seat)
    this.planRound()
  }

  private planRound(): void {
    if (this.roundPlanned) return
    this.roundPlanned = true
    soon(this.round)
  }

  private readonly round = (): void => {
    this.roundPlanned = false
    const count = this.waiting.length
    let done = 0
    try {
      while (done < count) drain(this.waiting[done++]!)
    } finally {
      // Also after a receiver threw: the others keep their frames and get another round.
      this.waiting.splice(0, done)
      if (this.waiting.length > 0) this.planRound()
    }
  }
}

function drain(seat: Seat): void {
  const inbox = seat.filling
  seat.filling = seat.spare
  seat.spare = inbox
  let start = 0
  try {
    for (let i = 0; i < inbox.from.length && !seat.closed; i++) {
      const end = inbox.ends[i]!
      if (end === UP) seat.events.up(inbox.from[i]!)
      else if (end === DOWN) seat.events.down(inbox.from[i]!, 'closed')
      else {
        seat.events.frame(inbox.from[i]!, inbox.bytes.subarray(start, end))
        start = end
      }
    }
  } finally {
    inbox.clear()
  }
}

function seatTransport(seat: Seat, network: Network): Transport {
  const drops = noDrops()
  return {
    self: seat.id,
    send(to, frame) {
      const peer = network.seats.get(to)
      if (frame.length > FRAME_BYTES_MAX) drops['too large']++
      else if (peer === undefined || seat.closed || !canReach(seat.id, to)) drops.unreachable++
      else {
        network.wake(peer)
        if (!peer.filling.push(seat.id, frame)) drops['queue full']++
      }
    },
    connected: () => (seat.closed ? [] : [...network.seats.keys()].filter(id => canReach(seat.id, id))),
    dropped: () => drops,
    close: () => network.leave(seat),
  }
}

/** As with sockets: everybody reaches servers, nobody reaches itself, and clients do not reach each other. */
function canReach(from: NodeId, to: NodeId): boolean {
  return from !== to && !(isClient(from) && isClient(to))
}
