// The verdict, always in sight: held or broken, in the checker's own sentence, and where.

import type { JSX } from 'preact'
import type { Played } from '../played.ts'
import { VerdictSign } from './signs.tsx'

interface VerdictProps {
  readonly play: Played
  readonly promise: string
  onGo(place: number): void
}

export function Verdict({ play, promise, onGo }: VerdictProps): JSX.Element {
  const [broken] = play.violations
  const events = `${play.trace.length.toLocaleString('en')} events`
  if (broken !== undefined) {
    return (
      <div class="verdict broken" role="status" data-verdict="broken">
        <span class="sign">
          <VerdictSign good={false} /> Promise broken
        </span>
        <p>{sentence(broken.what)}</p>
        <button type="button" onClick={() => onGo(broken.index)}>
          Show me where
        </button>
      </div>
    )
  }
  if (play.status === 'asks') {
    return (
      <div class="verdict asks" role="status" data-verdict="asks">
        <span class="sign">
          <VerdictSign good={true} /> Held so far
        </span>
        <p>{promise} It waits for your word.</p>
      </div>
    )
  }
  const stopped = stoppedBy(play)
  return (
    <div class={`verdict ${stopped ? 'stopped' : 'held'}`} role="status" data-verdict={stopped ? 'stopped' : 'held'}>
      <span class="sign">
        <VerdictSign good={true} /> {stopped ? 'Held so far' : 'Promise held'}
      </span>
      <p>
        {promise} {stopped ?? `It held, in all ${events}.`}
      </p>
    </div>
  )
}

/** Where a limit ended it before its own end: what was reached can be looked at. */
function stoppedBy({ stopped, trace }: Played): string | undefined {
  const reached = `What was reached, ${trace.length.toLocaleString('en')} events, can be looked at.`
  if (stopped === 'events') return `Stopped here: more events than this page runs. ${reached}`
  if (stopped === 'patience') return `Stopped here: it took longer than this page waits. ${reached}`
  return undefined
}

const sentence = (text: string) => {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}
