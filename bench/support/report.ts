// The tables: what each service took, and ours beside theirs with the targets.

import { type Print, printTable, show } from './figures.ts'

export interface ServiceFigures {
  readonly service: string
  readonly ours: boolean
  /** Medians over the rounds. */
  readonly figures: Readonly<Record<string, number>>
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

/** Names of measures, in the order of the table. */
export type Measures = Readonly<Record<string, string>>

export interface Target {
  readonly measure: string
  readonly service: RegExp
  /** A ratio to this peer; without it, the figure itself. */
  readonly peer?: string
  readonly most?: number
  readonly least?: number
}

export function report(
  print: Print,
  all: readonly ServiceFigures[],
  names: Measures,
  targets: readonly Target[],
): Judged[] {
  const measures = Object.keys(names).filter(measure => all.some(({ figures }) => measure in figures))
  printTable(
    print,
    ['', ...all.map(({ service }) => service)],
    measures.map(measure => [names[measure]!, ...all.map(({ figures }) => show(figures[measure]))]),
  )
  const judged = measures.flatMap(measure => judge(measure, all, targets))
  const peers = all.filter(({ ours }) => !ours).map(({ service }) => service)
  print('')
  printTable(
    print,
    ['ours', 'service', 'figure', ...peers.map(peer => `/ ${peer}`), 'target', ''],
    judged.map(row => [
      names[row.measure]!,
      row.service,
      show(row.figure),
      ...peers.map(peer => show(row.ratios[peer])),
      row.target,
      row.met === undefined ? '' : row.met ? 'met' : 'MISSED',
    ]),
  )
  return judged
}

function judge(measure: string, all: readonly ServiceFigures[], known: readonly Target[]): Judged[] {
  const rows = []
  for (const { service, ours, figures } of all) {
    const figure = figures[measure]
    if (!ours || figure === undefined) continue
    const ratios: Record<string, number> = {}
    for (const other of all) if (other.service !== service) ratios[other.service] = figure / other.figures[measure]!
    const targets = known.filter(target => target.measure === measure && target.service.test(service))
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
