// The tables: what each service took, and ours beside theirs with the targets.

import { type Print, printTable, show } from '../support/figures.ts'
import { CONTENDERS, type Figures } from './measures.ts'

export interface ServiceFigures {
  readonly service: string
  readonly ours: boolean
  /** Medians over the rounds. */
  readonly figures: Figures
}

export interface Judged {
  readonly measure: string
  readonly service: string
  readonly figure: number
  /** Ours divided by theirs. */
  readonly ratios: Readonly<Record<string, number>>
  readonly target: string
  /** Undefined where there is no target, or the peer was left out. */
  readonly met: boolean | undefined
}

const MEASURES: Readonly<Record<string, string>> = {
  aloneP50: 'lock + release, one client, p50 ms',
  aloneP95: 'lock + release, one client, p95 ms',
  keys: '16 names at once, pairs/s',
  ...Object.fromEntries(CONTENDERS.map(count => [`contended${count}`, `${count} clients meet, ms an entry`])),
  again: '8 clients in a loop, ms an entry',
  holderKilled: 'holder killed, 5 s lease, ms to the next',
  killP95Ratio: 'server killed, p95 after / before',
  killGap: 'server killed, longest pair, ms',
  calmGap: 'longest pair before that, ms',
  restMb: 'largest server, MB',
  heldMb: 'the same with all names held, MB',
}

interface Target {
  readonly measure: string
  readonly service: RegExp
  /** A ratio to this peer; without it, the figure itself. */
  readonly peer?: string
  readonly most?: number
  readonly least?: number
}

const TARGETS: readonly Target[] = [
  { measure: 'aloneP50', service: /-3$/, peer: 'redlock', most: 0.75 },
  { measure: 'aloneP50', service: /-6/, peer: 'redlock', most: 1.2 },
  { measure: 'aloneP50', service: /./, peer: 'etcd', most: 0.15 },
  { measure: 'aloneP50', service: /./, peer: 'zookeeper', most: 0.15 },
  { measure: 'aloneP95', service: /-liar$/, peer: 'coterie-6', most: 2 },
  { measure: 'keys', service: /-3$/, peer: 'redlock', least: 5 },
  { measure: 'keys', service: /-6/, peer: 'redlock', least: 2 },
  ...CONTENDERS.map(count => ({ measure: `contended${count}`, service: /./, most: 1.5 })),
  { measure: 'holderKilled', service: /./, most: 5_100 },
  { measure: 'killP95Ratio', service: /./, most: 2 },
  { measure: 'killGap', service: /./, most: 50 },
  { measure: 'heldMb', service: /./, most: 150 },
]

export function report(print: Print, all: readonly ServiceFigures[]): Judged[] {
  const measures = Object.keys(MEASURES).filter(measure => all.some(({ figures }) => measure in figures))
  printTable(
    print,
    ['', ...all.map(({ service }) => service)],
    measures.map(measure => [MEASURES[measure]!, ...all.map(({ figures }) => show(figures[measure]))]),
  )
  const judged = measures.flatMap(measure => judge(measure, all))
  const peers = all.filter(({ ours }) => !ours).map(({ service }) => service)
  print('')
  printTable(
    print,
    ['ours', 'service', 'figure', ...peers.map(peer => `/ ${peer}`), 'target', ''],
    judged.map(row => [
      MEASURES[row.measure]!,
      row.service,
      show(row.figure),
      ...peers.map(peer => show(row.ratios[peer])),
      row.target,
      row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
    ]),
  )
  return judged
}

function judge(measure: string, all: readonly ServiceFigures[]): Judged[] {
  const rows = []
  for (const { service, ours, figures } of all) {
    const figure = figures[measure]
    if (!ours || figure === undefined) continue
    const ratios: Record<string, number> = {}
    for (const other of all) if (other.service !== service) ratios[other.service] = figure / other.figures[measure]!
    const targets = TARGETS.filter(target => target.measure === measure && target.service.test(service))
    const verdicts = targets.map(target => isMet(target, figure, ratios)).filter(verdict => verdict !== undefined)
    rows.push({
      measure,
      service,
      figure,
      ratios,
      target: targets.map(describe).join(', '),
      met: verdicts.length === 0 ? undefined : verdicts.every(Boolean),
    })
  }
  return rows
}

function isMet({ peer, most, least }: Target, figure: number, ratios: Record<string, number>): boolean | undefined {
  const value = peer === undefined ? figure : ratios[peer]
  if (value === undefined || Number.isNaN(value)) return undefined
  return (most === undefined || value <= most) && (least === undefined || value >= least)
}

function describe({ peer, most, least }: Target): string {
  const bound = most === undefined ? `≥ ${least}` : `≤ ${most}`
  return peer === undefined ? bound : `${bound} ${peer}`
}
