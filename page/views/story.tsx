// The shortest story that an exploration found, as a run to look at: picture, steps, list.

import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { storyTrace } from '../../src/play/explorers/explorer.ts'
import { zoo } from '../../src/play/zoo.ts'
import { useCursor } from '../cursor.ts'
import { Canvas, heightFor, nameY, wholeView } from '../diagram/canvas.tsx'
import type { View } from '../diagram/geometry.ts'
import { drawingOf, type Mark } from '../diagram/marks.ts'
import { Events, Sentence } from '../panels/events.tsx'
import { Transport } from '../panels/transport.tsx'
import { sentenceOf } from '../words.ts'

interface StoryProps {
  readonly protocol: string
  readonly system: string
  readonly property: string
  readonly story: readonly string[]
  readonly scheme: string
}

export function Story({ protocol, system, property, story, scheme }: StoryProps): JSX.Element {
  const told = useMemo(() => toldOf(story), [story])
  const { drawing } = told
  const cursor = useCursor(told)
  const [view, setView] = useState<View | undefined>(undefined)
  const mark = drawing.marks[cursor.place]
  const none = () => {}
  return (
    <section class="card picture" aria-label="The shortest story" data-story={drawing.marks.length}>
      <header>
        <h2>
          {drawing.marks.length} steps to “{property}” broken
        </h2>
        <Addresses protocol={protocol} system={system} />
      </header>
      <div class="stage" style={{ height: `${heightFor(drawing.lanes.length)}px` }}>
        <Lanes names={drawing.lanes} />
        <Canvas
          drawing={drawing}
          view={view ?? wholeView(drawing)}
          cursor={cursor.place}
          now={cursor.now}
          scheme={scheme}
          label={`Space-time diagram of ${drawing.marks.length} steps. The list below says the same.`}
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
      <Step mark={mark} />
      <div class="panel">
        <Events
          marks={drawing.marks}
          lost={[]}
          cursor={cursor.place}
          canAct={false}
          steps={true}
          onPick={cursor.go}
          onMessage={none}
        />
      </div>
    </section>
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

/** The story's own address; and the same bug as the simulator met it. */
function Addresses({ protocol, system }: Pick<StoryProps, 'protocol' | 'system'>): JSX.Element {
  const specimen = zoo.find(each => each.protocol === protocol && each.bug === system)
  return (
    <p class="small">
      <a href={`#explorer=${protocol}:${system}`}>Address of this story</a>
      {specimen === undefined ? undefined : (
        <>
          {' · '}
          <a href={`#${specimen.address}`}>The same bug in a run</a>
        </>
      )}
    </p>
  )
}

function Step({ mark }: { mark: Mark | undefined }): JSX.Element | null {
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

function toldOf(story: readonly string[]) {
  const marks = storyTrace(story)
  const names = [...new Set(marks.flatMap(({ from, node }) => (from === undefined ? [node] : [from, node])))]
  const rank = (name: string) => (name.startsWith('client') ? 0 : 1)
  const lanes = names.sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }))
  const drawing = drawingOf({ marks, lanes, broken: false, asks: undefined, lost: [] })
  return { drawing: { ...drawing, steps: true }, spec: { say: {} } }
}
