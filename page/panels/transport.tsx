// Step, back, play, scrub; and the keys for it.

import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { timeOf } from './events.tsx'
import { BACK, FIRST, HALT, LAST, PLAY, STEP } from './signs.tsx'

export interface TransportProps {
  readonly cursor: number
  readonly count: number
  readonly at: number
  /** A story, which has steps and no times. */
  readonly steps?: boolean
  readonly playing: boolean
  readonly speed: number
  onGo(place: number): void
  onPlay(playing: boolean): void
  onSpeed(speed: number): void
  /** The next event of the node at the cursor, and the next that a node tells its user. */
  onNext(what: 'node' | 'told'): void
}

/** Events a second. */
export const SPEEDS: readonly (readonly [speed: number, name: string])[] = [
  [2, 'slow'],
  [6, 'normal'],
  [20, 'fast'],
  [100, 'very fast'],
]

export function Transport(props: TransportProps): JSX.Element {
  const { cursor, count, at, steps, playing, speed, onGo, onPlay, onSpeed } = props
  useKeys(props)
  const last = count - 1
  const button = (name: string, sign: JSX.Element, keys: string, act: () => void, off: boolean) => (
    <button
      type="button"
      aria-label={name}
      aria-keyshortcuts={keys}
      title={`${name} (${keys})`}
      disabled={off}
      onClick={act}
    >
      {sign}
    </button>
  )
  return (
    <div class="transport" role="toolbar" aria-label="Move through the run">
      <div class="keys">
        {button('To the start', FIRST, 'Home', () => onGo(0), cursor <= 0)}
        {button('One event back', BACK, 'ArrowLeft', () => onGo(cursor - 1), cursor <= 0)}
        <button
          type="button"
          class="main"
          aria-label={playing ? 'Stop' : 'Play'}
          aria-keyshortcuts="Space"
          title={`${playing ? 'Stop' : 'Play'} (Space)`}
          onClick={() => onPlay(!playing)}
        >
          {playing ? HALT : PLAY}
        </button>
        {button('One event on', STEP, 'ArrowRight', () => onGo(cursor + 1), cursor >= last)}
        {button('To the end', LAST, 'End', () => onGo(last), cursor >= last)}
      </div>
      <input
        type="range"
        aria-label="Place in the run"
        aria-valuetext={`event ${cursor + 1} of ${count}, ${timeOf(at, steps)}`}
        min={0}
        max={Math.max(0, last)}
        value={cursor}
        onInput={event => onGo(Number(event.currentTarget.value))}
      />
      <div class="row">
        <span class="where">
          {Math.min(count, cursor + 1)} / {count} · {timeOf(at, steps)}
        </span>
        <select aria-label="Speed" value={String(speed)} onChange={event => onSpeed(Number(event.currentTarget.value))}>
          {SPEEDS.map(([value, name]) => (
            <option key={value} value={String(value)}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

/** Fields and lists keep their own keys. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, select, textarea, [role="tablist"], .menu') !== null
}

function useKeys({ cursor, count, playing, onGo, onPlay, onNext }: TransportProps): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const onButton = event.target instanceof HTMLElement && event.target.closest('button, a, summary') !== null
      const moves: Readonly<Record<string, () => void>> = {
        ArrowLeft: () => onGo(cursor - 1),
        ArrowRight: () => onGo(cursor + 1),
        Home: () => onGo(0),
        End: () => onGo(count - 1),
        '.': () => onNext('node'),
        ',': () => onNext('told'),
        // On a button the space bar presses it.
        ...(onButton ? {} : { ' ': () => onPlay(!playing) }),
      }
      const move = moves[event.key]
      if (move === undefined) return
      event.preventDefault()
      move()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}
