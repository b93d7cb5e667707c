// The explorer: every schedule of a small system, tried in a worker while one watches; or the shortest story in which a
// planted bug breaks a promise.

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Exploration } from '../../src/simulator/index.ts'
import { published } from '../registry.ts'
import { loadScript, type Work, work } from '../scripts.ts'

interface Explorable {
  readonly systems: readonly { readonly name: string; readonly about: string; readonly depth?: number }[]
  readonly bugs: readonly string[]
}

/** A worker that takes longer is ended; what it had counted is shown. */
const MS_MAX = 60_000

export function ExplorerView(): JSX.Element {
  const [known, setKnown] = useState<Explorable | string | undefined>(() => published('explorer'))
  const [chosen, setChosen] = useState('')
  const [states, setStates] = useState<number | undefined>(undefined)
  const [result, setResult] = useState<Exploration | string | undefined>(undefined)
  const running = useRef<Work<Exploration> | undefined>(undefined)
  useEffect(() => {
    loadScript('lock').then(
      () => setKnown(published<Explorable>('explorer')),
      (error: Error) => setKnown(error.message),
    )
    return () => running.current?.stop()
  }, [])
  if (known === undefined || typeof known === 'string') return <p role="status">{known ?? 'Loading…'}</p>
  const start = () => {
    running.current?.stop()
    setResult(undefined)
    setStates(0)
    const [kind, name] = (chosen || `system ${known.systems[0]?.name}`).split(' ') as ['system' | 'bug', string]
    const options = { msMax: MS_MAX, progress: (told: unknown) => setStates((told as { states: number }).states) }
    running.current = work<Exploration>(['lock'], 'explore', { [kind]: name }, options)
    running.current.result.then(
      done => {
        setResult(done)
        setStates(done.states)
      },
      (error: Error) => setResult(error.message),
    )
  }
  return (
    <>
      <div>
        <h1>Every schedule of a small system</h1>
        <p class="soft">
          The simulator draws runs; the explorer tries all of them: deliveries in every order, losses, a duplicate, a
          crash, timers, clocks that drift, both answers of a liar. Plant a bug, and it tells the shortest story that
          shows it.
        </p>
      </div>
      <section class="card stack" aria-label="What to explore">
        <div class="row end">
          <Systems known={known} chosen={chosen} onChosen={setChosen} />
          <button type="button" class="main" onClick={start}>
            Explore
          </button>
        </div>
        <Result states={states} result={result} />
      </section>
    </>
  )
}

interface SystemsProps {
  readonly known: Explorable
  readonly chosen: string
  onChosen(chosen: string): void
}

function Systems({ known, chosen, onChosen }: SystemsProps): JSX.Element {
  return (
    <label class="field">
      System of the lock
      <select value={chosen} onChange={event => onChosen(event.currentTarget.value)}>
        <optgroup label="As it is">
          {known.systems.map(({ name, about }) => (
            <option key={name} value={`system ${name}`}>
              {name}: {about}
            </option>
          ))}
        </optgroup>
        <optgroup label="With a planted bug">
          {known.bugs.map(bug => (
            <option key={bug} value={`bug ${bug}`}>
              {bug}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  )
}

function Result({
  states,
  result,
}: {
  states: number | undefined
  result: Exploration | string | undefined
}): JSX.Element {
  if (states === undefined) return <p class="soft">Up to 200,000 states, a minute at most.</p>
  const count = (
    <p>
      <span class="count" data-states={states}>
        {states.toLocaleString('en')}
      </span>{' '}
      states
    </p>
  )
  if (result === undefined) {
    return (
      <div class="stack" role="status">
        {count}
        <progress aria-label="Exploring" />
      </div>
    )
  }
  if (typeof result === 'string') {
    return (
      <div role="status">
        {count}
        <p class="notice">{result}</p>
      </div>
    )
  }
  const { broken, complete } = result
  return (
    <div class="stack" role="status" data-result={broken ? 'broken' : complete ? 'safe' : 'part'}>
      {count}
      {broken === undefined ? (
        <p>
          {complete
            ? 'All of them safe: nothing that can happen here breaks a promise.'
            : `All of them safe; not everything was tried, but everything of at most ${result.depth} steps.`}
        </p>
      ) : (
        <>
          <p>
            Broken: <b>{broken.property}</b>. The shortest story:
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <pre class="story" tabIndex={0}>
            {broken.story.join('\n')}
          </pre>
        </>
      )}
    </div>
  )
}
