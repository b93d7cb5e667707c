// “It has been tried”: every duel of a level, run in a worker while one watches the count.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from '../registry.ts'
import { type Work, work } from '../scripts.ts'

interface Tried {
  readonly tried: number
  /** Which of them let two in. */
  readonly places: readonly number[]
  readonly done: boolean
}

type Outcome = Omit<Tried, 'done'>

const MS_MAX = 60_000

export function Exhausted({ name }: ViewProps): JSX.Element {
  const servers = Number(name)
  const state = useDuels(servers)
  if (typeof state === 'string') return <p class="notice">{state}</p>
  const { tried, places, done } = state
  return (
    <section class="card exhausted" aria-label="Every way, tried">
      <header>
        <h2>All ways with {servers} servers, tried in your browser</h2>
      </header>
      <div
        class="stack"
        role="status"
        data-exhausted={done ? 'yes' : 'no'}
        data-tried={tried}
        data-broken={places.length}
      >
        <Dots tried={tried} places={places} />
        <p>
          <span class="count">{tried}</span> duels, <span class="count">{places.length}</span> with two inside
        </p>
        <p class="soft small">{done ? saidOf(places.length) : TRYING}</p>
      </div>
    </section>
  )
}

const WAYS = 'who is first at each honest server, and every pair of your words'
const TRYING = `Trying ${WAYS}…`

function saidOf(broken: number): string {
  return broken === 0
    ? `A dot is one way to meet: ${WAYS}. There is no other, and none of them breaks it.`
    : `A dot is one way to meet: ${WAYS}. The red ones let two in.`
}

/** Every duel while it is tried, as the worker tells of it. */
function useDuels(servers: number): Tried | string {
  const [state, setState] = useState<Tried | string>({ tried: 0, places: [], done: false })
  useEffect(() => {
    let running: Work<Outcome> | undefined
    const begin = async () => {
      running = work<Outcome>(['duels'], 'duels', servers, {
        msMax: MS_MAX,
        progress: told => setState({ ...(told as Outcome), done: false }),
      })
      const { tried, places } = await running.result
      setState({ tried, places, done: true })
    }
    begin().catch((error: Error) => setState(error.message))
    return () => running?.stop()
  }, [servers])
  return state
}

const COLUMNS = 36
const GAP = 10

/** One dot a duel: the sentence beside it says the same. */
function Dots({ tried, places }: Outcome): JSX.Element {
  const rows = Math.max(1, Math.ceil(tried / COLUMNS))
  const red = new Set(places)
  const dot = (place: number, size: number) =>
    `M${(place % COLUMNS) * GAP + (GAP - size) / 2} ${Math.floor(place / COLUMNS) * GAP + (GAP - size) / 2}h${size}v${size}h-${size}z`
  const all = Array.from({ length: tried }, (_, place) => place)
  return (
    <svg class="dots" viewBox={`0 0 ${COLUMNS * GAP} ${rows * GAP}`} aria-hidden="true">
      <path
        class="safe"
        d={all
          .filter(place => !red.has(place))
          .map(place => dot(place, 6))
          .join('')}
      />
      <path class="both" d={places.map(place => dot(place, 9)).join('')} />
    </svg>
  )
}
