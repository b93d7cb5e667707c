// Any run, from its address.

import type { ComponentChildren, JSX } from 'preact'
import type { RunSpec } from '../../src/simulator/index.ts'
import { Bench } from '../bench.tsx'
import { yesNeeded } from '../needed.ts'
import { type Run, useRun } from '../use-run.ts'

export function RunView({ spec, scheme }: { spec: RunSpec; scheme: string }): JSX.Element {
  const run = useRun(spec)
  const { session } = run
  if (session === undefined || typeof session === 'string') return <NotShown session={session} />
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

export function NotShown({ session }: { session: string | undefined }): JSX.Element {
  return (
    <p class={session === undefined ? 'soft' : 'notice'} role="status">
      {session ?? 'Loading…'}
    </p>
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
  return (
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
}
