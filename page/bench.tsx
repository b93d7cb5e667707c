// The workbench: the picture of a run with its transport, what is known at the cursor, and what can be done.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ManualAct, RunSpec } from '../src/simulator/index.ts'
import { type Cursor, useCursor } from './cursor.ts'
import { Canvas, heightFor, moved, nameY, wholeView, zoomed } from './diagram/canvas.tsx'
import type { Ghost, View } from './diagram/geometry.ts'
import type { Mark } from './diagram/marks.ts'
import { ghostAct, messageAct } from './dragged.ts'
import { Sentence } from './panels/events.tsx'
import { LaneMenu } from './panels/lane-menu.tsx'
import { Quorum } from './panels/quorum.tsx'
import { Legend } from './panels/signs.tsx'
import { Tabs } from './panels/tabs.tsx'
import { Asked } from './panels/traitor.tsx'
import { Transport } from './panels/transport.tsx'
import { Verdict } from './panels/verdict.tsx'
import { fresh, insideAt, isClash, type Session, withWord } from './session.ts'
import { sentenceOf } from './words.ts'

export interface BenchProps {
  readonly session: Session
  readonly scheme: string
  readonly canUndo: boolean
  /** Yes of so many let a client in. */
  readonly needed: number | undefined
  onSpec(spec: RunSpec): void
  onUndo(): void
  /** Beside the picture: what a level or a lesson says. */
  readonly side?: ComponentChildren
  /** Below the event at the cursor: a lesson's caption. */
  caption?(cursor: number): ComponentChildren
  /** Told where the reader stands. */
  onCursor?: ((cursor: number) => void) | undefined
}

/** A longer run is seen through a window around the cursor. */
const WHOLE_MAX = 600
const WINDOW = 160

export function Bench(props: BenchProps): JSX.Element {
  const { session, onSpec } = props
  const { spec, play, drawing } = session
  const cursor = useCursor(session)
  const act = (one: ManualAct) => onSpec(fresh({ ...spec, acts: [...spec.acts, one] }))
  useEffect(() => props.onCursor?.(cursor.place), [cursor.place, props.onCursor])
  return (
    <>
      <Verdict play={play} promise={session.playground.promise} onGo={cursor.go} />
      {session.differs === undefined ? undefined : <p class="notice">{session.differs}</p>}
      <Outside sentences={play.outside} />
      <div class={`bench ${play.status === 'asks' || props.side !== undefined ? 'asking' : ''}`}>
        <Picture {...props} cursor={cursor} act={act} />
        <div class="side stack">
          <Asking session={session} cursor={cursor} onSpec={onSpec} />
          {props.side}
          {session.clients.length > 0 ? (
            <Quorum
              marks={drawing.marks}
              cursor={cursor.place}
              clients={session.clients.slice(0, CLIENTS_SHOWN)}
              servers={session.servers}
              liars={session.liars}
              needed={props.needed}
              inside={insideAt(session, cursor.now)}
              clash={isClash(session, cursor.now)}
            />
          ) : undefined}
        </div>
      </div>
      <Tabs
        session={session}
        cursor={cursor.place}
        canUndo={props.canUndo}
        onGo={cursor.go}
        onMessage={(kind, mark) => act(messageAct(kind, mark))}
        onSpec={onSpec}
        onUndo={props.onUndo}
      />
    </>
  )
}

/** Rows of the table of answers. */
const CLIENTS_SHOWN = 6

interface PictureProps extends BenchProps {
  readonly cursor: Cursor
  act(act: ManualAct): void
}

function Picture({ session, scheme, caption, cursor, act }: PictureProps): JSX.Element {
  const { drawing } = session
  const [view, setView] = useView(session, cursor.place)
  const drag = (ghost: Ghost) => {
    const done = ghostAct(ghost, drawing)
    if (done !== undefined) act(done)
  }
  const label = `Space-time diagram of ${drawing.marks.length} events among ${drawing.lanes.length} nodes. The list of events below says the same.`
  const mark = drawing.marks[cursor.place]
  return (
    <section class="card picture" aria-label="Picture of the run">
      <header>
        <Legend />
        <Zoom view={view} onView={setView} session={session} />
      </header>
      <div class="stage" style={{ height: `${heightFor(drawing.lanes.length)}px` }}>
        <Names session={session} at={cursor.now} onAct={act} />
        <Canvas
          drawing={drawing}
          view={view}
          cursor={cursor.place}
          now={cursor.now}
          scheme={scheme}
          label={label}
          say={sentenceOf}
          onPick={cursor.go}
          onView={setView}
          onDrag={drag}
        />
      </div>
      <Transport
        cursor={cursor.place}
        count={drawing.marks.length}
        at={mark?.at ?? 0}
        playing={cursor.playing}
        speed={cursor.speed}
        onGo={cursor.go}
        onPlay={cursor.play}
        onSpeed={cursor.setSpeed}
        onNext={cursor.next}
      />
      <Now mark={mark} />
      {caption?.(cursor.place)}
    </section>
  )
}

