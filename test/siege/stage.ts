// What is under siege: a group of real processes, one of which lies, and those who use it.

import type { Lie, LyingPart } from '../../lab/lying-node.ts'
import { Operations } from './operations.ts'
import type { Child, Line } from './processes.ts'

export type Role = 'server' | 'client'

/** Each does its harm and returns what ends it. */
export interface Fault {
  readonly name: string
  harm(): Promise<() => Promise<void> | void>
}

export const millis = (): number => Number(process.hrtime.bigint() / 1000n) / 1000
export const one = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

export abstract class Stage {
  abstract readonly name: string
  abstract readonly liar: string
  abstract readonly role: 'server' | 'member'
  abstract readonly parts: readonly LyingPart[]
  /** How many kinds of work are done here. */
  abstract readonly kinds: number
  /** How long the same words against the same liar are not said again. */
  abstract readonly saidEveryMs: number
  readonly operations = new Operations()
  /** What was said against the liar, and against others. */
  private readonly accusations: { readonly what: string; readonly at: number }[] = []
  private readonly wronged = new Set<string>()
  protected lyingNode: Child | undefined
  /** Everybody that ever ran here. */
  protected readonly everybody: { readonly role: Role; readonly child: Child }[] = []

  abstract start(): Promise<void>
  /** Makes room for a lie of this part. */
  async prepare(_part: LyingPart, _patienceMs: number): Promise<void> {}
  /** Stops the users, and says which promises were broken. */
  abstract judge(): Promise<string[]>
  abstract close(): Promise<void>
  abstract readonly faults: readonly Fault[]
  /** Asks whoever can be asked what is said against the liar. */
  abstract ask(): Promise<void>

  tell(lie: Lie | undefined): void {
    this.lyingNode?.send(JSON.stringify(lie ?? null))
  }

  /** How often the liar was named until now. */
  named(): number {
    return this.accusations.length
  }

  /** In which words, since it had been named so often. */
  saidSince(count: number): string[] {
    return this.accusations.slice(count).map(({ what }) => what)
  }

  /** Whether it was named for this so lately that it would not be said again. */
  wasNamedFor(way: string): boolean {
    return this.accusations.some(({ what, at }) => what.endsWith(way) && millis() - at < this.saidEveryMs)
  }

  /** The honest processes that run, by name, with their memory. */
  memory(role: Role): Map<string, number> {
    return this.ofHonest(child => child.memory(), role)
  }

  /** The same with the processor time that they have used, in milliseconds. */
  processor(): Map<string, number> {
    return this.ofHonest(child => child.processorMs())
  }

  private ofHonest(read: (child: Child) => number | undefined, role?: Role): Map<string, number> {
    const found = new Map<string, number>()
    for (const { child, role: own } of this.everybody) {
      if ((role !== undefined && own !== role) || child === this.lyingNode || !child.isRunning) continue
      const value = read(child)
      if (value !== undefined) found.set(`${child.name} ${child.pid}`, value)
    }
    return found
  }

  /** Processes that ended by themselves, and honest ones that were called liars. */
  wrongs(): string[] {
    const failures = this.everybody.map(({ child }) => child.failure).filter(failure => failure !== undefined)
    return [...failures, ...this.wronged]
  }

  /** `isLie`: what is only too much is no lie, and a busy machine makes honest ones do it. */
  protected accused(whom: string, what: string, isLie = true): void {
    if (whom === this.liar) this.accusations.push({ what, at: millis() })
    else if (isLie) this.wronged.add(`${whom}, which is honest, was said to lie: ${what}`)
  }

  /** What the liar has said besides, at a rate. */
  repeated = 0

  protected heard(line: Line): void {
    if (typeof line.repeated === 'number') this.repeated = line.repeated
    if (Array.isArray(line.done)) this.operations.add(line.done)
  }
}
