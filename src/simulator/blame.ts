// Nobody honest is called a liar: the checker of all protocols in which clients say who lied.

import type { NodeId } from '../core/index.ts'
import type { Micros } from './network.ts'
import type { Checker, Violation } from './scenario.ts'

/** Says when a machine blames a node that did not lie. */
export class BlameChecker implements Checker {
  readonly name = 'blame'
  /** Who was named, and for what. */
  readonly named = new Map<NodeId, Set<string>>()
  private readonly broken: Violation[] = []

  blame(server: NodeId, lies: boolean, what: string, at: Micros): void {
    const known = this.named.get(server) ?? new Set()
    this.named.set(server, known.add(what))
    if (!lies) this.broken.push({ what: `${server} is honest and was blamed: ${what}`, at })
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
