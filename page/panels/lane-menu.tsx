// What can be done to one node, at the cursor: the menu behind its name.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ManualAct } from '../../src/simulator/index.ts'
import type { Session } from '../session.ts'
import { timeOf } from './events.tsx'

interface LaneMenuProps {
  readonly node: string
  readonly at: number
  readonly session: Session
  onAct(act: ManualAct): void
  onClose(): void
}

export function LaneMenu({ node, at, session, onAct, onClose }: LaneMenuProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.querySelector('button')?.focus(), [])
  const start = Math.round(at)
  const lasts = Math.max(1, Math.round((session.drawing.last - session.drawing.first) / 5))
  const choice = (name: string, act: ManualAct) => (
    <button type="button" onClick={() => onAct(act)}>
      {name}
    </button>
  )
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes it from any of its buttons
    <div class="menu" ref={box} onKeyDown={onKey}>
      <p>
        {node}, from {timeOf(at)} on
      </p>
      {choice('Crash it for a while', { kind: 'crash', node, at: start, lasts })}
      {choice('Crash it, and its disk is lost', { kind: 'lose', node, at: start, lasts })}
      {choice('Pause it', { kind: 'pause', node, at: start, lasts })}
      {choice('Slow its messages by 8', { kind: 'slow', node, at: start, lasts, factor: 8 })}
      {choice('Its clock runs 5 % fast', { kind: 'drift', node, rate: 1.05 })}
      {choice('Its clock runs 5 % slow', { kind: 'drift', node, rate: 0.95 })}
      <button type="button" onClick={onClose}>
        Nothing
      </button>
    </div>
  )
}
