// One run, step by step, in somebody's hands: it can be stopped anywhere, looked at, and asked for a traitor's next word.
// A run is a value of its spec. To change the past, make another Play: it takes milliseconds.
//
// Without acts and words it is exactly the run of `runOnce`: the same events, the same hash. It ends at the first broken promise.

import { type NodeId, seededRandom } from '../core/index.ts'
import { actText, type ManualAct, type MessageName, messageText, PLAY_MICROS_MAX } from './acts.ts'
import { reduce } from './campaign.ts'
import { heal, schedule } from './faults.ts'
import type { Micros } from './network.ts'
import { ACTS_MAX, type RunSpec } from './permalink.ts'
import type { Playable } from './playable.ts'
import { type Asked, honestAnswers, Mouth, type PaletteWord, puppet } from './puppet.ts'
import type { Plan, Stage, Violation } from './scenario.ts'
import { States, type Stretch } from './states.ts'
import { strike } from './strike.ts'
import { brief, type TraceEntry } from './trace.ts'
import { type NodeSpec, World } from './world.ts'
import type { NextEvent } from './world-options.ts'

/** Events of a run in somebody's hands. */
export const PLAY_EVENTS_MAX = 200_000
/** Places of the trace before and after the one that somebody looks at. */
const STRETCH = 400
/** Of a liar that a visitor plays, where a plan numbers its liars. */
export const PLAYED = -1

/** How a run stands. */
export type PlayStatus =
  | 'on'
  /** A traitor has no word left: `question`. */
  | 'asks'
  /** A promise is broken: `violations`. */
  | 'broken'
  /** Its time is over, or a limit is reached: `stopped`. */
  | 'over'

/** What a traitor is asked. */
export interface Question extends Asked {
  readonly node: NodeId
  readonly at: Micros
  readonly sentAt: Micros
  /** Each word that it could say, with the messages that would go to the asker. */
  readonly answers: readonly { readonly word: PaletteWord; readonly says: readonly unknown[] }[]
}

/** A broken promise, and the place in the trace where it broke. */
export interface PlayViolation extends Violation {
  readonly index: number
}

/** Something that happens in a run: drawn from the seed, or done by the visitor. */
export interface PlayItem {
  /** Of what is drawn: the number in `only`. Of what was done: the place in `acts`. */
  readonly number: number
  readonly drawn: boolean
  readonly at: Micros | undefined
  readonly kind: string
  readonly text: string
  readonly on: boolean
}

/** A message that never arrived. */
export interface LostMessage extends MessageName {
  readonly sentAt: Micros
  readonly what: string
  /** By the visitor's hand; else by the network. */
  readonly dropped: boolean
}

/** A node, as a lane of the diagram. */
export interface PlayNode {
  readonly id: NodeId
  /** Played by the visitor. */
  readonly played: boolean
  /** It lies, by the seed or by the visitor. */
  readonly lies: boolean
}

/** One run, step by step. */
export class Play {
  readonly spec: RunSpec
  /** All that can happen in it, and whether it does. */
  readonly items: readonly PlayItem[]
  readonly lost: LostMessage[] = []
  /** Places in the trace at which a word of a played traitor arrived that honesty would not have said. */
  readonly lies = new Set<number>()
  status: PlayStatus = 'on'
  question: Question | undefined
  /** Which limit ended it, where its own end was not reached. */
  stopped: 'events' | 'time' | 'patience' | undefined
  /** When everything heals, and when it ends. */
  readonly healsAt: Micros
  readonly ends: Micros
  /** What was drawn: sizes, liars, clock rates. */
  readonly drawn: Readonly<Record<string, string | number>>
  private readonly playable: Playable
  private readonly world: World
  private readonly stage: Stage
  private readonly mouths = new Map<NodeId, Mouth>()
  private readonly honest = new Map<NodeId, NodeSpec>()
  private readonly states: States
  /** Of a part of a run too large to note all of it: made when somebody looks. */
  private looked: States | undefined
  private readonly found: PlayViolation[] = []
  private readonly ways = new Map<string, ManualAct & MessageName>()
  private readonly rates = new Map<NodeId, number>()
  private readonly cutShort: boolean
  private readonly beyond: string[] = []
  private seen = 0
  private noted = false
  private events = 0

