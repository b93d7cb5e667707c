// What the stages of all scenarios have in common: the nodes are added, the users' acts go into the calendar, everything
// that a node tells is observed, and after healing users demand what they must get before the end.
//
// How to write one:
// 1. `class LockStage extends ScenarioStage<LockPlan, LockAct, ClientEvent>`, with its checkers as fields and in `checkers`.
// 2. `populate`: adds the nodes with `addNode` (which takes the liar's part too) and starts them. Processes of clients that
//    may die and be followed by another are named by `nextProcess`; `processOf` is the one that lives.
// 3. `act`: what a user does, with `nextCommand` for the numbers of commands. `observe`: what a node told, to the checkers.
// 4. `demand`: after healing. `finish`: the last moment, in which what has not come is a violation.
// 5. In the scenario: `stage: (world, plan) => new LockStage(world, plan).begin()`. Not in the constructor: the fields of a
//    subclass are set only after it.
// More than that goes into an override that calls `super`: `begin` for what looks at the nodes now and then, `healed` for a
// plan that demands nothing.

import type { AnyProtocol, Effect, Input, NodeId } from '../core/index.ts'
import type { Checker, Plan, Stage } from './scenario.ts'
import type { NodeSpec, SimulatedNode, World } from './world.ts'

/** Turns an honest machine into one that lies. */
export type Corrupt = (honest: AnyProtocol) => AnyProtocol

/** What the stages of all scenarios have in common. */
export abstract class ScenarioStage<P extends Plan<Act>, Act, Event> implements Stage {
  abstract readonly checkers: readonly Checker[]
  protected readonly world: World
  protected readonly plan: P
  /** The living process of each client, and how many it had. */
  private readonly processes = new Map<string, { id: NodeId; count: number }>()
  private commands = 0

  constructor(world: World, plan: P) {
    this.world = world
    this.plan = plan
  }

  /** Once, after the constructor. */
  begin(): this {
    const { world, plan } = this
    this.populate()
    for (const act of plan.acts) world.at(act.at, () => this.act(act))
    world.listen((node, event) => this.observe(node, event as Event))
    return this
  }

  healed(): void {
    this.demand()
    this.world.at(this.plan.ends - 1, () => this.finish())
  }

  /** Adds the nodes, and starts them now or later. */
  protected abstract populate(): void
  protected abstract act(act: Act): void
  protected abstract observe(node: SimulatedNode, event: Event): void

  /** Everything is healed: users ask for what they must get before the end. */
  protected demand(): void {}

  /** The last moment of the run. */
  protected finish(): void {}

  /** With `corrupt` it lies: it may then say what cannot be encoded, which never leaves it. */
  protected addNode(spec: NodeSpec, corrupt?: Corrupt): SimulatedNode {
    if (corrupt === undefined) return this.world.add(spec)
    return this.world.add({ ...spec, protocol: corrupt(spec.protocol), lies: true })
  }

  protected nextCommand(): number {
    return ++this.commands
  }

  /** What a running node remembers; nothing while it does not run. */
  protected stateOf<State>(id: NodeId): State | undefined {
    return this.world.node(id).host?.state as State | undefined
  }

  /** The name of the next process of a client: its own, then with a number. A process that died never comes back. */
  protected nextProcess(client: string): NodeId {
    const count = (this.processes.get(client)?.count ?? 0) + 1
    const id = count === 1 ? client : `${client}#${count}`
    this.processes.set(client, { id, count })
    return id
  }

  protected processOf(client: string): NodeId {
    return this.processes.get(client)!.id
  }

  /** Whose process it is. */
  protected clientOf(id: NodeId): string {
    return id.split('#')[0]!
  }

  /** Everything has been told: the rest of the run would be idle. */
  protected crashAll(): void {
    for (const id of this.world.nodes.keys()) this.world.crash(id)
  }
}

/** The same machine; each effect is seen before it is asked for, and left out where `passes` says no. */
export function overheard<State, Message, Event>(
  protocol: AnyProtocol,
  passes: (effect: Effect<Message, Event>, state: State, input: Input<Message, unknown>) => boolean,
): AnyProtocol {
  return {
    ...protocol,
    step(state, input, turn) {
      protocol.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (passes(effect as Effect<Message, Event>, state, input)) turn.do(effect)
        },
      })
    },
  }
}
