// A walk through a small system: what the explorer found, as a run that one goes through, changes and sends. At every step it
// says what else could have happened; taking that goes on as before, as far as it still can.

import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { encodeWalk, type WalkSpec, walkNote } from '../../src/play/explorers/address.ts'
import { zoo } from '../../src/play/zoo.ts'
import { type NamedSystem, rerouted, Walk } from '../../src/simulator/index.ts'
import { useCursor } from '../cursor.ts'
import { Canvas, heightFor, nameY, wholeView } from '../diagram/canvas.tsx'
import type { View } from '../diagram/geometry.ts'
import { drawingOf, type Mark } from '../diagram/marks.ts'
import { Choices } from '../panels/choices.tsx'
import { Copied } from '../panels/copied.tsx'
import { Events, Sentence } from '../panels/events.tsx'
import { VerdictSign } from '../panels/signs.tsx'
import { States } from '../panels/states.tsx'
import { Transport } from '../panels/transport.tsx'
import { explorerNamed } from '../registry.ts'
import { sentenceOf } from '../words.ts'

/** The walk with everything that can be done to it. Its address is what stands in the browser's line once it is changed. */
export function WalkBench({ first, scheme }: { first: WalkSpec; scheme: string }): JSX.Element {
  const named = explorerNamed(first.protocol)!.system(first.system)!
  const [past, setPast] = useState<readonly WalkSpec[]>([])
  const [spec, setSpec] = useState(first)
  const told = useMemo(() => toldOf(named, spec), [named, spec])
  const { walk, drawing } = told
  const cursor = useCursor(told)
  const show = (next: WalkSpec, before: readonly WalkSpec[]) => {
    setPast(before)
    setSpec(next)
    history.replaceState(null, '', `#${encodeWalk(next)}`)
  }
  const change = (changed: Walk, at: number) =>
    show({ protocol: spec.protocol, system: spec.system, steps: changed.steps, at }, [...past, spec])
  const step = walk.stepOf[cursor.place] ?? -1
  const note = walkNote(spec, walk)
  return (
    <>
      <WalkVerdict walk={walk} onGo={cursor.go} />
      {note === undefined ? undefined : <p class="notice">This address was {note}</p>}
      <div class="bench">
        <Picture told={told} cursor={cursor} scheme={scheme} spec={spec} />
        <div class="side stack">
          <Choices
            walk={walk}
            step={step}
            canUndo={past.length > 0}
            onUndo={() => show(past.at(-1)!, past.slice(0, -1))}
            onInstead={choice => change(rerouted(named, walk, step, choice), cursor.place)}
            onNext={choice => change(new Walk(named, [...walk.steps, choice]), walk.trace.length)}
          />
        </div>
      </div>
      <Addresses spec={{ ...spec, at: cursor.place, hash: walk.hash.slice(0, 8) }} hash={walk.hash} />
      <details class="card">
        <summary>What each remembers at this step</summary>
        <States nodes={statesAt(walk, drawing.lanes, cursor.place)} touched={drawing.marks[cursor.place]?.node} />
      </details>
    </>
  )
}

function WalkVerdict({ walk, onGo }: { walk: Walk; onGo(place: number): void }): JSX.Element {
  const { broken, steps, next } = walk
  const count = `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`
  if (broken === undefined) {
    return (
      <div class="verdict held" role="status" data-verdict="held">
        <span class="sign">
          <VerdictSign good={true} /> Held so far
        </span>
        <p>
          Nothing is broken after {count}
          {next.length === 0 ? ', and nothing more can happen.' : '.'}
        </p>
      </div>
    )
  }
  return (
    <div class="verdict broken" role="status" data-verdict="broken">
      <span class="sign">
        <VerdictSign good={false} /> Promise broken
      </span>
      <p>
        “{broken.property}” does not hold after {count}.
      </p>
      <button type="button" onClick={() => onGo(broken.index)}>
        Show me where
      </button>
    </div>
  )
}