  constructor(spec: RunSpec, playable: Playable, stretch?: Stretch) {
    this.spec = spec
    this.playable = playable
    this.states = new States(stretch)
    const whole: Plan<unknown> = playable.scenario.plan(seededRandom(spec.seed, 1))
    const { only, calm } = spec
    const kept = reduce(whole, { ...(only && { only }), ...(calm && { calm }) })
    const happening = spec.acts.slice(0, ACTS_MAX).filter(act => !act.off)
    const plan = this.withTraitors({ ...kept, acts: [...kept.acts, ...this.userActs(happening, whole)] })
    this.items = items(whole, spec)
    this.drawn = plan.drawn
    this.healsAt = plan.healsAt
    this.ends = Math.min(plan.ends, PLAY_MICROS_MAX)
    this.cutShort = this.ends < plan.ends
    this.readActs(happening)
    this.world = new World({
      seed: spec.seed,
      network: plan.network,
      record: true,
      cast: node => this.cast(node),
      lost: (message, body) => this.lose(message, body),
      ...(this.ways.size > 0 && { way: (message: MessageName, at: Micros) => this.way(message, at) }),
    })
    this.stage = playable.scenario.stage(this.world, plan)
    for (const fault of plan.faults) if (!this.isPlayed(fault)) schedule(this.world, fault)
    this.world.at(plan.healsAt, () => {
      heal(this.world)
      this.stage.healed()
    })
    for (const act of happening)
      if (!this.isUserAct(act, whole) && !this.isPlayed(act)) strike(this.world, act, plan.healsAt)
    this.look()
  }

  get trace(): readonly TraceEntry[] {
    return this.world.trace
  }

  get now(): Micros {
    return this.world.now
  }

  /** Of all that happened so far. */
  get hash(): string {
    return this.world.traceHash()
  }

  get violations(): readonly PlayViolation[] {
    return this.found
  }

  /** All nodes so far, in the order in which they came. */
  get nodes(): readonly PlayNode[] {
    return [...this.world.nodes.values()].map(({ spec: { id, lies } }) => {
      return { id, played: this.mouths.has(id), lies: lies === true }
    })
  }

  /** What its users can be told to do. */
  get commands(): readonly string[] {
    return Object.keys(this.playable.commands)
  }

  /** Sentences on what lies beyond what the promise is made for, or could not be done. A traitor wins only without any. */
  get outside(): readonly string[] {
    const missing = this.spec.acts.flatMap(nodesOf).filter(node => !this.world.nodes.has(node))
    return [
      ...this.beyond,
      ...[...this.mouths].flatMap(([node, { refused }]) => refused.map(why => `${node}: ${why}`)),
      ...[...new Set(missing)].map(node => `there is no ${node} in this run.`),
    ]
  }

  /** Words that each traitor has said. */
  spoken(node: NodeId): number {
    return this.mouths.get(node)?.spoken ?? 0
  }

  /** What the visitor needed for it: acts that happened, and words that were lies. */
  get size(): number {
    const acts = this.spec.acts.filter(({ off }) => !off).length
    return acts + [...this.mouths.values()].reduce((sum, { lies }) => sum + lies, 0)
  }

  /** What the node remembered after the event at this place of the trace: JSON; empty while it does not run. */
  stateAt(index: number, node: NodeId): string | undefined {
    if (this.states.has(index)) return this.states.at(index, node)
    if (!this.looked?.has(index)) this.looked = this.statesAround(index)
    return this.looked.at(index, node)
  }

  /** The same run once more, up to there: a stretch around the place is noted. */
  private statesAround(index: number): States {
    const from = Math.max(0, index - STRETCH)
    const again = new Play(this.spec, this.playable, { from, to: index + STRETCH })
    while (again.status === 'on' && again.trace.length <= index + STRETCH) again.stepOnce()
    return again.states
  }

  /** Goes on to the next thing that leaves a trace. */
  step(): PlayStatus {
    const length = this.trace.length
    while (this.status === 'on' && this.trace.length === length) this.stepOnce()
    return this.status
  }

  /** Goes on until it ends, breaks or asks; or for so many events. */
  toEnd(eventsMax: number = PLAY_EVENTS_MAX): PlayStatus {
    for (let count = 0; this.status === 'on' && count < eventsMax; count++) this.stepOnce()
    return this.status
  }

