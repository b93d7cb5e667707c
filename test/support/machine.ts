// Drives one machine by hand, for tests that read as stories: what comes in, what goes out, what time it is.

import {
  type AnyProtocol,
  type Effect,
  KeptLane,
  NOTHING_SAVED,
  type NodeId,
  type Protocol,
  type Saved,
} from '../../src/core/index.ts'

type Out<Message, Event> = Effect<Message, Event>

export class Puppet<State, Message, Command, Event> {
  now = 1_000
  state: State
  private kept: KeptLane
  /** Timers that run, by name, and when they are due. */
  readonly timers = new Map<string, number>()
  private readonly protocol: Protocol<State, Message, Command, Event>
  private readonly peers: readonly NodeId[]
  /** What the next draws of chance are; 0 when it is empty. */
  readonly chance: number[] = []
  /** What the next random bytes are; zeros when it is empty. */
  readonly drawn: Uint8Array[] = []

  private readonly self: NodeId

  constructor(
    protocol: Protocol<State, Message, Command, Event>,
    peers: readonly NodeId[],
    saved = NOTHING_SAVED,
    self: NodeId = 'self',
  ) {
    this.self = self
    this.protocol = protocol
    this.peers = peers
    this.kept = new KeptLane(saved.get(''))
    this.state = protocol.init(self, peers, saved)
  }

  /** What the disk holds, should the machine start again. */
  get records(): readonly Uint8Array[] {
    return this.kept.records
  }

  start(): Out<Message, Event>[] {
    return this.step({ kind: 'start' })
  }

  stop(): Out<Message, Event>[] {
    return this.step({ kind: 'stop' })
  }

  command(body: Command): Out<Message, Event>[] {
    return this.step({ kind: 'command', body })
  }

  hear(from: NodeId, body: Message): Out<Message, Event>[] {
    return this.step({ kind: 'message', from, body })
  }

  /** Lets time pass, and every timer fire that is due on the way. */
  pass(millis: number): Out<Message, Event>[] {
    const until = this.now + millis
    const out: Out<Message, Event>[] = []
    for (;;) {
      const due = [...this.timers].filter(([, at]) => at <= until).sort((a, b) => a[1] - b[1])[0]
      if (due === undefined) break
      this.timers.delete(due[0])
      this.now = Math.max(this.now, due[1])
      out.push(...this.step({ kind: 'timer', name: due[0] }))
    }
    this.now = until
    return out
  }

  /** The process is gone and comes back with what it saved; its clock starts again. */
  restart(): Out<Message, Event>[] {
    this.timers.clear()
    this.now = 50
    this.kept = new KeptLane(this.records)
    this.state = this.protocol.init(this.self, this.peers, this.saved())
    return this.start()
  }

  /** As `restart`, but its disk is gone too. */
  lose(): Out<Message, Event>[] {
    this.kept = new KeptLane()
    return this.restart()
  }

  saved(): Saved {
    return new Map([['', [...this.records]]])
  }

  private step(input: Parameters<AnyProtocol['step']>[1]): Out<Message, Event>[] {
    const out: Out<Message, Event>[] = []
    this.protocol.step(this.state, input, {
      now: this.now,
      below: bound => Math.min(this.chance.shift() ?? 0, bound - 1),
      bytes: length => this.drawn.shift() ?? new Uint8Array(length),
      do: effect => {
        out.push(effect)
        if (effect.kind === 'timer') this.timers.set(effect.name, this.now + effect.after)
        if (effect.kind === 'cancel') this.timers.delete(effect.name)
        if (effect.kind === 'snapshot') this.kept.save(effect.record, 'replace')
        if (effect.kind === 'save') this.kept.save(effect.record, effect.begins ? 'begin' : 'append')
        if (effect.kind === 'forget') this.kept.forget()
      },
    })
    this.protocol.check?.(this.state)
    return out
  }
}

export function sent<Message>(out: readonly Out<Message, unknown>[]): { to: NodeId; body: Message }[] {
  return out.flatMap(effect => (effect.kind === 'send' ? [{ to: effect.to, body: effect.body }] : []))
}

export function told<Event>(out: readonly Out<unknown, Event>[]): Event[] {
  return out.flatMap(effect => (effect.kind === 'emit' ? [effect.event] : []))
}
