// Any run, from its address.

import type { ComponentChildren, JSX } from 'preact'
import type { RunSpec } from '../../src/simulator/index.ts'
import { Bench } from '../bench.tsx'
import { yesNeeded } from '../needed.ts'
import { type Going, type Run, useRun } from '../use-run.ts'

export function RunView({ spec, scheme }: { spec: RunSpec; scheme: string }): JSX.Element {
  const run = useRun(spec)
  const { session } = run
  if (session === undefined || typeof session === 'string') return <NotShown run={run} />
  const { playground } = session
  return (
    <>
      <div>
        <h1>{playground.title}</h1>
        <p class="soft">
          {playground.bound(session.spec.run)} Seed {session.spec.seed}.
        </p>
      </div>
      <Shown run={run} scheme={scheme} />
    </>
  )
}

/** Where there is no run to show: why; or that it is still running. */
export function NotShown({ run: { session, going } }: { run: Run }): JSX.Element {
  if (going !== undefined) return <StillRunning {...going} />
  return (
    <p class={session === undefined ? 'soft' : 'notice'} role="status">
      {typeof session === 'string' ? session : 'Loading…'}
    </p>
  )
}

function StillRunning({ events, stop }: Going): JSX.Element {
  return (
    <div class="notice row" role="status" data-going="yes">
      <span>Still running: {events.toLocaleString('en')} events so far.</span>
      <button type="button" onClick={stop}>
        Stop here
      </button>
    </div>
  )
}

interface ShownProps {
  readonly run: Run
  readonly scheme: string
  readonly side?: ComponentChildren
  caption?(cursor: number): ComponentChildren
  onCursor?: ((cursor: number) => void) | undefined
}

export function Shown({ run, scheme, side, caption, onCursor }: ShownProps): JSX.Element | null {
  const { session } = run
  if (session === undefined || typeof session === 'string') return null
  const bench = (
    <Bench
      session={session}
      scheme={scheme}
      canUndo={run.canUndo}
      needed={yesNeeded(session.spec.run, session.servers.length)}
      onSpec={run.set}
      onUndo={run.undo}
      side={side}
      onCursor={onCursor}
      {...(caption === undefined ? {} : { caption })}
    />
  )
  return (
    <>
      {run.going === undefined ? undefined : <StillRunning {...run.going} />}
      {bench}
    </>
  )
}
