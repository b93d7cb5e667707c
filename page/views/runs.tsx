// Any run: which protocol, how large, from which seed. Its address is the run.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { encodeRun, NODES_MAX, type Playground, type RunName } from '../../src/simulator/index.ts'
import { catalogue } from '../catalogue.ts'
import { usePlayground } from '../use-run.ts'

interface Choice {
  readonly servers: number | undefined
  readonly liars: number | undefined
  readonly story: string
  readonly bug: string
  readonly seed: number
  readonly calm: boolean
}

const NONE: Choice = { servers: undefined, liars: undefined, story: '', bug: '', seed: 1, calm: false }

/** Runs in which there is something to see. */
const BEGIN = [
  {
    title: 'A lock in bad weather',
    text: 'Seven servers, one of them lies; messages are late, lost and repeated, nodes crash. 5,000 events, and never two holders.',
    address: 'v=1&run=lock.n7.b1&seed=17&at=31',
  },
  {
    title: 'A change that everybody sees in one order',
    text: 'Seven servers keep an object, one of them lies about what it has seen.',
    address: 'v=1&run=ordering.n7.b1&seed=3&at=40',
  },
  {
    title: 'Who is here?',
    text: 'Eight members watch each other; some crash, one lies about others, and the views become right again.',
    address: 'v=1&run=membership.n8.b1&seed=5&at=60',
  },
  {
    title: 'A leader, and then another',
    text: 'Four members vote, one of them cheats. Promises run out before others are made.',
    address: 'v=1&run=election.n4.b1&seed=5&at=40',
  },
  {
    title: 'A seat, and nobody knows whose',
    text: 'Four members shuffle tickets until each knows its own seat and no other’s.',
    address: 'v=1&run=slots.n4.b1&seed=2&calm=1&only=none&at=40',
  },
  {
    title: 'Asking everybody',
    text: 'Ricart and Agrawala’s algorithm from the lecture: who wants in asks all others, and waits for all.',
    address: 'v=1&run=ricart-agrawala.n4&seed=9&at=12',
  },
] as const

export function RunsView(): JSX.Element {
  const [name, setName] = useState('lock')
  const [choice, setChoice] = useState(NONE)
  const playground = usePlayground(name)
  const choose = (part: Partial<Choice>) => setChoice({ ...choice, ...part })
  return (
    <>
      <div>
        <h1>Any run of any protocol</h1>
        <p class="lead">
          One seed decides everything: who asks when, which messages are late, lost or repeated, who crashes, who lies.
          Choose, and look at it event by event.
        </p>
      </div>
      <section class="card stack" aria-label="What to run">
        <label class="field">
          Protocol
          <select
            value={name}
            onChange={event => {
              setName(event.currentTarget.value)
              setChoice({ ...NONE, seed: choice.seed })
            }}
          >
            {catalogue.map(entry => (
              <option key={entry.name} value={entry.name}>
                {entry.title}
              </option>
            ))}
          </select>
        </label>
        {playground === undefined || typeof playground === 'string' ? (
          <p role="status">{playground ?? 'Loading…'}</p>
        ) : (
          <Sizes playground={playground} choice={choice} choose={choose} />
        )}
      </section>
      <section class="group" aria-labelledby="begin">
        <h2 id="begin">Or begin with one of these</h2>
        <ul class="grid">
          {BEGIN.map(({ title, text, address }) => (
            <li key={address}>
              <a class="card" href={`#${address}`}>
                <h3>{title}</h3>
                <p class="small">{text}</p>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

interface SizesProps {
  readonly playground: Playground
  readonly choice: Choice
  choose(part: Partial<Choice>): void
}

function runOf({ name }: Playground, { servers, liars, story, bug }: Choice): RunName {
  return {
    name,
    ...(servers === undefined ? {} : { servers }),
    ...(liars === undefined ? {} : { liars }),
    ...(story === '' ? {} : { story }),
    ...(bug === '' ? {} : { bug }),
  }
}

function Sizes({ playground, choice, choose }: SizesProps): JSX.Element {
  const run = runOf(playground, choice)
  const opened = playground.open(run)
  const calm = choice.calm ? { calm: true as const } : {}
  const address = `#${encodeRun({ run, seed: choice.seed, acts: [], say: {}, at: 0, ...calm })}`
  return (
    <div class="stack">
      <Choices playground={playground} choice={choice} choose={choose} />
      <p>
        {playground.promise} <span class="soft">{playground.bound(run)}</span>
      </p>
      {typeof opened === 'string' ? (
        <p class="notice" role="status">
          {opened}
        </p>
      ) : (
        <p>
          <a class="next" href={address}>
            Run it
          </a>
        </p>
      )}
    </div>
  )
}

function Choices({ playground, choice, choose }: SizesProps): JSX.Element {
  const { servers, liars, stories, bugs } = playground
  const max = Math.min(NODES_MAX, servers.max)
  const another = () => choose({ seed: Math.floor(Math.random() * SEEDS_DRAWN) })
  return (
    <div class="row end">
      <Count
        label="Servers (n)"
        range={[servers.min, max]}
        value={choice.servers ?? servers.usual}
        onValue={value => choose({ servers: value })}
      />
      {liars === undefined ? undefined : (
        <Count
          label="May lie (b)"
          range={[liars.min, liars.max]}
          value={choice.liars ?? liars.usual}
          onValue={value => choose({ liars: value })}
        />
      )}
      <Named
        label="Scenario"
        empty="what the seed draws"
        values={Object.entries(stories)}
        value={choice.story}
        onValue={story => choose({ story })}
      />
      {bugs.length === 0 ? undefined : (
        <Named
          label="Planted bug"
          empty="none"
          values={bugs.map(bug => [bug, bug] as const)}
          value={choice.bug}
          onValue={bug => choose({ bug })}
        />
      )}
      <Count label="Seed" range={[0, SEED_MAX]} value={choice.seed} onValue={seed => choose({ seed })} />
      <button type="button" onClick={another}>
        Another seed
      </button>
      <label class="row">
        <input type="checkbox" checked={choice.calm} onChange={() => choose({ calm: !choice.calm })} /> a quiet network
      </label>
    </div>
  )
}

const SEED_MAX = 4_294_967_295
/** Seeds that one can read aloud. */
const SEEDS_DRAWN = 100_000

interface CountProps {
  readonly label: string
  readonly range: readonly [min: number, max: number]
  readonly value: number
  onValue(value: number): void
}

function Count({ label, range: [min, max], value, onValue }: CountProps): JSX.Element {
  const set = (text: string) => {
    const given = Math.floor(Number(text))
    if (Number.isFinite(given)) onValue(Math.min(max, Math.max(min, given)))
  }
  return (
    <label class="field">
      {label}
      <input type="number" min={min} max={max} value={value} onInput={event => set(event.currentTarget.value)} />
    </label>
  )
}

interface NamedProps {
  readonly label: string
  readonly empty: string
  readonly values: readonly (readonly [name: string, title: string])[]
  readonly value: string
  onValue(value: string): void
}

function Named({ label, empty, values, value, onValue }: NamedProps): JSX.Element {
  return (
    <label class="field">
      {label}
      <select value={value} onChange={event => onValue(event.currentTarget.value)}>
        <option value="">{empty}</option>
        {values.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}
