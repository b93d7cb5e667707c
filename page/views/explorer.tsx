// The explorer: every schedule of a small system, tried in a worker while one watches; or the shortest story in which a
// planted bug breaks a promise. What is explored is named by the address: `#explorer=lock:one-grant-too-few`.

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Explored, type Explorer, STATES_MAX } from '../../src/play/explorers/explorer.ts'
import { explored } from '../catalogue.ts'
import type { ViewProps } from '../registry.ts'
import { type Work, work } from '../scripts.ts'
import { useExplorer } from '../use-explorer.ts'
import { WalkBench } from './walk-bench.tsx'

/** A worker that takes longer is ended; what it had counted is shown. */
const MS_MAX = 60_000

export function ExplorerView({ name, scheme }: ViewProps): JSX.Element {
  const [protocol = '', system = ''] = (name ?? '').split(':')
  const entry = explored.find(each => each.name === protocol) ?? explored[0]!
  const known = useExplorer(entry.name, entry.script)
  const { states, result, start } = useExploration(entry.name, entry.script)
  const asked = typeof known === 'object' && isOffered(known, system) ? system : undefined
  // What an address names is explored at once.
  useEffect(() => {
    if (asked !== undefined) start(asked)
  }, [asked, start])
  return (
    <>
      <div>
        <h1>Every schedule of a small system</h1>
        <p class="lead">
          The simulator draws runs; the explorer tries all of them: deliveries in every order, losses, a duplicate, a
          crash, timers, clocks that drift, both answers of a liar. Plant a bug, and it tells the shortest story that
          shows it.
        </p>
      </div>
      <section class="card stack" aria-label="What to explore">
        {known === undefined || typeof known === 'string' ? (
          <p role="status">{known ?? 'Loading…'}</p>
        ) : (
          <Choice key={`${known.protocol} ${asked}`} known={known} asked={asked} onStart={start} />
        )}
        {system !== '' && typeof known === 'object' && asked === undefined ? (
          <p class="notice">There is no system or planted bug of that name; these are offered above.</p>
        ) : undefined}
        <Result states={states} result={result} />
      </section>
      {asked === undefined ? <Begin /> : undefined}
      {typeof result === 'object' ? <Found protocol={entry.name} found={result} scheme={scheme} /> : undefined}
    </>
  )
}

/** Small systems in which there is something to see. */
const BEGIN = [
  [
    'lock:one-grant-too-few',
    'A holder that is content with less',
    'One grant too few, and six steps make two holders.',
  ],
  ['lock:no-drift-factor', 'A clock that is believed', 'A client counts its lease as if all clocks ran alike.'],
  [
    'ordering:rank-forgotten-at-restart',
    'A promise that a crash forgets',
    'A server restarts, and takes what it had refused.',
  ],
  [
    'mutex:token-ring-forgets',
    'A second token',
    'A member of the lecture’s ring comes back and has forgotten who holds it.',
  ],
  [
    'lock:list',
    'The lock as it is',
    'Two clients wait in line, three servers: every schedule there is, and all of them safe.',
  ],
  [
    'mutex:centralised-2',
    'The lecture’s first algorithm',
    'One coordinator, two that want in: all schedules in a moment.',
  ],
] as const

function Begin(): JSX.Element {
  return (
    <section class="group" aria-labelledby="begin">
      <h2 id="begin">Or begin with one of these</h2>
      <ul class="grid">
        {BEGIN.map(([name, title, text]) => (
          <li key={name}>
            <a class="card" href={`#explorer=${name}`}>
              <h3>{title}</h3>
              <p class="small">{text}</p>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What breaks is a walk: to go through, to change, to send. */
function Found({ protocol, found, scheme }: { protocol: string; found: Explored; scheme: string }): JSX.Element | null {
  const { system, broken, steps } = found
  if (broken === undefined) return null
  if (steps === undefined) return <pre class="story">{broken.story.join('\n')}</pre>
  return <WalkBench key={system} first={{ protocol, system, steps }} scheme={scheme} />
}

function isOffered({ systems, bugs }: Explorer, name: string): boolean {
  return bugs.includes(name) || systems.some(system => system.name === name)
}

interface Exploring {
  readonly states: number | undefined
  readonly result: Explored | string | undefined
  readonly start: (name: string) => void
}

/** An exploration in a worker. */
function useExploration(protocol: string, script: string): Exploring {
  const [states, setStates] = useState<number | undefined>(undefined)
  const [result, setResult] = useState<Explored | string | undefined>(undefined)
  const running = useRef<Work<Explored> | undefined>(undefined)
  useEffect(() => () => running.current?.stop(), [])
  const start = useRef((name: string) => {
    running.current?.stop()
    setResult(undefined)
    setStates(0)
    const progress = (told: unknown) => setStates((told as { states: number }).states)
    running.current = work<Explored>([script], `explore ${protocol}`, name, { msMax: MS_MAX, progress })
    running.current.result.then(
      done => {
        setResult(done)
        setStates(done.states)
      },
      (error: Error) => setResult(error.message),
    )
  })
  return { states, result, start: start.current }
}

interface ChoiceProps {
  readonly known: Explorer
  readonly asked: string | undefined
  onStart(name: string): void
}

function Choice({ known, asked, onStart }: ChoiceProps): JSX.Element {
  const [chosen, setChosen] = useState(asked ?? known.systems[0]?.name ?? '')
  const go = () => {
    // The address names what is explored; where it is there already, it is explored once more.
    if (asked === chosen) onStart(chosen)
    else location.hash = `#explorer=${known.protocol}:${chosen}`
  }
  return (
    <div class="row end">
      <label class="field">
        Protocol
        <select
          value={known.protocol}
          onChange={event => {
            location.hash = `#explorer=${event.currentTarget.value}`
          }}
        >
          {explored.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="field grow">
        System
        <select value={chosen} onChange={event => setChosen(event.currentTarget.value)}>
          <optgroup label="As it is">
            {known.systems.map(({ name, about }) => (
              <option key={name} value={name}>
                {about.startsWith(name) ? about : `${name}: ${about}`}
              </option>
            ))}
          </optgroup>
          <optgroup label="With a planted bug">
            {known.bugs.map(bug => (
              <option key={bug} value={bug}>
                {bug.replaceAll('-', ' ')}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      <button type="button" class="main" onClick={go}>
        Explore
      </button>
    </div>
  )
}

function Result({
  states,
  result,
}: {
  states: number | undefined
  result: Explored | string | undefined
}): JSX.Element {
  if (states === undefined) {
    return <p class="soft">Up to {STATES_MAX.toLocaleString('en')} states, a minute at most.</p>
  }
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
      <p>{sentenceOf(result)}</p>
    </div>
  )
}

function sentenceOf({ broken, complete, depth }: Explored): string {
  if (broken !== undefined)
    return `Broken: ${broken.property}. Below is the shortest way to it: go through it, change a step, send it.`
  if (complete) return 'All of them safe: nothing that can happen here breaks a promise.'
  return `All of them safe; not everything was tried, but everything of at most ${depth} steps.`
}