interface PictureProps {
  readonly told: ReturnType<typeof toldOf>
  readonly cursor: ReturnType<typeof useCursor>
  readonly spec: WalkSpec
  readonly scheme: string
}

function Picture({ told: { walk, drawing }, cursor, scheme, spec }: PictureProps): JSX.Element {
  const [view, setView] = useState<View | undefined>(undefined)
  const mark = drawing.marks[cursor.place]
  const specimen = zoo.find(({ protocol, bug }) => protocol === spec.protocol && bug === spec.system)
  return (
    <section class="card picture" aria-label="The walk" data-story={walk.steps.length}>
      <header>
        <h2>One step after the other: only the order counts</h2>
        {specimen === undefined ? undefined : (
          <a class="small" href={`#${specimen.address}`}>
            The same bug in a run
          </a>
        )}
      </header>
      <div class="stage" style={{ height: `${heightFor(drawing.lanes.length)}px` }}>
        <Lanes names={drawing.lanes} />
        <Canvas
          drawing={drawing}
          view={view ?? wholeView(drawing)}
          cursor={cursor.place}
          now={cursor.now}
          scheme={scheme}
          label={`Space-time diagram of ${walk.steps.length} steps. The list below says the same.`}
          say={sentenceOf}
          onPick={cursor.go}
          onView={setView}
        />
      </div>
      <Transport
        cursor={cursor.place}
        count={drawing.marks.length}
        at={mark?.at ?? 0}
        steps={true}
        playing={cursor.playing}
        speed={cursor.speed}
        onGo={cursor.go}
        onPlay={cursor.play}
        onSpeed={cursor.setSpeed}
        onNext={cursor.next}
      />
      <Now mark={mark} />
      <div class="panel">
        <Events
          marks={drawing.marks}
          lost={[]}
          cursor={cursor.place}
          canAct={false}
          steps={true}
          onPick={cursor.go}
          onMessage={() => {}}
        />
      </div>
    </section>
  )
}

function Now({ mark }: { mark: Mark | undefined }): JSX.Element | null {
  if (mark === undefined) return null
  return (
    <div class="now">
      <p class="sentence" data-now="">
        <Sentence mark={mark} />
      </p>
      <p class="raw mono">
        {mark.kind} {mark.what}
      </p>
    </div>
  )
}

function Lanes({ names }: { names: readonly string[] }): JSX.Element {
  return (
    <ul class="names">
      {names.map((name, lane) => (
        <li key={name} style={{ top: `${nameY(names.length, lane)}px` }}>
          <span class="plain">{name}</span>
        </li>
      ))}
    </ul>
  )
}

function Addresses({ spec, hash }: { spec: WalkSpec; hash: string }): JSX.Element {
  const fragment = `#${encodeWalk(spec)}`
  return (
    <section class="card stack" aria-label="Share">
      <h2>Share</h2>
      <div class="two">
        <Copied label="Address: it opens this walk at this step" text={`${location.href.split('#')[0]}${fragment}`} />
        <Copied label="The same on the command line" text={`coterie sim --play '${fragment}'`} />
      </div>
      <p class="soft small">
        The address says what is explored and which choice was taken at each step. The hash of the walk is{' '}
        <code>{hash}</code>, the same in every browser and in Node.
      </p>
    </section>
  )
}

function statesAt(walk: Walk, lanes: readonly string[], place: number) {
  return lanes.map(id => ({
    id,
    role: '',
    liar: false,
    now: walk.stateAt(place, id),
    before: place === 0 ? walk.stateAt(0, id) : walk.stateAt(place - 1, id),
  }))
}

function toldOf(named: NamedSystem, spec: WalkSpec) {
  const walk = new Walk(named, spec.steps)
  const rank = (name: string) => (name.startsWith('client') ? 0 : 1)
  const lanes = [...walk.nodes].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }))
  const drawing = drawingOf({ marks: walk.trace, lanes, broken: walk.broken !== undefined, asks: undefined, lost: [] })
  return { walk, drawing: { ...drawing, steps: true }, spec: { say: {}, at: spec.at } }
}
