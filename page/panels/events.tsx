// The list beside the picture: it says everything that the picture does, and every message can be held, dropped or sent
// twice from here.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Lost, Mark } from '../diagram/marks.ts'
import { listedAt, PAGE } from '../listed.ts'
import { piecesOf } from '../words.ts'

interface EventsProps {
  readonly marks: readonly Mark[]
  readonly lost: readonly Lost[]
  readonly cursor: number
  readonly canAct: boolean
  /** A story, which has steps and no times. */
  readonly steps?: boolean
  onPick(place: number): void
  onMessage(kind: 'hold' | 'drop' | 'twice', mark: Mark): void
}

export function Sentence({ mark }: { mark: Mark }): JSX.Element {
  return (
    <>
      {piecesOf(mark).map(({ text, name, lie }, place) =>
        name ? (
          <b key={place}>{text}</b>
        ) : lie ? (
          <span key={place} class="lie">
            {text}
          </span>
        ) : (
          text
        ),
      )}
    </>
  )
}

/** Of a story only the order counts: its times are steps. */
export function timeOf(micros: number, steps = false): string {
  if (steps) return `step ${Math.round(micros / 1000)}`
  return micros < 10_000_000 ? `${(micros / 1000).toFixed(3)} ms` : `${(micros / 1e6).toFixed(4)} s`
}

export function Events({ marks, lost, cursor, canAct, steps, onPick, onMessage }: EventsProps): JSX.Element {
  const list = useRef<HTMLOListElement>(null)
  const { first, shown, never } = listedAt(marks, lost, cursor)
  useEffect(() => {
    const box = list.current
    const line = box?.children[cursor - first] as HTMLElement | undefined
    // Only the list moves, never the page under the reader.
    if (box && line) box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2
  }, [cursor, first])
  return (
    <div class="stack">
      <div class="row">
        <p class="soft small">
          Events {marks.length === 0 ? 0 : first + 1}–{Math.min(marks.length, first + PAGE)} of {marks.length}
        </p>
        <button type="button" disabled={first === 0} onClick={() => onPick(first - 1)}>
          Earlier
        </button>
        <button type="button" disabled={first + PAGE >= marks.length} onClick={() => onPick(first + PAGE)}>
          Later
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <ol class="events" ref={list} tabIndex={0} aria-label="Events of the run">
        {shown.map((mark, place) => (
          <li key={first + place} aria-current={first + place === cursor ? 'step' : undefined}>
            <span class="time">{timeOf(mark.at, steps)}</span>
            <button type="button" class="line" title={mark.what} onClick={() => onPick(first + place)}>
              <Sentence mark={mark} />
            </button>
            {canAct && mark.message !== undefined ? <Tools mark={mark} onMessage={onMessage} /> : undefined}
          </li>
        ))}
      </ol>
      <Never lost={never} of={lost.length} />
    </div>
  )
}

/** What the picture shows by a cross: messages that were sent and never arrive. */
function Never({ lost, of }: { lost: readonly Lost[]; of: number }): JSX.Element | null {
  if (of === 0) return null
  return (
    <details>
      <summary>
        {lost.length} messages that are sent here never arrive{lost.length === of ? '' : `, of ${of} in all`}
      </summary>
      <ul>
        {lost.map(({ from, to, sentAt, what }, place) => (
          <li key={place} class="small">
            <span class="mono">{timeOf(sentAt)}</span> <b>{from}</b> → <b>{to}</b>: {what}
          </li>
        ))}
      </ul>
    </details>
  )
}

function Tools({ mark, onMessage }: Pick<EventsProps, 'onMessage'> & { mark: Mark }): JSX.Element {
  const name = `${mark.from} to ${mark.node}, message ${mark.message?.split('#').at(-1)}`
  return (
    <span class="tools">
      <button type="button" aria-label={`Hold back by 2 ms: ${name}`} onClick={() => onMessage('hold', mark)}>
        hold
      </button>
      <button type="button" aria-label={`Drop: ${name}`} onClick={() => onMessage('drop', mark)}>
        drop
      </button>
      <button type="button" aria-label={`Deliver twice: ${name}`} onClick={() => onMessage('twice', mark)}>
        twice
      </button>
    </span>
  )
}
