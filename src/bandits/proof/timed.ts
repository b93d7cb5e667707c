// A blind run at one table with a clock of its own: messages take a millisecond, pulls take what they are said to take, and a party may
// be gone from some time on. For what depends on time and on nothing else: the beat of boxes, and arms that are lost.

import { createHost, type Host, NOTHING_SAVED, type NodeId, seededRandom } from '../../core/index.ts'
import { banditArm } from '../arm/machine.ts'
import type { ArmState } from '../arm/state.ts'
import { banditComparator } from '../comparator/machine.ts'
import type { Source } from '../open.ts'
import { rewardGrid } from '../rewards.ts'
import { banditRules } from '../rules.ts'
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

/** Plays to the end, or until nothing more can happen. */
export function playTimed({ run: shape, sources, seed, pullMs, gone = {} }: TimedShape): TimedResult {
  const parties = idealParties()
  const run = idealRun(shape, sources.length, parties)
  const settings = { run, repeat: REPEAT_MS, timeout: TIMEOUT_MS, rules: banditRules }
  const random = seededRandom(seed, 0x71)
  const queue: { at: number; order: number; act(): void }[] = []
  const hosts = new Map<NodeId, AnyHost>()
  const said: Said[] = []
  const pulls: { arm: number; number: number; round: number; at: number }[] = []
  const timers = new Map<string, number>()
  let [now, order, endedAt] = [0, 0, 0]
  let answer: TimedResult['answer']
  let stopped = ''
  const later = (after: number, act: () => void) => queue.push({ at: now + after, order: order++, act })
  const isGone = (id: NodeId) => gone[id] !== undefined && now >= gone[id].from && now < (gone[id].until ?? Infinity)
  const give = (id: NodeId, input: Parameters<AnyHost['input']>[0]) => {
    if (!isGone(id)) hosts.get(id)!.input(input)
  }
  const { steps } = rewardGrid(run.rewards)
  const ids = run.arms.map(({ id }) => id)
  const told = (id: NodeId, event: BanditEvent) => {
    if (event.kind === 'pull') {
      const arm = ids.indexOf(id)
      const { number, round } = event
      pulls.push({ arm, number, round, at: now })
      const reward = steps(sources[arm]!(number))
      later(pullMs?.(arm, number) ?? 0, () =>
        give(id, { kind: 'command', body: { kind: 'reward', number, steps: reward } }),
      )
    }
    if (id !== run.user.id || (event.kind !== 'answered' && event.kind !== 'stopped')) return
    endedAt = now
    if (event.kind === 'answered') answer = event
    else stopped = event.why
  }
  const seat = (id: NodeId, protocol: Parameters<typeof createHost>[0]) => {
    const host = createHost(protocol, id, [], NOTHING_SAVED, {
      now: () => now,
      below: random.below,
      bytes: random.bytes,
      send: (to, body) => {
        if (isGone(id)) return
        said.push({ at: now, from: id, to, body: body as BanditMessage })
        later(WIRE_MS, () => give(to, { kind: 'message', from: id, body: body as BanditMessage }))
      },
      timer: (name, after) => {
        const key = `${id} ${name}`
        const mine = order
        timers.set(key, mine)
        later(after, () => timers.get(key) === mine && give(id, { kind: 'timer', name }))
      },
      cancel: name => void timers.delete(`${id} ${name}`),
      save: (_lane, _record, _kind, durable) => durable?.(),
      forget: () => {},
      emit: event => told(id, event as BanditEvent),
    })
    hosts.set(id, host as AnyHost)
  }
  for (const id of ids) seat(id, banditArm(settings, parties.keysOf(id)))
  seat(run.shuffler.id, banditShuffler(settings, parties.keysOf(run.shuffler.id)))
  seat(run.comparator.id, banditComparator(settings, parties.keysOf(run.comparator.id)))
  seat(run.user.id, banditUser(settings, parties.keysOf(run.user.id)))
  for (const id of hosts.keys()) later(0, () => give(id, { kind: 'start' }))
  later(0, () => give(run.user.id, { kind: 'command', body: { kind: 'begin' } }))
  while (queue.length > 0 && answer === undefined && stopped === '') {
    let first = 0
    for (let at = 1; at < queue.length; at++) {
      const [one, best] = [queue[at]!, queue[first]!]
      if (one.at < best.at || (one.at === best.at && one.order < best.order)) first = at
    }
    const [{ at, act }] = queue.splice(first, 1) as [(typeof queue)[number]]
    now = at
    act()
  }
  const arms = ids.map(id => hosts.get(id)!.state as ArmState)
  return { answer, stopped, endedAt, said, pulls, arms, run, parties }
}
