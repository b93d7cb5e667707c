// The checkers of a ring by itself, beside the checkers of exclusion and progress.

import type { NodeId } from '../../core/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'

/** Lemma 5, as the rotating coordinator has it: a member that waits is served within n rounds. */
export class RoundsChecker implements Checker {
  readonly name = 'served within n rounds'
  /** The longest wait, in rounds begun after the one in which it was asked for. */
  longest = 0
  private readonly members: number
  private readonly since = new Map<NodeId, number>()
  private newest = 0
  private readonly broken: Violation[] = []

  constructor(members: number) {
    this.members = members
  }

  began(round: number): void {
    this.newest = Math.max(this.newest, round)
  }

  waits(member: NodeId): void {
    if (!this.since.has(member)) this.since.set(member, this.newest)
  }

  served(member: NodeId, round: number, at: Micros): void {
    const since = this.since.get(member)
    this.since.delete(member)
    if (since === undefined) return
    this.longest = Math.max(this.longest, round - since)
    if (round - since <= this.members) return
    this.broken.push({ what: `${member} waited ${round - since} rounds for a slot`, at })
  }

  /** It is gone, or let go of a slot while another request waits: counted from now. */
  again(member: NodeId, waits: boolean): void {
    this.since.delete(member)
    if (waits) this.waits(member)
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** Every ticket opens to one of the n. */
export class ReadableChecker implements Checker {
  readonly name = 'readable tickets'
  private readonly broken: Violation[] = []

  unreadable(member: NodeId, round: number, at: Micros): void {
    this.broken.push({ what: `the ticket of ${member} in round ${round} opened to nothing known`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}

/** A new round is announced once by everybody: what is heard again goes no further. */
export class AnnouncementChecker implements Checker {
  readonly name = 'announced once'
  private readonly said = new Map<string, number>()
  private readonly broken: Violation[] = []

  /** In answer to a message, not because nobody seemed to hear. */
  announced(member: NodeId, round: number, at: Micros): void {
    const key = `${member} ${round}`
    const times = (this.said.get(key) ?? 0) + 1
    this.said.set(key, times)
    if (times === 2) this.broken.push({ what: `${member} forwarded the news of round ${round} twice`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