/** What happened at the cursor, in a sentence and as the trace has it. */
function Now({ mark }: { mark: Mark | undefined }): JSX.Element {
  if (mark === undefined) return <p class="now soft">Nothing has happened yet.</p>
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

interface AskingProps {
  readonly session: Session
  readonly cursor: Cursor
  onSpec(spec: RunSpec): void
}

/** The traitor's question, when the reader has come to it. */
function Asking({ session, cursor, onSpec }: AskingProps): JSX.Element | null {
  const { play, drawing, spec } = session
  const { question } = play
  if (play.status !== 'asks' || question === undefined) return null
  const last = drawing.marks.length - 1
  if (cursor.place >= last) {
    const say = (node: string, word: string) => onSpec(withWord(spec, node, word))
    return <Asked key={play.trace.length} play={play} question={question} onSay={say} />
  }
  return (
    <section class="card traitor" aria-label="A question">
      <p class="asked">You are asked something when this has happened.</p>
      <button type="button" class="main" onClick={() => cursor.go(last)}>
        Go to the question
      </button>
    </section>
  )
}

/** What lies beyond what the promise is made for. */
function Outside({ sentences }: { sentences: readonly string[] }): JSX.Element | null {
  if (sentences.length === 0) return null
  return (
    <ul class="notice">
      {sentences.slice(0, 5).map(sentence => (
        <li key={sentence}>Beyond the promise: {sentence}</li>
      ))}
    </ul>
  )
}

function useView(session: Session, place: number): [View, (view: View) => void] {
  const { drawing } = session
  const usual = useMemo(() => {
    if (drawing.marks.length <= WHOLE_MAX) return wholeView(drawing)
    const to = drawing.marks[Math.min(drawing.marks.length - 1, WINDOW)]!.at
    return { from: drawing.first, to: Math.max(drawing.first + 1, to) }
  }, [drawing])
  const [chosen, setChosen] = useState<{ view: View; lanes: number } | undefined>(undefined)
  const kept = useRef<View>(usual)
  const at = drawing.marks[place]?.at ?? 0
  let view = chosen === undefined || drawing.marks.length <= WHOLE_MAX ? (chosen?.view ?? usual) : chosen.view
  if (view.to > drawing.last * 1.05 + 1) view = usual
  // The cursor stays in sight: the window follows it by half its width.
  const width = view.to - view.from
  if (at < view.from || at > view.to) view = moved(view, drawing, at - view.from - width / 2)
  kept.current = view
  const drawn = useRef(drawing)
  useEffect(() => {
    if (drawn.current !== drawing && drawing.marks.length <= WHOLE_MAX) setChosen(undefined)
    drawn.current = drawing
  }, [drawing])
  return [view, next => setChosen({ view: next, lanes: drawing.lanes.length })]
}

function Zoom({ view, onView, session }: { view: View; onView(view: View): void; session: Session }): JSX.Element {
  const { drawing } = session
  const middle = (view.from + view.to) / 2
  const width = view.to - view.from
  return (
    <div class="row" role="toolbar" aria-label="What of the time is seen">
      <button type="button" aria-label="Earlier" onClick={() => onView(moved(view, drawing, -width / 2))}>
        ‹
      </button>
      <button type="button" aria-label="Later" onClick={() => onView(moved(view, drawing, width / 2))}>
        ›
      </button>
      <button type="button" aria-label="Nearer" onClick={() => onView(zoomed(view, drawing, 0.5, middle))}>
        +
      </button>
      <button type="button" aria-label="Farther" onClick={() => onView(zoomed(view, drawing, 2, middle))}>
        −
      </button>
      <button type="button" onClick={() => onView(wholeView(drawing))}>
        All
      </button>
    </div>
  )
}

function Names({ session, at, onAct }: { session: Session; at: number; onAct(act: ManualAct): void }): JSX.Element {
  const { drawing, liars, play } = session
  const [open, setOpen] = useState<string | undefined>(undefined)
  const played = new Set(play.nodes.filter(node => node.played).map(({ id }) => id))
  return (
    <ul class="names">
      {drawing.lanes.map((name, lane) => (
        <li key={name} class={liars.has(name) ? 'liar' : ''} style={{ top: `${nameY(drawing.lanes.length, lane)}px` }}>
          <button
            type="button"
            aria-expanded={open === name}
            title={`What to do with ${name}`}
            onClick={() => setOpen(open === name ? undefined : name)}
          >
            {name}
            {liars.has(name) ? <span class="mark">{played.has(name) ? 'you lie' : 'lies'}</span> : undefined}
          </button>
          {open === name ? (
            <LaneMenu
              node={name}
              at={at}
              session={session}
              onAct={one => {
                setOpen(undefined)
                onAct(one)
              }}
              onClose={() => setOpen(undefined)}
            />
          ) : undefined}
        </li>
      ))}
    </ul>
  )
}
