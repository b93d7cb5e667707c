// BACKOFF §6.1, and protocols/ordering: what an operation costs in messages and in message times, as printed and as built.
//
// As printed, every operation stands in line for the lock of figure 1 first, whose holder keeps it for Δ; get, propose
// and commit follow. As built, ranks alone keep the order safe, and turns only keep clients out of each other's way:
// get and propose where another had the turn (cold), propose alone where the same client goes on (warm). Operations of
// all who wait are applied in one version: t clients that submit at once need two versions, whatever t is.

import { type Trust, trust } from '../../src/core/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Picture, type Row, type RunOptions, row } from '../experiment.ts'
import type { Batch } from './measure.ts'
import { printedCosts } from './printed-stage.ts'
import { ProductStage } from './product-stage.ts'

interface Extent {
  readonly clients: readonly number[]
  /** Runs of the printed form, whose backoff is random. */
  readonly seeds: number
  /** Simulated microseconds in which everybody submits without a pause. */
  readonly busy: number
}

const EXTENTS: Readonly<Record<RunOptions['scale'], Extent>> = {
  small: { clients: [1, 4, 32], seeds: 2, busy: 100_000 },
  full: { clients: [1, 2, 4, 8, 16, 32], seeds: 30, busy: 1_000_000 },
}

interface Costs {
  readonly clients: number
  readonly printed: readonly Batch[]
  /** The operations before which the printed form commits the initial state. */
  readonly first: readonly Batch[]
  /** One that was not there before. */
  readonly newcomer: readonly Batch[]
  /** One client that had the turn before, and one that had not. */
  readonly warm: Batch
  readonly cold: Batch
  /** All at once, where nobody of them had the turn. */
  readonly together: Batch
  readonly busy: Batch
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const meanDelay = (batches: readonly Batch[]) => average(batches.flatMap(batch => batch.delays))
const perOperation = (batches: readonly Batch[]) =>
  average(batches.map(({ messages, delays }) => messages / delays.length))
const perVersion = (batches: readonly Batch[]) =>
  average(batches.map(({ versions, delays }) => delays.length / versions))

function measure(numbers: Trust, clients: number, { seeds, busy }: Extent, seed: number): Costs {
  const stage = new ProductStage(numbers, clients + 2, seed)
  const [first, second, ...others] = stage.users
  const step = (work: () => Batch) => {
    const batch = work()
    stage.settle()
    return batch
  }
  // Any client may have the turn after the sessions were opened: from here on it is the first.
  step(() => stage.together([first!]))
  const printed = Array.from({ length: seeds }, (_, run) => printedCosts(numbers, clients, seed * 1_000 + run))
  return {
    clients,
    warm: step(() => stage.together([first!])),
    cold: step(() => stage.together([second!])),
    together: step(() => stage.together(others)),
    busy: step(() => stage.keepBusy(busy)),
    printed: printed.map(({ warm }) => warm),
    first: printed.map(costs => costs.first),
    newcomer: printed.map(costs => costs.newcomer),
  }
}

function rowsOf(numbers: Trust, costs: readonly Costs[]): Row[] {
  const { servers } = numbers
  const { warm, cold, printed: alone, first, newcomer } = costs[0]!
  const name = `n = ${servers}`
  const rows = [
    row(`${name}, as built, warm: delay`, meanDelay([warm]), 2, 0, 'message times'),
    row(`${name}, as built, warm: messages`, warm.messages, 2 * servers, 0),
    row(`${name}, as built, cold: delay`, meanDelay([cold]), 4, 0, 'message times'),
    row(`${name}, as built, cold: messages`, cold.messages, 4 * servers, 0),
    // Lock, get, propose, commit: a round trip each, and the submission beside the first. Responses leave with the
    // commit's answers; of those the client needs b + 1, and b answers come between them.
    row(`${name}, as printed, warm: delay`, meanDelay(alone), 8, 0, 'message times'),
    row(`${name}, as printed, warm: messages`, perOperation(alone), 8 * servers + 2 * numbers.liars + 1, 0),
    row(`${name}, as printed, the first operation of all: delay`, meanDelay(first), null, null, 'message times'),
    row(`${name}, as printed, the first operation of all: messages`, perOperation(first), null, null),
    row(`${name}, as printed, another client than before: delay`, meanDelay(newcomer), null, null, 'message times'),
    row(`${name}, as printed, another client than before: messages`, perOperation(newcomer), null, null),
  ]
  for (const { clients: t, together, busy, printed } of costs) {
    const at = `${name}, t = ${t}`
    // The first one is served after two round trips, all others together after two more.
    rows.push(row(`${at} at once, as built: mean delay`, meanDelay([together]), (4 + 8 * (t - 1)) / t, 0))
    rows.push(row(`${at} at once, as built: messages per operation`, perOperation([together]), null, null))
    rows.push(row(`${at} without a pause, as built: mean delay`, meanDelay([busy]), null, null))
    rows.push(row(`${at} without a pause, as built: messages per operation`, perOperation([busy]), null, null))
    rows.push(row(`${at} without a pause, as built: operations per version`, perVersion([busy]), null, null))
    rows.push(row(`${at} at once, as printed: mean delay`, meanDelay(printed), null, null))
    rows.push(row(`${at} at once, as printed: messages per operation`, perOperation(printed), null, null))
    rows.push(row(`${at} at once, as printed: operations per version`, perVersion(printed), null, null))
  }
  return rows
}

function pictureOf(numbers: Trust, costs: readonly Costs[], what: 'delay' | 'messages'): Picture {
  const value = what === 'delay' ? meanDelay : perOperation
  const line = (name: string, pick: (cost: Costs) => readonly Batch[]) => ({
    name,
    points: costs.map(cost => [cost.clients, value(pick(cost))] as const),
  })
  const label = what === 'delay' ? 'message times from submission to response' : 'messages per operation'
  return {
    name: `ordering-roundtrips-${what}-${numbers.servers}.svg`,
    svg: lineChart({
      title: `Ordering with ${numbers.servers} servers: ${what === 'delay' ? 'delay' : 'messages'}`,
      x: { label: 'clients', log: true },
      y: { label, log: true },
      note: `As printed: means of ${costs[0]!.printed.length} runs; as built: one run, without chance.`,
      series: [
        line('as printed, at once', ({ printed }) => printed),
        line('as built, at once', ({ together }) => [together]),
        line('as built, without a pause', ({ busy }) => [busy]),
      ],
    }),
  }
}

export const roundtripsExperiment: Experiment = {
  name: 'ordering-roundtrips',
  title: 'An operation takes two round trips cold and one warm, and many clients at once share versions.',
  source: 'BACKOFF §6.1',
  run(options: RunOptions) {
    const extent = EXTENTS[options.scale]
    const groups = [trust({ servers: 3, liars: 0, crashes: 1 }), trust({ servers: 7, liars: 1, crashes: 1 })]
    const rows: Row[] = []
    const pictures: Picture[] = []
    for (const [place, numbers] of groups.entries()) {
      const costs = extent.clients.map((clients, at) => {
        options.progress((place + at / extent.clients.length) / groups.length, `${clients} clients`)
        return measure(numbers, clients, extent, options.seed)
      })
      rows.push(...rowsOf(numbers, costs))
      pictures.push(pictureOf(numbers, costs, 'delay'), pictureOf(numbers, costs, 'messages'))
    }
    return { rows, pictures, notes: NOTES }
  },
}

const NOTES = [
  'Every message takes one message time, disks take none. Messages are counted until the last response.',
  'As printed, the lock of figure 1 has no release: its holder keeps it for Δ, here eight message times, and a client that ' +
    'finds it taken backs off for multiples of that. The product has no lock below the order.',
  'As printed, warm: everybody has submitted once before. Before the very first operation the initial state is proposed ' +
    'and committed, which BACKOFF §7 leaves out, and a client that did not commit the last version itself completes it ' +
    'first, and stands in line for the lock again. Both have rows of their own.',
]
