// Every table and figure of the papers, the paper's number beside ours.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Picture } from '../../lab/experiment.ts'
import { type Cells, chartsOf } from '../../lab/row-charts.ts'
import type { Measured } from '../measured.ts'
import { Figure, Judged } from '../panels/figure.tsx'
import { Find, has } from '../panels/find.tsx'
import { Measure } from '../panels/measure.tsx'
import { published, type ViewProps } from '../registry.ts'
import { loadScript } from '../scripts.ts'

interface Report {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly scale: string
  readonly seed: number
  readonly date?: string
  readonly within: boolean
  readonly notes: readonly string[]
  readonly rows: readonly Cells[]
  /** What it draws of its machines, without a measurement. */
  readonly pictures?: readonly Picture[]
}

export function ExperimentsView({ name }: ViewProps): JSX.Element {
  const [reports, setReports] = useState<readonly Report[] | string | undefined>(() => published('results'))
  const [filter, setFilter] = useState('')
  useEffect(() => {
    loadScript('results').then(
      () => setReports(published<readonly Report[]>('results')),
      (error: Error) => setReports(error.message),
    )
  }, [])
  if (reports === undefined || typeof reports === 'string') return <p role="status">{reports ?? 'Loading…'}</p>
  const one = reports.find(report => report.name === name)
  if (one !== undefined) return <One report={one} />
  const shown = reports.filter(({ name, title, source }) => has(`${name} ${title} ${source}`, filter))
  const figures = reports.flatMap(({ rows }) => rows).filter(([, expected]) => expected !== null)
  return (
    <>
      <div>
        <h1>Every table and figure of the papers, measured again</h1>
        <p class="lead">
          {reports.length} experiments, {figures.length.toLocaleString('en')} figures that a paper gives or that follow
          from its formulas; {figures.filter(row => row[5] === 1).length.toLocaleString('en')} are within their
          tolerance.
        </p>
      </div>
      <Find value={filter} onValue={setFilter} count={shown.length} of={reports.length} />
      {papersOf(reports).map(paper => (
        <Paper key={paper} paper={paper} reports={shown.filter(({ source }) => paperOf(source) === paper)} />
      ))}
    </>
  )
}

/** `BACKOFF §4, figure 1` is of BACKOFF; what follows from our own protocols is under its own name. */
function paperOf(source: string): string {
  return /^[A-Z][A-Z-]+\b/.exec(source)?.[0] ?? 'protocols'
}

function papersOf(reports: readonly Report[]): string[] {
  return [...new Set(reports.map(({ source }) => paperOf(source)))]
}

function Paper({ paper, reports }: { paper: string; reports: readonly Report[] }): JSX.Element | null {
  if (reports.length === 0) return null
  return (
    <section class="group" aria-labelledby={`paper-${paper}`}>
      <h2 id={`paper-${paper}`}>
        {paper === 'protocols' ? 'Our own protocols' : paper} <span class="soft">{reports.length}</span>
      </h2>
      <ul class="grid">
        {reports.map(({ name, title, source, within, rows }) => (
          <li key={name}>
            <a class="card" href={`#experiments=${name}`}>
              <h3>{title}</h3>
              <p class="tag">
                <code>{name}</code> · {source} · {rows.length} rows ·{' '}
                <b class={within ? 'good' : 'bad'}>{within ? '✓ within' : '✗ not within'}</b>
              </p>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const number = (value: number | null) =>
  value === null ? '' : Number.isInteger(value) ? value.toLocaleString('en') : String(value)

function One({ report }: { report: Report }): JSX.Element {
  const [fresh, setFresh] = useState<Measured | undefined>(undefined)
  const rows = fresh === undefined ? report.rows : cellsOf(fresh)
  return (
    <>
      <div>
        <p>
          <a href="#experiments">All experiments</a>
        </p>
        <h1>{report.title.replace(/\.$/, '')}</h1>
        <p class="soft">
          <code>{report.name}</code>: {report.source}. Measured at scale {report.scale}, seed {report.seed}
          {report.date === undefined ? '' : `, on ${report.date}`}; again with{' '}
          <code>
            coterie lab run {report.name} --scale {report.scale} --seed {report.seed}
          </code>
        </p>
      </div>
      <Measure name={report.name} onMeasured={setFresh} />
      {fresh === undefined ? undefined : <MeasuredHere report={fresh} />}
      {fresh === undefined && report.pictures !== undefined ? <Machines pictures={report.pictures} /> : undefined}
      <Charts rows={rows} />
      <Table rows={rows} />
      {(fresh ?? report).notes.map(note => (
        <p key={note}>{note}</p>
      ))}
    </>
  )
}

function Table({ rows }: { rows: readonly Cells[] }): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="card scroll" tabIndex={0} aria-label="Table">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              The paper’s
            </th>
            <th scope="col" class="number">
              Ours
            </th>
            <th scope="col">Unit</th>
            <th scope="col" class="number">
              Tolerance
            </th>
            <th scope="col">Within</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, place) => (
            <Line key={`${place} ${cells[0]}`} cells={cells} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function cellsOf({ rows }: Measured): Cells[] {
  return rows.map(({ what, expected, measured, tolerance, unit, within }) => [
    what,
    expected,
    measured,
    tolerance,
    unit ?? '',
    within ? 1 : 0,
  ])
}

/** What came out here, and what the experiment itself draws of it. */
function MeasuredHere({ report: { scale, seed, wallMs, within, pictures } }: { report: Measured }): JSX.Element {
  return (
    <section class="card stack" role="status" data-measured={within ? 'within' : 'outside'}>
      <p>
        <b>Measured here, just now</b>: scale {scale}, seed {seed}, {(wallMs / 1000).toFixed(1)} s.{' '}
        {within ? 'Every figure is within what it tolerates.' : 'Not every figure is within what it tolerates.'} Charts
        and table below are these.
      </p>
      <Pictures pictures={pictures} />
    </section>
  )
}

/** What the experiment drew of its machines when the results were written. */
function Machines({ pictures }: { pictures: readonly Picture[] }): JSX.Element {
  return (
    <section class="card" aria-label="Drawn of the machines">
      <Pictures pictures={pictures} />
    </section>
  )
}

function Pictures({ pictures }: { pictures: readonly Picture[] }): JSX.Element {
  return (
    <div class="charts">
      {pictures.map(({ name, svg, says }) => (
        <img
          key={name}
          alt={says ?? `Drawn by the experiment: ${name}`}
          src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
        />
      ))}
    </div>
  )
}

function Line({ cells }: { cells: Cells }): JSX.Element {
  const [what, expected, measured, tolerance, unit, within] = cells
  return (
    <tr>
      <th scope="row">{what}</th>
      <td class="number">{number(expected)}</td>
      <td class="number">
        <b>{number(measured)}</b>
      </td>
      <td>{unit}</td>
      <td class="number">{tolerance === null ? '' : `± ${number(tolerance)}`}</td>
      <td class={within ? 'good' : 'bad'}>{expected === null ? '' : within ? '✓ yes' : '✗ no'}</td>
      <td>
        <Judged cells={cells} />
      </td>
    </tr>
  )
}

function Charts({ rows }: { rows: readonly Cells[] }): JSX.Element | null {
  const charts = chartsOf(rows)
  if (charts.length === 0) return null
  return (
    <section class="card charts" aria-label="Drawn">
      {charts.map(chart => (
        <Figure key={`${chart.axis} ${chart.unit}`} chart={chart} />
      ))}
    </section>
  )
}
