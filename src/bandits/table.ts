// All parties of a run at one table: the same machines, their messages handed over in memory, in order and without loss. For
// a run inside one process, which sees everything, and for tests of what is said.

import { createHost, type Host, NOTHING_SAVED, type NodeId } from '../core/index.ts'
import { banditArm } from './arm/machine.ts'
import type { ArmEvent, ArmState } from './arm/state.ts'
import { banditComparator } from './comparator/machine.ts'
import type { StoppedEvent } from './party.ts'
import { type BanditKeys, type BanditSettings, checkRun } from './settings.ts'
import { banditShuffler } from './shuffler/machine.ts'
import type { ShufflerEvent } from './shuffler/state.ts'
import { banditUser } from './user/machine.ts'
import type { UserEvent } from './user/state.ts'
import type { BanditMessage } from './wire.ts'

/** What a party tells its owner. */
export type BanditEvent = ArmEvent | ShufflerEvent | UserEvent | StoppedEvent

/** What a table needs. */
export interface TableParts {
  readonly settings: BanditSettings
  keysOf(id: NodeId): BanditKeys
  /** Secret where it matters. */
  random(length: number): Uint8Array
  /** Told of everything; may answer a pull at once. */
  event(from: NodeId, event: BanditEvent): void
  /** Sees every message. */
  overhear?(from: NodeId, to: NodeId, body: BanditMessage): void
}

// biome-ignore lint/suspicious/noExplicitAny: four kinds of party sit here
type AnyHost = Host<any, BanditMessage, any>

interface Letter {
  readonly from: NodeId
  readonly to: NodeId
  readonly body: BanditMessage
}

/** All parties of a run in one process. */
export class BanditTable {
  private readonly hosts = new Map<NodeId, AnyHost>()
  private readonly options: TableParts
  private letters: Letter[] = []
  private next = 0

  constructor(options: TableParts) {
    const { settings, keysOf } = options
    checkRun(settings.run)
    this.options = options
    const { arms, shuffler, comparator, user } = settings.run
    for (const { id } of arms) this.seat(id, banditArm(settings, keysOf(id)))
    this.seat(shuffler.id, banditShuffler(settings, keysOf(shuffler.id)))
    this.seat(comparator.id, banditComparator(settings, keysOf(comparator.id)))
    this.seat(user.id, banditUser(settings, keysOf(user.id)))
  }

  private seat(id: NodeId, protocol: Parameters<typeof createHost>[0]): void {
    const { options } = this
    const host = createHost(protocol, id, [], NOTHING_SAVED, {
      now: () => 0,
      below: () => 0,
      bytes: length => options.random(length),
      send: (to, body) => this.letters.push({ from: id, to, body: body as BanditMessage }),
      // Nothing is lost here, so nothing has to be said again.
      timer: () => {},
      cancel: () => {},
      save: (_lane, _record, _kind, durable) => durable?.(),
      forget: () => {},
      emit: event => options.event(id, event as BanditEvent),
    })
    this.hosts.set(id, host as AnyHost)
  }

  /** Everybody starts, and the user asks. */
  begin(): void {
    for (const host of this.hosts.values()) host.input({ kind: 'start' })
    this.command(this.options.settings.run.user.id, { kind: 'begin' })
  }

  command(id: NodeId, body: unknown): void {
    this.hosts.get(id)!.input({ kind: 'command', body })
  }

  /** Hands over at most so many letters; true while there are more. */
  work(most: number): boolean {
    for (let count = 0; count < most && this.next < this.letters.length; count++) {
      const { from, to, body } = this.letters[this.next++]!
      this.options.overhear?.(from, to, body)
      this.hosts.get(to)?.input({ kind: 'message', from, body })
    }
    if (this.next < this.letters.length) {
      if (this.next > 1_024) this.letters = this.letters.slice(this.next)
      else return true
    } else this.letters = []
    this.next = 0
    return this.letters.length > 0
  }

  /** What an arm remembers: for tests, and for those who run the whole table. */
  armState(id: NodeId): ArmState {
    return this.hosts.get(id)!.state as ArmState
  }
}
