// “It has been tried”: every duel of a level, run in a worker while one watches the count.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { loadScript, type Work, work } from '../scripts.ts'

interface Tried {
  readonly tried: number
  readonly broken: number
  readonly done: boolean
}

interface Outcome {
  readonly tried: number
  readonly broken: readonly string[]
}

const MS_MAX = 60_000

export function Exhausted({ servers }: { servers: number }): JSX.Element {
  const [state, setState] = useState<Tried | string>({ tried: 0, broken: 0, done: false })
  useEffect(() => {
    let running: Work<Outcome> | undefined
    let left = false
    const begin = async () => {
      await loadScript('duels')
      if (left) return
      running = work<Outcome>(['duels'], 'duels', servers, {
        msMax: MS_MAX,
        progress: told => setState({ ...(told as { tried: number; broken: number }), done: false }),
      })
      const { tried, broken } = await running.result
      setState({ tried, broken: broken.length, done: true })
    }
    begin().catch((error: Error) => setState(error.message))
    return () => {
      left = true
      running?.stop()
    }
  }, [servers])
  return (
    <section class="card" aria-label="Every way, tried">
      <header>
        <h2>Every way, tried in your browser</h2>
      </header>
      {typeof state === 'string' ? (
        <p class="notice">{state}</p>
      ) : (
        <div
          role="status"
          data-exhausted={state.done ? 'yes' : 'no'}
          data-tried={state.tried}
          data-broken={state.broken}
        >
          <p>
            <span class="count">{state.tried}</span> duels, <span class="count">{state.broken}</span> with two inside
          </p>
          <p class="soft small">
            {state.done
              ? 'Who is first at each honest server, and every pair of your words: there is no other way for two clients to meet, and none of them breaks it.'
              : 'Trying who is first at each honest server, and every pair of your words…'}
          </p>
        </div>
      )}
    </section>
  )
}
