// Below the picture: states, the list of events, what was done, and how to share it.

import type { ComponentType, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunSpec } from '../../src/simulator/index.ts'
import type { Mark } from '../diagram/marks.ts'
import { published } from '../registry.ts'
import { loadScript } from '../scripts.ts'
import { fresh, type Session } from '../session.ts'
import { Acts } from './acts.tsx'
import { Events } from './events.tsx'
import type { ShareProps } from './share.tsx'
import { States } from './states.tsx'

interface TabsProps {
  readonly session: Session
  readonly cursor: number
  readonly canUndo: boolean
  onGo(place: number): void
  onMessage(kind: 'hold' | 'drop' | 'twice', mark: Mark): void
  onSpec(spec: RunSpec): void
  onUndo(): void
}

const TABS = [
  ['events', 'Events'],
  ['states', 'What each remembers'],
  ['acts', 'Change the run'],
  ['share', 'Share'],
] as const

type Tab = (typeof TABS)[number][0]

export function Tabs(props: TabsProps): JSX.Element {
  const [tab, setTab] = useState<Tab>('events')
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (by === 0) return
    const place = TABS.findIndex(([name]) => name === tab)
    const next = TABS[(place + by + TABS.length) % TABS.length]![0]
    setTab(next)
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <section class="card tabbed" aria-label="More of this run">
      <div class="tabs" role="tablist" aria-label="More of this run" onKeyDown={onKey}>
        {TABS.map(([name, title]) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={tab === name}
            aria-controls="tab-panel"
            tabIndex={tab === name ? 0 : -1}
            onClick={() => setTab(name)}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="panel" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Panel {...props} tab={tab} />
      </div>
    </section>
  )
}

function Panel({ tab, ...props }: TabsProps & { tab: Tab }): JSX.Element {
  const { session, cursor, onGo, onMessage, onSpec } = props
  const { play, drawing, spec } = session
  const mark = drawing.marks[cursor]
  switch (tab) {
    case 'events':
      return (
        <Events
          marks={drawing.marks}
          lost={drawing.lost}
          cursor={cursor}
          canAct={true}
          onPick={onGo}
          onMessage={onMessage}
        />
      )
    case 'states':
      return <StatesHere session={session} cursor={cursor} />
    case 'share':
      return <ShareHere session={session} cursor={cursor} />
    case 'acts':
      return (
        <Acts
          drawn={play.items.filter(({ drawn }) => drawn)}
          acts={spec.acts}
          nodes={drawing.lanes}
          clients={session.clients}
          commands={play.commands}
          at={mark?.at ?? 0}
          message={mark?.message}
          canUndo={props.canUndo}
          onUndo={props.onUndo}
          onActs={acts => onSpec(fresh({ ...spec, acts }))}
          onDrawn={(number, on) => onSpec(withDrawn(session, number, on))}
        />
      )
  }
}

/** Loaded when somebody wants it. */
function ShareHere(props: ShareProps): JSX.Element {
  const [failed, setFailed] = useState<string | undefined>(undefined)
  useEffect(() => {
    loadScript('share').then(
      () => setFailed(''),
      (error: Error) => setFailed(error.message),
    )
  }, [])
  const Share = published<ComponentType<ShareProps>>('share')
  return Share === undefined ? <p role="status">{failed || 'Loading…'}</p> : <Share {...props} />
}

/** States that a worker keeps come a moment later. */
function StatesHere({ session, cursor }: Pick<TabsProps, 'session' | 'cursor'>): JSX.Element {
  const [, redraw] = useState(0)
  const here = session.play.has?.(cursor, () => redraw(count => count + 1)) ?? true
  if (!here) return <p role="status">Looking…</p>
  return <States nodes={statesAt(session, cursor)} touched={session.drawing.marks[cursor]?.node} />
}

function statesAt({ play, drawing, liars }: Session, cursor: number) {
  const touched = drawing.marks[cursor]?.node
  return drawing.lanes.map(id => ({
    id,
    role: liars.has(id) ? 'lies' : '',
    liar: liars.has(id),
    now: play.stateAt(cursor, id),
    before: id === touched ? play.stateAt(cursor - 1, id) : play.stateAt(cursor, id),
  }))
}

/** Switching off one drawn act keeps all the others: that is `only`. */
function withDrawn({ spec, play }: Session, number: number, on: boolean): RunSpec {
  const drawn = play.items.filter(item => item.drawn)
  const only = drawn.filter(item => (item.number === number ? on : item.on)).map(item => item.number)
  const { only: _, ...rest } = fresh(spec)
  return only.length === drawn.length ? rest : { ...rest, only }
}
