// A whole private run at one table with ideal arithmetic: quick enough for thousands of tapes.

import { seededRandom } from '../../core/index.ts'
import type { ArmState } from '../arm/state.ts'
import type { Source } from '../open.ts'
import { rewardGrid } from '../rewards.ts'
import { banditRules } from '../rules.ts'
import type { BanditRun, BanditSettings } from '../settings.ts'
import { BanditTable, type TableParts } from '../table.ts'
import { type IdealParties, idealParties } from './ideal.ts'

/** What came of a run at a table. */
export interface TogetherResult {
  readonly best: number | undefined
  readonly steps: number | undefined
  /** Why it stopped; empty where it did not. */
  readonly stopped: string
  readonly arms: readonly ArmState[]
  /** The arm of each pull, in order. */
  readonly order: readonly number[]
  /** How many messages of each kind. */
  readonly messages: ReadonlyMap<string, number>
  readonly parties: IdealParties
  readonly run: BanditRun
}

/** A run whose parties have ideal keys. */
export function idealRun(
  shape: Pick<BanditRun, 'algorithm' | 'budget'> & Partial<BanditRun>,
  count: number,
  parties: IdealParties,
): BanditRun {
  return {
    name: 'colour',
    batch: 0,
    rewards: [0, 1],
    nonce: new Uint8Array(16),
    arms: Array.from({ length: count }, (_, place) => parties.party(`arm-${place + 1}`)),
    shuffler: parties.party('shuffler'),
    comparator: parties.party('comparator'),
    user: parties.party('user'),
    ...shape,
  }
}

/** Plays a run to its end. */
export function playTogether(
  shape: Pick<BanditRun, 'algorithm' | 'budget'> & Partial<BanditRun>,
  sources: readonly Source[],
  seed: number,
  change: Partial<BanditSettings> & Pick<Partial<TableParts>, 'overhear'> = {},
): TogetherResult {
  const parties = idealParties()
  const run = idealRun(shape, sources.length, parties)
  const { overhear, ...settings } = change
  const random = seededRandom(seed, 0xba9d)
  const grid = rewardGrid(run.rewards)
  const ids = run.arms.map(({ id }) => id)
  const messages = new Map<string, number>()
  const order: number[] = []
  let best: number | undefined
  let steps: number | undefined
  let stopped = ''
  const table = new BanditTable({
    settings: { run, repeat: 1, timeout: 1, rules: banditRules, ...settings },
    keysOf: parties.keysOf,
    random: random.bytes,
    overhear(from, to, body) {
      messages.set(body.kind, (messages.get(body.kind) ?? 0) + 1)
      overhear?.(from, to, body)
    },
    event(from, event) {
      if (event.kind === 'stopped') stopped ||= event.why
      if (event.kind === 'answered') ({ best, steps } = event)
      if (event.kind !== 'pull') return
      const arm = ids.indexOf(from)
      order.push(arm)
      const { number } = event
      table.command(from, { kind: 'reward', number, steps: grid.steps(sources[arm]!(number)) })
    },
  })
  table.begin()
  while (table.work(1_000)) {}
  return { best, steps, stopped, arms: ids.map(id => table.armState(id)), order, messages, parties, run }
}