  /** Ends it where it stands: its caller has waited long enough. What was reached can be looked at. */
  stopHere(): void {
    if (this.status !== 'on') return
    this.stopped = 'patience'
    this.status = 'over'
  }

  private stepOnce(): void {
    const next = this.world.next()
    if (next === undefined || next.at > this.ends) return this.finish()
    if (next.delivers !== undefined && this.mouths.get(next.delivers.to)?.asks(next.delivers.body)) {
      return this.ask(next.delivers.to, next.at, next.delivers)
    }
    this.events++
    if (next.delivers && this.mouths.get(next.delivers.from)?.untrue.has(next.delivers.body))
      this.lies.add(this.trace.length)
    try {
      this.world.step()
    } catch (error) {
      this.broken({ what: `a machine threw: ${error instanceof Error ? error.message : String(error)}`, at: this.now })
    }
    this.look()
    if (this.status !== 'on' || this.events < PLAY_EVENTS_MAX) return
    this.stopped = 'events'
    this.status = 'over'
  }

  private finish(): void {
    this.world.run(this.ends)
    if (this.cutShort) this.stopped = 'time'
    this.status = 'over'
  }

  /** After each event: states of those that it touched, and promises. */
  private look(): void {
    const { trace, world } = this
    const { states } = this
    if (trace.length > this.seen && states.wants(trace.length - 1)) {
      // The first look of a stretch is at all nodes.
      const first = this.noted ? this.seen : 0
      this.noted = true
      const touched = new Map<NodeId, number>()
      for (let index = first; index < trace.length; index++) {
        const { node } = trace[index]!
        if (!touched.has(node)) touched.set(node, index)
      }
      for (const [node, index] of touched) states.note(index, node, world.node(node).host?.state)
    }
    this.seen = trace.length
    for (const checker of this.stage.checkers) {
      for (const violation of checker.violations()) this.broken(violation)
      if (this.status === 'broken') return
    }
  }

  private broken(violation: Violation): void {
    this.status = 'broken'
    this.found.push({ ...violation, index: Math.max(0, this.trace.length - 1) })
  }

  private ask(node: NodeId, at: Micros, asked: NonNullable<NextEvent['delivers']>): void {
    const { palette } = this.playable
    const running = this.world.node(node)
    const now = this.world.clock(running, at)
    const honest = honestAnswers(this.honest.get(node)!.protocol, running.host!.state, asked, now)
    const { from, body } = asked
    const said = this.mouths.get(node)!.said
    const question = { from, body, honest, said }
    const answers = palette!.words.map(word => ({ word, says: word.say(question) }))
    this.question = { ...question, node, at, sentAt: asked.sentAt, answers }
    this.status = 'asks'
  }

  /** The vocabulary of a node, for words that are edited freely. */
  vocabularyOf(node: NodeId): NodeSpec['vocabulary'] | undefined {
    return this.world.nodes.get(node)?.spec.vocabulary
  }

  private cast(given: NodeSpec): NodeSpec {
    const rate = this.rates.get(given.id)
    const spec = rate === undefined ? given : { ...given, clockRate: rate }
    const script = Object.hasOwn(this.spec.say, spec.id) ? this.spec.say[spec.id] : undefined
    const { palette, mayLie } = this.playable
    if (script === undefined || palette === undefined || !mayLie.includes(spec.id)) return spec
    const mouth = new Mouth(script, palette, spec.vocabulary)
    this.mouths.set(spec.id, mouth)
    this.honest.set(spec.id, spec)
    return { ...spec, protocol: puppet(spec.protocol, palette, mouth), lies: true }
  }

  /** The visitor's traitors stand in the place of those that the seed draws. */
  private withTraitors(plan: Plan<unknown>): Plan<unknown> {
    const { palette, mayLie, model } = this.playable
    const named = Object.keys(this.spec.say)
    for (const node of named) {
      if (palette === undefined || !mayLie.includes(node)) {
        this.beyond.push(`${node} cannot be played here${mayLie.length ? `; ${mayLie.join(', ')} can` : ''}.`)
      }
    }
    const played = named.filter(node => palette !== undefined && mayLie.includes(node))
    if (played.length > model.liars) {
      this.beyond.push(`${played.length} traitors, and the promise is made for ${model.liars} at most.`)
    }
    if (played.length === 0) return plan
    return { ...plan, ...{ liars: new Map(played.map(node => [node, PLAYED])) } }
  }

