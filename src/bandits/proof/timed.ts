// A blind run at one table with a clock of its own: messages take a millisecond, pulls take what they are said to take, and a party may
// be gone from some time on. For what depends on time and on nothing else: the beat of boxes, and arms that are lost.

import { createHost, type Host, NOTHING_SAVED, type NodeId, seededRandom } from '../../core/index.ts'
import { banditArm } from '../arm/machine.ts'
import type { ArmState } from '../arm/state.ts'
import { banditComparator } from '../comparator/machine.ts'
import type { Source } from '../open.ts'
import { rewardGrid } from '../rewards.ts'
import { type BanditRules, banditRules } from '../rules.ts'
import type { BanditRun } from '../settings.ts'
import { banditShuffler } from '../shuffler/machine.ts'
import type { BanditEvent } from '../table.ts'
import { banditUser } from '../user/machine.ts'
import type { UserEvent } from '../user/state.ts'
import type { BanditMessage } from '../wire.ts'
import { type IdealParties, idealParties } from './ideal.ts'
import { idealRun } from './together.ts'

/** What is played, and what goes wrong. */
export interface TimedShape {
  readonly run: Pick<BanditRun, 'algorithm' | 'budget'> & Partial<BanditRun>
  readonly sources: readonly Source[]
  readonly seed: number
  /** How long that pull takes. */
  pullMs?(arm: number, number: number): number
  /** From when on a party hears and says nothing, and until when. */
  readonly gone?: Readonly<Record<NodeId, { readonly from: number; readonly until?: number }>>
  /** Rules of all parties; default: as they must be. */
  readonly rules?: BanditRules
  /** Keys of all parties; default: ideal ones. */
  readonly parties?: IdealParties
}

/** A message, and when it was sent. */
export interface Said {
  readonly at: number
  readonly from: NodeId
  readonly to: NodeId
  readonly body: BanditMessage
}

/** What came of it. */
export interface TimedResult {
  readonly answer: (UserEvent & { kind: 'answered' }) | undefined
  /** Why the user has no answer. */
  readonly stopped: string
  readonly endedAt: number
  readonly said: readonly Said[]
  readonly pulls: readonly {
    readonly arm: number
    readonly number: number
    readonly round: number
    readonly at: number
  }[]
  readonly arms: readonly ArmState[]
  readonly run: BanditRun
  readonly parties: IdealParties
}

const WIRE_MS = 1
const REPEAT_MS = 50
const TIMEOUT_MS = 100_000

// biome-ignore lint/suspicious/noExplicitAny: four kinds of party sit here
type AnyHost = Host<any, BanditMessage, any>

/** What happens when, in order. */
class Clock {
  now = 0
  order = 0
  private readonly queue: { readonly at: number; readonly order: number; act(): void }[] = []

  later(after: number, act: () => void): void {
    this.queue.push({ at: this.now + after, order: this.order++, act })
  }

  /** False where nothing more can happen. */
  step(): boolean {
    let first = 0
    for (let at = 1; at < this.queue.length; at++) {
      const [one, best] = [this.queue[at]!, this.queue[first]!]
      if (one.at < best.at || (one.at === best.at && one.order < best.order)) first = at
    }
    const next = this.queue.splice(first, 1)[0]
    if (next === undefined) return false
    this.now = next.at
    next.act()
    return true
  }
}

class TimedTable {
  readonly said: Said[] = []
  readonly pulls: TimedResult['pulls'][number][] = []
  readonly hosts = new Map<NodeId, AnyHost>()
  readonly parties: IdealParties
  readonly run: BanditRun
  readonly clock = new Clock()
  answer: TimedResult['answer']
  stopped = ''
  endedAt = 0
  private readonly timers = new Map<string, number>()
  private readonly shape: TimedShape
  private readonly random

  constructor(shape: TimedShape) {
    this.shape = shape
    this.parties = shape.parties ?? idealParties()
    this.run = idealRun(shape.run, shape.sources.length, this.parties)
    this.random = seededRandom(shape.seed, 0x71)
    const settings = { run: this.run, repeat: REPEAT_MS, timeout: TIMEOUT_MS, rules: shape.rules ?? banditRules }
    const keys = (id: NodeId) => this.parties.keysOf(id)
    const { arms, shuffler, comparator, user } = this.run
    for (const { id } of arms) this.seat(id, banditArm(settings, keys(id)))
    this.seat(shuffler.id, banditShuffler(settings, keys(shuffler.id)))
    this.seat(comparator.id, banditComparator(settings, keys(comparator.id)))
    this.seat(user.id, banditUser(settings, keys(user.id)))
    for (const id of this.hosts.keys()) this.clock.later(0, () => this.give(id, { kind: 'start' }))
    this.clock.later(0, () => this.give(user.id, { kind: 'command', body: { kind: 'begin' } }))
  }

  private isGone(id: NodeId): boolean {
    const gone = this.shape.gone?.[id]
    return (
      gone !== undefined && this.clock.now >= gone.from && this.clock.now < (gone.until ?? Number.POSITIVE_INFINITY)
    )
  }

  private give(id: NodeId, input: Parameters<AnyHost['input']>[0]): void {
    if (!this.isGone(id)) this.hosts.get(id)!.input(input)
  }

  private seat(id: NodeId, protocol: Parameters<typeof createHost>[0]): void {
    const { clock, random, timers } = this
    const host = createHost(protocol, id, [], NOTHING_SAVED, {
      now: () => clock.now,
      below: random.below,
      bytes: random.bytes,
      send: (to, body) => this.send({ at: clock.now, from: id, to, body: body as BanditMessage }),
      timer: (name, after) => {
        const [key, mine] = [`${id} ${name}`, clock.order]
        timers.set(key, mine)
        clock.later(after, () => timers.get(key) === mine && this.give(id, { kind: 'timer', name }))
      },
      cancel: name => void timers.delete(`${id} ${name}`),
      save: (_lane, _record, _kind, durable) => durable?.(),
      forget: () => {},
      emit: event => this.told(id, event as BanditEvent),
    })
    this.hosts.set(id, host as AnyHost)
  }

  private send(letter: Said): void {
    const { from, to, body } = letter
    if (this.isGone(from)) return
    this.said.push(letter)
    this.clock.later(WIRE_MS, () => this.give(to, { kind: 'message', from, body }))
  }

  private told(id: NodeId, event: BanditEvent): void {
    const { clock, run } = this
    if (event.kind === 'pull') this.pull(id, event.number, event.round)
    if (id !== run.user.id || (event.kind !== 'answered' && event.kind !== 'stopped')) return
    this.endedAt = clock.now
    if (event.kind === 'answered') this.answer = event
    else this.stopped = event.why
  }

  private pull(id: NodeId, number: number, round: number): void {
    const arm = this.run.arms.findIndex(party => party.id === id)
    this.pulls.push({ arm, number, round, at: this.clock.now })
    const steps = rewardGrid(this.run.rewards).steps(this.shape.sources[arm]!(number))
    const body = { kind: 'reward', number, steps }
    this.clock.later(this.shape.pullMs?.(arm, number) ?? 0, () => this.give(id, { kind: 'command', body }))
  }
}

/** Plays to the end, or until nothing more can happen. */
export function playTimed(shape: TimedShape): TimedResult {
  const table = new TimedTable(shape)
  while (table.answer === undefined && table.stopped === '' && table.clock.step());
  const { answer, stopped, endedAt, said, pulls, run, parties, hosts } = table
  const arms = run.arms.map(({ id }) => hosts.get(id)!.state as ArmState)
  return { answer, stopped, endedAt, said, pulls, arms, run, parties }
}
