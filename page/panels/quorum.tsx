// Who said what to whom, at the cursor: the table in which one sees a liar tell two clients two things, and how many
// yes each of them has.

import type { JSX } from 'preact'
import type { Mark } from '../diagram/marks.ts'
import { shortWord } from '../words.ts'

interface QuorumProps {
  readonly marks: readonly Mark[]
  readonly cursor: number
  readonly clients: readonly string[]
  readonly servers: readonly string[]
  readonly liars: ReadonlySet<string>
  /** Yes of so many let a client in; unknown where the protocol has no such number. */
  readonly needed: number | undefined
  /** Who is inside at the cursor. */
  readonly inside: ReadonlySet<string>
  /** Whether two of them must not be. */
  readonly clash: boolean
}

interface Cell {
  readonly text: string
  readonly tone: 'yes' | 'no' | 'other'
  readonly lie: boolean
  readonly fresh: boolean
}

/** What each server last told each client in its present attempt: a new question begins a new row. */
function cellsOf({ marks, cursor, clients, servers }: QuorumProps): Map<string, Map<string, Cell>> {
  const rows = new Map(clients.map(client => [client, new Map<string, Cell>()]))
  const known = new Set(servers)
  const attempts = new Map<string, string>()
  for (let place = 0; place <= cursor && place < marks.length; place++) {
    const mark = marks[place]!
    if (mark.kind !== 'deliver' || !known.has(mark.from!)) continue
    const row = rows.get(mark.node)
    if (row === undefined) continue
    const attempt = /\battempt=(\d+)/.exec(mark.what)?.[1] ?? ''
    if (attempt !== '' && attempts.get(mark.node) !== attempt) row.clear()
    if (attempt !== '') attempts.set(mark.node, attempt)
    row.set(mark.from!, { ...shortWord(mark.what), lie: mark.lie === true, fresh: place === cursor })
  }
  return rows
}

export function Quorum(props: QuorumProps): JSX.Element {
  const { clients, servers, liars, needed, inside, clash } = props
  const rows = cellsOf(props)
  const compact = servers.length > WIDE_MAX
  const shape = compact ? 'quorum compact' : 'quorum'
  return (
    <section class="card" aria-labelledby="quorum-title">
      <header>
        <h2 id="quorum-title">Who said what</h2>
        {needed === undefined ? undefined : <span class="soft small">{needed} yes let a client in</span>}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class={shape} tabIndex={0} aria-label="Answers of each server to each client">
        <table>
          <thead>
            <tr>
              <td />
              {servers.map(server => (
                <th key={server} scope="col" class={liars.has(server) ? 'liar' : ''} aria-label={server}>
                  {short(server)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {clients.map(client => (
              <tr key={client}>
                <th scope="row">{client}</th>
                {servers.map(server => (
                  <td key={server}>
                    <Said cell={rows.get(client)?.get(server)} compact={compact} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {compact ? (
        <p class="soft small">
          <span aria-hidden="true">✓</span> yes, <span aria-hidden="true">✗</span> no; point at one to read the word.
        </p>
      ) : undefined}
      <div class="tally">
        {(needed === undefined ? [] : clients).map(client => (
          <Meter
            key={client}
            client={client}
            yes={[...rows.get(client)!.values()].filter(({ tone }) => tone === 'yes').length}
            of={servers.length}
            needed={needed}
            inside={inside.has(client)}
          />
        ))}
        {clash ? <p class="lie inside">Two are inside at once.</p> : undefined}
      </div>
    </section>
  )
}

/** Of `server-5` the S5 that fits a column. */
function short(name: string): string {
  const match = /^([a-z])[a-z]*-(\d+)$/.exec(name)
  return match === null ? name.slice(0, 6) : `${match[1]!.toUpperCase()}${match[2]}`
}

/** With more servers the words have no room, and signs stand for them. */
const WIDE_MAX = 6
const SIGNS = { yes: '✓', no: '✗', other: '·' } as const

function Said({ cell, compact }: { cell: Cell | undefined; compact: boolean }): JSX.Element {
  if (cell === undefined) return <span class="chip none">–</span>
  const tone = cell.lie ? 'lied' : cell.tone === 'other' ? 'none' : cell.tone
  return (
    <span class={`chip ${tone} ${cell.fresh ? 'fresh' : ''}`} title={cell.text}>
      {compact ? <span aria-hidden="true">{SIGNS[cell.tone]}</span> : cell.text}
      {compact ? <span class="unseen">{cell.text}</span> : undefined}
      {cell.lie ? <span class="unseen"> (a lie)</span> : undefined}
    </span>
  )
}

interface MeterProps {
  readonly client: string
  readonly yes: number
  readonly of: number
  readonly needed: number | undefined
  readonly inside: boolean
}

function Meter({ client, yes, of, needed, inside }: MeterProps): JSX.Element {
  const enough = needed !== undefined && yes >= needed
  return (
    <div class="meter">
      <span class="who">{client}</span>
      <span class="bar" aria-hidden="true">
        <span class={`fill ${enough ? 'enough' : ''}`} style={{ width: `${(100 * yes) / Math.max(1, of)}%` }} />
        {needed === undefined ? undefined : (
          <span class="line" style={{ left: `${(100 * needed) / Math.max(1, of)}%` }} />
        )}
      </span>
      <span>
        {yes} of {of} yes{inside ? <b> · inside</b> : undefined}
      </span>
    </div>
  )
}
