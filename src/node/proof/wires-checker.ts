// Parts of a node meet by wires, and a wire waits for its event: nothing that a crash may still undo reaches another part.

import type { Checker, Micros, SimulatedNode, Violation } from '../../simulator/index.ts'
import type { MemberEvent, MemberNode } from '../member.ts'

export class WiresChecker implements Checker {
  readonly name = 'wires wait for their events'
  /** What membership has said aloud, in any life. */
  private readonly said = new WeakSet<object>()
  private readonly broken: Violation[] = []

  observe(event: MemberEvent): void {
    if (event.part === 'membership' && event.body.kind === 'changed') this.said.add(event.body.member)
  }

  /** To be called after each step, before its effects. */
  check({ spec }: SimulatedNode, { hints }: ReturnType<MemberNode['init']>, at: Micros): void {
    for (const [member, view] of hints.views) {
      if (this.said.has(view) || this.broken.length > 0) continue
      this.broken.push({ what: `the election of ${spec.id} hears of ${member} before membership has said it`, at })
    }
  }

  violations(): readonly Violation[] {
    return this.broken
  }
}
