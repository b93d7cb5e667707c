// The holder's side of the board: what it holds, and what its keeper has proved meanwhile.

import type { Millis } from '../../core/index.ts'
import { NAME_BYTES_MAX } from '../../lock/wire.ts'
import { type Clock, toMillis, toNanos } from '../clock.ts'
import { ALIVE, type Board, DROPPED, FREE, NEWS, OFFERED, raiseDeadline, SLOTS_MAX } from './board.ts'

export interface HeldLease {
  readonly id: number
  readonly name: string
  readonly token: number
  readonly ttl: Millis
  readonly deadline: Millis
}

/** Enough servers hold until `deadline`. */
export interface Sustained {
  readonly id: number
  readonly name: string
  readonly deadline: Millis
}

const NOTHING: readonly Sustained[] = []

export class HolderSide {
  private readonly board: Board
  private readonly clock: Clock
  private readonly held = new Map<number, { readonly slot: number; readonly name: string }>()
  private readonly bySlot: (number | undefined)[] = []
  private readonly free: number[] = []
  /** Dropped, and perhaps free by now. */
  private leaving: number[] = []
  private read = 0n
  private readonly encoder = new TextEncoder()

  constructor(board: Board, clock: Clock) {
    this.board = board
    this.clock = clock
    this.alive()
  }

  /** Shows life. */
  alive(): void {
    Atomics.store(this.board.marks, ALIVE, toNanos(this.clock()))
  }

  /** False where the board is full. */
  offer({ id, name, token, ttl, deadline }: HeldLease): boolean {
    const slot = this.freeSlot()
    if (slot === undefined) return false
    const { board } = this
    const place = board.names.subarray(slot * NAME_BYTES_MAX, (slot + 1) * NAME_BYTES_MAX)
    board.nameLengths[slot] = this.encoder.encodeInto(name, place).written
    board.ids[slot] = id
    board.tokens[slot] = token
    board.ttls[slot] = ttl
    Atomics.store(board.deadlines, slot, toNanos(deadline))
    Atomics.store(board.states, slot, OFFERED)
    this.held.set(id, { slot, name })
    this.bySlot[slot] = id
    return true
  }

  drop(id: number): void {
    const slot = this.held.get(id)?.slot
    if (slot === undefined) return
    this.held.delete(id)
    this.bySlot[slot] = undefined
    if (Atomics.compareExchange(this.board.states, slot, OFFERED, FREE) === OFFERED) {
      this.free.push(slot)
      return
    }
    Atomics.store(this.board.states, slot, DROPPED)
    this.leaving.push(slot)
  }

  /** Until when it is held, as far as anybody in this process knows. */
  deadline(id: number): Millis {
    const slot = this.held.get(id)?.slot
    return slot === undefined ? Number.NEGATIVE_INFINITY : toMillis(Atomics.load(this.board.deadlines, slot))
  }

  /** The servers have agreed with the holder itself. */
  extended(id: number, deadline: Millis): void {
    const slot = this.held.get(id)?.slot
    if (slot !== undefined) raiseDeadline(this.board, slot, toNanos(deadline), () => toNanos(this.clock()))
  }

  setTtl(id: number, ttl: Millis): void {
    const slot = this.held.get(id)?.slot
    if (slot !== undefined) Atomics.store(this.board.ttls, slot, ttl)
  }

  /** What the keeper has proved since the last call. One read where there is nothing. */
  news(): readonly Sustained[] {
    const written = Atomics.load(this.board.marks, NEWS)
    if (written === this.read) return NOTHING
    const unread = written - this.read
    this.read = written
    // The ring has come round, so that some are missing: then all are looked at.
    if (unread > SLOTS_MAX / 2) return [...this.held.keys()].flatMap(id => this.sustained(id))
    const news: Sustained[] = []
    for (let count = written - unread; count < written; count++) {
      const id = this.bySlot[Atomics.load(this.board.moved, Number(count % BigInt(SLOTS_MAX)))]
      if (id !== undefined) news.push(...this.sustained(id))
    }
    return news
  }

  private sustained(id: number): readonly Sustained[] {
    const lease = this.held.get(id)
    return lease === undefined ? NOTHING : [{ id, name: lease.name, deadline: this.deadline(id) }]
  }

  private freeSlot(): number | undefined {
    const { states, used } = this.board
    if (this.free.length === 0 && this.leaving.length > 0) {
      const leaving: number[] = []
      for (const slot of this.leaving) (Atomics.load(states, slot) === FREE ? this.free : leaving).push(slot)
      this.leaving = leaving
    }
    const known = this.free.pop()
    if (known !== undefined || used[0]! >= SLOTS_MAX) return known
    return Atomics.add(used, 0, 1)
  }
}
