// Who may vote, as this member knows it, and promises over the changes that its user agreed to.

import { SettingsError, Unavailable } from '../../core/index.ts'
import type { Electorate } from '../../election/index.ts'
import { type Declined, type HintCommand, type HintEvent, WISHES_MAX } from '../../node/hints/state.ts'
import { WISH_MS } from '../../node/hints/wishes.ts'

interface Waiting {
  readonly change: 'admit' | 'expel'
  readonly member: string
  resolve(number: number): void
  reject(error: Error): void
}

export class Voters {
  private readonly tell: (command: HintCommand) => void
  private readonly waiting = new Map<number, Waiting>()
  private list: Electorate | undefined
  private ids = 0

  constructor(tell: (command: HintCommand) => void) {
    this.tell = tell
  }

  /** By the newest list that this member knows. */
  mayVote(member: string): boolean {
    return this.list?.members.some(({ id }) => id === member) ?? false
  }

  adopt(electorate: Electorate): void {
    this.list = electorate
  }

  /** Agrees that a member comes into the list or leaves it; resolves with the number of the list that is so. */
  change(change: 'admit' | 'expel', member: string): Promise<number> {
    const promise = new Promise<number>((resolve, reject) => {
      const id = ++this.ids
      this.waiting.set(id, { change, member, resolve, reject })
      this.tell({ kind: change, id, member })
    })
    // A caller may not wait for it: its rejection must not end the process.
    promise.catch(() => {})
    return promise
  }

  take(event: HintEvent): void {
    if (event.kind === 'tell') return
    const waiting = this.waiting.get(event.id)
    this.waiting.delete(event.id)
    if (waiting === undefined) return
    if (event.kind === 'agreed') waiting.resolve(event.number)
    else waiting.reject(explain(waiting, event.why))
  }

  end(error: Error): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}

function explain({ change, member }: Waiting, why: Declined): Error {
  switch (why) {
    case 'unknown':
      return new SettingsError(
        `${JSON.stringify(member)} cannot be ${change}${change === 'admit' ? 't' : 'l'}ed: no member of that name has been here yet.`,
      )
    case 'crowded':
      return new Unavailable(`${WISHES_MAX} changes of the list are under way`)
    case 'late':
      return new Unavailable(
        `to ${change} ${member}, too few members agreed within ${WISH_MS / 1000} s, or nobody leads`,
      )
  }
}
