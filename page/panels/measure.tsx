// “Measure here”: an experiment run again in the reader's own browser, at the small scale, in a worker.

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Measured, measureScript } from '../measured.ts'
import { fetched, type Work, work } from '../scripts.ts'

/** Longer than any of them takes at the small scale. */
const MS_MAX = 300_000
const SEED_MAX = 2 ** 31

interface Going {
  readonly fraction: number
  readonly doing: string
}

type State = 'idle' | Going | { readonly refused: string }

interface MeasureProps {
  readonly name: string
  onMeasured(report: Measured): void
}

export function Measure({ name, onMeasured }: MeasureProps): JSX.Element {
  const script = measureScript(name)
  const [seed, setSeed] = useState(1)
  const [state, setState] = useState<State>('idle')
  const running = useRef<Work<Measured> | undefined>(undefined)
  useEffect(() => () => running.current?.stop(), [])
  if (script === undefined) {
    return <p class="soft">This one needs more than a browser has: it is measured by the command above.</p>
  }
  const start = async () => {
    setState({ fraction: 0, doing: 'loading' })
    try {
      await fetched(script)
      const progress = (told: unknown) => setState(told as Going)
      running.current = work<Measured>([script], 'measure', { name, seed }, { msMax: MS_MAX, progress })
      onMeasured(await running.current.result)
      setState('idle')
    } catch (error) {
      setState({ refused: (error as Error).message })
    }
  }
  const stop = () => {
    running.current?.stop()
    setState('idle')
  }
  return (
    <section class="card stack" aria-label="Measure here">
      <div class="row end">
        <label class="field">
          Seed
          <input
            type="number"
            min={0}
            max={SEED_MAX}
            value={seed}
            onInput={event =>
              setSeed(Math.min(SEED_MAX, Math.max(0, Math.floor(event.currentTarget.valueAsNumber) || 0)))
            }
          />
        </label>
        {isGoing(state) ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" class="main" data-measure="" onClick={start}>
            Measure here
          </button>
        )}
        <p class="soft small">In your browser, at the small scale: the same code, the same seed, the same figures.</p>
      </div>
      {isGoing(state) ? (
        <div role="status">
          <progress aria-label="Measuring" max={1} value={state.fraction} /> <span class="small">{state.doing}</span>
        </div>
      ) : undefined}
      {typeof state === 'object' && 'refused' in state ? (
        <p class="notice" role="alert">
          {state.refused}
        </p>
      ) : undefined}
    </section>
  )
}

const isGoing = (state: State): state is Going => typeof state === 'object' && 'fraction' in state
