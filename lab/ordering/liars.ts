// BACKOFF §6, §7: what liars among the servers cost, from none to b, and what breaks when there is one more.
//
// All liars of a run lie in the same way, and say the same: liars that agree with each other are the worst ones. With
// at most b of them no client is told what is not so, and nobody waits: q servers answer without them. With b + 1,
// whatever b + 1 vouch for is believed, so they can order operations that nobody submitted. Refusing every rank, which
// as printed would end every attempt, stops nobody here: an attempt goes on while a quorum of others answers.

import { trust } from '../../src/core/index.ts'
import { orderingDefaults } from '../../src/ordering/index.ts'
import { orderingLiars } from '../../src/ordering/proof/index.ts'
import { lineChart } from '../chart.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'
import { ProductStage } from './product-stage.ts'

const TRUST = trust({ servers: 7, liars: 1, crashes: 1 })
const CLIENTS = 4
/** Simulated time in which everybody submits without a pause. */
const BUSY = { small: 100_000, full: 2_000_000 }
const KINDS = {
  small: ['two-faced', 'refusing', 'inventing', 'misanswering', 'content-forger', 'stale'],
  full: orderingLiars(orderingDefaults.hash).map(({ name }) => name),
}
/** Which of the servers is quickest changes nothing in this world; a share of this much would be another protocol. */
const SHARE = 0.1

interface Outcome {
  /** Operations answered a second. */
  readonly throughput: number
  /** Answers and versions that contradict the log of the honest servers. */
  readonly violations: number
}

function withLiars(kind: string, count: number, options: RunOptions): Outcome {
  const liars = Array.from(
    { length: count },
    () => orderingLiars(orderingDefaults.hash).find(one => one.name === kind)!,
  )
  const stage = new ProductStage(TRUST, CLIENTS, options.seed, liars)
  const busy = BUSY[options.scale]
  const answered = stage.keepBusy(busy).delays.length
  stage.settle()
  return { throughput: (answered * 1_000_000) / busy, violations: stage.violations() }
}

function rowsOf(kind: string, outcomes: readonly Outcome[], honest: number): Row[] {
  return outcomes.flatMap(({ throughput, violations }, at) => {
    const count = at + 1
    const bearable = count <= TRUST.liars
    const who = `${count} of 7 ${kind}`
    return [
      row(`${who}: operations a second`, throughput, bearable ? honest : null, bearable ? honest * SHARE : null),
      row(`${who}: broken promises`, violations, bearable ? 0 : null, bearable ? 0 : null),
    ]
  })
}

export const liarsExperiment: Experiment = {
  name: 'ordering-liars',
  title: 'Up to b liars cost nothing; b + 1 that agree order what nobody asked for.',
  source: 'BACKOFF §6, §7',
  run(options: RunOptions) {
    const kinds = KINDS[options.scale]
    const { throughput: honest, violations } = withLiars('', 0, options)
    const rows = [
      row('no liars: operations a second', honest, null, null),
      row('no liars: broken promises', violations, 0, 0),
    ]
    const found = kinds.map((kind, at) => {
      options.progress(at / kinds.length, kind)
      return { kind, outcomes: [1, 2].map(count => withLiars(kind, count, options)) }
    })
    for (const { kind, outcomes } of found) rows.push(...rowsOf(kind, outcomes, honest))
    const beyond = found.map(({ outcomes }) => outcomes.at(-1)!)
    rows.push(row('b + 1 liars of some kind break a promise', beyond.some(one => one.violations > 0) ? 1 : 0, 1, 0))
    // By the rule of BACKOFF §6.2, b + 1 that refuse would; ours goes on while a quorum is left.
    rows.push(row('b + 1 liars of some kind stop everybody', beyond.some(one => one.throughput === 0) ? 1 : 0, 0, 0))
    const refusing = beyond[kinds.indexOf('refusing')]!
    rows.push(row('b + 1 refusing servers: operations a second', refusing.throughput, honest, honest * SHARE))
    const series = found.map(({ kind, outcomes }) => ({
      name: kind,
      points: [honest, ...outcomes.map(({ throughput }) => throughput)].map((value, at) => [at, value] as const),
    }))
    const svg = lineChart({
      title: 'Seven servers, b = 1: operations a second with liars that agree',
      x: { label: 'lying servers' },
      y: { label: 'operations a second of simulated time' },
      note: 'One run for each mark.',
      series: series.slice(0, SERIES_MAX),
    })
    return { rows, pictures: [{ name: 'ordering-liars.svg', svg }], notes: NOTES }
  },
}

/** As many as there are colours. */
const SERIES_MAX = 8

const NOTES = [
  'Four clients submit without a pause; every message takes one millisecond, disks take no time.',
  'Broken promises are counted against the log of the honest servers: operations that nobody submitted or that were ' +
    'applied twice, answers that are not what the operation gave, two states of one version.',
  'Two inventing servers tell the holder of the turn of operations in others’ names; b + 1 vouch for them, so they are ' +
    'applied. Two misanswering servers call living sessions gone, and b + 1 are believed: who hears it stops, because a ' +
    'program would have to open another session. Two refusing servers stop nobody: as printed (§6.2) their b + 1 RankExceptions would end every attempt, ' +
    'but ours goes on while a quorum of others answers.',
]
