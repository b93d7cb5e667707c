// The list of those who may vote, as this member knows it, and what it agrees to have changed in it.
//
// q members of the old list must agree before there is a new one (PROTOCOLS C), each by its own operator's word: a
// coordinator alone can neither fill the list nor empty it. So a wish is told to every member; whoever leads proposes it.

import { type Millis, SettingsError, Unavailable } from '../../core/index.ts'
import type { Change, ElectionCommand, ElectionEvent, Electorate, Newcomer } from '../../election/index.ts'
import type { MemberView } from '../../membership/index.ts'

interface Wish {
  readonly change: Change
  readonly timer: NodeJS.Timeout
  resolve(number: number): void
  reject(error: Error): void
}

export interface RollPorts {
  leads(): boolean
  tell(command: ElectionCommand): void
  view(member: string): MemberView | undefined
  /** The keys of a member whose certificate holds, as it announced them. */
  keysOf(view: MemberView): Omit<Newcomer, 'id'> | undefined
}

/** A wish that did not come true by then is given up here: the operator may wish again. */
const WISH_MS: Millis = 30_000
/** While a wish waits, whoever leads proposes it so often: the list may just have been changed otherwise. */
const PROPOSE_EVERY_MS: Millis = 250
const WISHES_MAX = 16
/** What comes of a proposal is seen in the list itself. */
const UNASKED = 0

export class Roll {
  private readonly ports: RollPorts
  /** By what is asked for, in words. */
  private readonly wishes = new Map<string, Wish>()
  private readonly waiting = new Map<string, Promise<number>>()
  private proposing: NodeJS.Timeout | undefined
  private list: Electorate | undefined

  constructor(ports: RollPorts) {
    this.ports = ports
  }

  get electorate(): Electorate | undefined {
    return this.list
  }

  /** By the newest list that this member knows. */
  mayVote(member: string): boolean {
    return this.list?.members.some(({ id }) => id === member) ?? false
  }

  /** Agrees that a member comes into the list; resolves with the number of the list that has it. */
  admit(member: string): Promise<number> {
    if (this.mayVote(member)) return Promise.resolve(this.list!.number)
    const view = this.ports.view(member)
    const keys = view === undefined ? undefined : this.ports.keysOf(view)
    if (keys === undefined) {
      throw new SettingsError(`${JSON.stringify(member)} cannot be admitted: no member of that name has been here yet.`)
    }
    return this.wish(`admit ${member}`, { add: { id: member, ...keys } })
  }

  /** Agrees that a member leaves the list; resolves with the number of the list that is without it. */
  expel(member: string): Promise<number> {
    if (this.list !== undefined && !this.mayVote(member)) return Promise.resolve(this.list.number)
    return this.wish(`expel ${member}`, { remove: member })
  }

  take(event: Extract<ElectionEvent, { kind: 'electorate' }>): void {
    this.list = event.electorate
    for (const [what, { change, resolve }] of this.wishes) {
      const there = this.mayVote(change.add?.id ?? change.remove!)
      if (there !== (change.add !== undefined)) continue
      this.forget(what)
      resolve(this.list.number)
    }
  }

  end(error: Error): void {
    for (const [what, { reject }] of this.wishes) {
      this.forget(what)
      reject(error)
    }
  }

  private wish(what: string, change: Change): Promise<number> {
    const known = this.waiting.get(what)
    if (known !== undefined) return known
    if (this.wishes.size >= WISHES_MAX) throw new Unavailable(`${WISHES_MAX} changes of the list are under way`)
    const promise = new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => this.giveUp(what), WISH_MS).unref()
      this.wishes.set(what, { change, timer, resolve, reject })
    })
    this.waiting.set(what, promise)
    // Whoever does not wait for it is not to be ended by it.
    promise.catch(() => {})
    this.ports.tell({ kind: 'allow', change })
    this.proposing ??= setInterval(() => this.propose(), PROPOSE_EVERY_MS).unref()
    this.propose()
    return promise
  }

  /** The machine refuses what cannot be now, and then it is asked again. */
  private propose(): void {
    const [wish] = this.wishes.values()
    if (wish !== undefined && this.ports.leads()) {
      this.ports.tell({ kind: 'change', id: UNASKED, change: wish.change })
    }
  }

  private giveUp(what: string): void {
    const wish = this.wishes.get(what)
    this.forget(what)
    wish?.reject(new Unavailable(`to ${what}, too few members agreed within ${WISH_MS / 1000} s, or nobody leads`))
  }

  private forget(what: string): void {
    clearTimeout(this.wishes.get(what)?.timer)
    this.wishes.delete(what)
    this.waiting.delete(what)
    if (this.wishes.size > 0) return
    clearInterval(this.proposing)
    this.proposing = undefined
  }
}