  /** A traitor that is asked cannot be stopped in between: its words would be counted otherwise. */
  private isPlayed(fault: { readonly kind: string; readonly node?: NodeId }): boolean {
    return fault.kind === 'pause' && fault.node !== undefined && this.mouths.has(fault.node)
  }

  private isUserAct(act: ManualAct, plan: Plan<unknown>): boolean {
    return act.kind === 'do' || (act.kind === 'crash' && this.playable.dies?.(act.node, plan) !== undefined)
  }

  private userActs(acts: readonly ManualAct[], plan: Plan<unknown>): (object & { at: Micros })[] {
    return acts.flatMap((act, place) => {
      if (act.kind === 'crash') {
        const dies = this.playable.dies?.(act.node, plan)
        return dies === undefined ? [] : [{ ...(dies as object), at: act.at }]
      }
      if (act.kind !== 'do') return []
      const { commands } = this.playable
      const command = Object.hasOwn(commands, act.command) ? commands[act.command]! : undefined
      const done = command?.act(act.client, plan, place)
      if (done !== undefined) return [{ ...(done as object), at: act.at }]
      this.beyond.push(`${act.client} cannot do '${act.command}'; there is: ${Object.keys(commands).join(', ')}.`)
      return []
    })
  }

  private readActs(acts: readonly ManualAct[]): void {
    const { model } = this.playable
    for (const act of acts) {
      if (!model.allows.includes(act.kind)) this.beyond.push(`${actText(act)}: the promise is not made for this.`)
      if ('lasts' in act && act.at >= this.healsAt) {
        this.beyond.push(`${actText(act)}: everything is healed at ${this.healsAt / 1000} ms, so this does nothing.`)
      }
      if (act.kind === 'drift') {
        this.rates.set(act.node, act.rate)
        if (Math.abs(act.rate - 1) > model.drift + 1e-9) {
          this.beyond.push(`${actText(act)}: the promise is made for clocks within ${model.drift * 100} %.`)
        }
      }
      if (act.kind === 'hold' || act.kind === 'drop' || act.kind === 'twice') this.ways.set(messageText(act), act)
    }
  }

  private way(message: MessageName, at: Micros): readonly Micros[] {
    const act = this.ways.get(messageText(message))
    if (act === undefined) return [at]
    if (act.kind === 'drop') return []
    // What is held arrives when everything is healed: then every message does.
    const later = Math.max(at, Math.min(at + (act as { by: Micros }).by, this.healsAt))
    const { delayMax } = this.playable.model
    if (delayMax !== undefined && later - this.now > delayMax) {
      this.beyond.push(
        `${actText(act)}: it takes ${(later - this.now) / 1000} ms, and the promise is made for ${delayMax / 1000}.`,
      )
    }
    return act.kind === 'hold' ? [later] : [at, later]
  }

  private lose(message: MessageName, body: unknown): void {
    const dropped = this.ways.get(messageText(message))?.kind === 'drop'
    this.lost.push({ ...message, sentAt: this.now, what: brief(body), dropped })
  }
}

function nodesOf(act: ManualAct): readonly NodeId[] {
  if (act.off) return []
  if ('from' in act) return [act.from, act.to]
  return 'node' in act ? [act.node] : [act.client]
}

function items(plan: Plan<unknown>, spec: RunSpec): PlayItem[] {
  const kept = spec.only === undefined ? undefined : new Set(spec.only)
  const drawn = [...plan.acts, ...plan.faults].map((item, number): PlayItem => {
    const { at, kind, ...rest } = item as { at: Micros; kind: string }
    return { number, drawn: true, at, kind, text: brief({ kind, ...rest }), on: kept === undefined || kept.has(number) }
  })
  const done = spec.acts.map((act, number): PlayItem => {
    const at = 'at' in act ? act.at : undefined
    return { number, drawn: false, at, kind: act.kind, text: actText(act), on: act.off !== true }
  })
  return [...drawn, ...done]
}
