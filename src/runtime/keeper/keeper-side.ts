// The keeper's side of the board: it looks now and then, and writes down what the servers promised.

import type { Millis } from '../../core/index.ts'
import type { KeeperCommand } from '../../lock/index.ts'
import { NAME_BYTES_MAX } from '../../lock/wire.ts'
import { type Clock, toMillis, toNanos } from '../clock.ts'
import { ALIVE, type Board, DROPPED, FREE, NEWS, OFFERED, raiseDeadline, SLOTS_MAX, TAKEN } from './board.ts'

/** Short enough for leases of a few hundred milliseconds, and a thread that wakes so seldom costs nothing. */
const LOOK_EVERY_MAX: Millis = 100
const LOOK_EVERY_MIN: Millis = 5
/** How many times it looks within the shortest lease. */
const LOOKS_PER_TTL = 8

interface Entry {
  readonly id: number
  readonly slot: number
  readonly name: string
  readonly token: number
  ttl: Millis
  deadline: bigint
}

export class KeeperSide {
  /** When to look again. */
  lookAfter: Millis = LOOK_EVERY_MAX
  private readonly board: Board
  private readonly clock: Clock
  private readonly bySlot: (Entry | undefined)[] = []
  private readonly byId = new Map<number, Entry>()
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  private aliveAt = 0n

  constructor(board: Board, clock: Clock) {
    this.board = board
    this.clock = clock
  }

  /** What has changed since the last look. It must be done before anything is published. */
  look(): KeeperCommand[] {
    const commands: KeeperCommand[] = []
    const aliveAt = Atomics.load(this.board.marks, ALIVE)
    if (aliveAt !== this.aliveAt) commands.push({ kind: 'alive', at: toMillis(aliveAt) })
    this.aliveAt = aliveAt
    const used = Math.min(Atomics.load(this.board.used, 0), SLOTS_MAX)
    let shortest = Number.POSITIVE_INFINITY
    for (let slot = 0; slot < used; slot++) {
      const command = this.lookAt(slot)
      if (command !== undefined) commands.push(command)
      shortest = Math.min(shortest, this.bySlot[slot]?.ttl ?? shortest)
    }
    this.lookAfter = Math.max(LOOK_EVERY_MIN, Math.min(LOOK_EVERY_MAX, Math.floor(shortest / LOOKS_PER_TTL)))
    return commands
  }

  /** The servers hold until `deadline`. */
  publish(id: number, deadline: Millis): void {
    const entry = this.byId.get(id)
    if (entry === undefined) return
    const { board } = this
    if (!raiseDeadline(board, entry.slot, toNanos(deadline), () => toNanos(this.clock()))) return
    entry.deadline = toNanos(deadline)
    const count = Atomics.load(board.marks, NEWS)
    Atomics.store(board.moved, Number(count % BigInt(SLOTS_MAX)), entry.slot)
    Atomics.store(board.marks, NEWS, count + 1n)
  }

  private lookAt(slot: number): KeeperCommand | undefined {
    const { states } = this.board
    switch (Atomics.load(states, slot)) {
      case OFFERED:
        // Its holder may let go in this moment.
        return Atomics.compareExchange(states, slot, OFFERED, TAKEN) === OFFERED ? this.take(slot) : undefined
      case TAKEN:
        return this.changed(this.bySlot[slot]!)
      case DROPPED: {
        const { id, name } = this.bySlot[slot]!
        this.bySlot[slot] = undefined
        this.byId.delete(id)
        Atomics.store(states, slot, FREE)
        return { kind: 'drop', id, name }
      }
      default:
        return undefined
    }
  }

  private take(slot: number): KeeperCommand {
    const { board } = this
    const start = slot * NAME_BYTES_MAX
    const entry: Entry = {
      id: board.ids[slot]!,
      slot,
      // Copied, because a decoder takes no shared memory.
      name: this.decoder.decode(board.names.slice(start, start + board.nameLengths[slot]!)),
      token: board.tokens[slot]!,
      ttl: Atomics.load(board.ttls, slot),
      deadline: Atomics.load(board.deadlines, slot),
    }
    this.bySlot[slot] = entry
    this.byId.set(entry.id, entry)
    return hold(entry)
  }

  private changed(entry: Entry): KeeperCommand | undefined {
    const ttl = Atomics.load(this.board.ttls, entry.slot)
    const deadline = Atomics.load(this.board.deadlines, entry.slot)
    if (ttl === entry.ttl && deadline === entry.deadline) return undefined
    entry.ttl = ttl
    entry.deadline = deadline
    return hold(entry)
  }
}

function hold({ id, name, token, ttl, deadline }: Entry): KeeperCommand {
  return { kind: 'hold', id, name, token, ttl, deadline: toMillis(deadline) }
}
