// One level of the game: what is asked, the run, and what came of it.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Later } from '../later.tsx'
import { levels, specOf, type ToldLevel } from '../levels.ts'
import type { Session } from '../session.ts'
import { type Run, useRun } from '../use-run.ts'
import { NotShown, Shown } from './run.tsx'

export function LevelView({ number, scheme }: { number: number; scheme: string }): JSX.Element {
  const level = levels.find(each => each.number === number) ?? levels[0]!
  const run = useRun(specOf(level.start))
  const { session } = run
  const [tries, setTries] = useState(0)
  const again = () => {
    setTries(tries + 1)
    run.reset(specOf(level.start))
  }
  const won = session !== undefined && typeof session !== 'string' && isWon(session)
  const done = useWins(level.number, won)
  // Who has broken the first level sees how few ways there are to do it; in the second there is none.
  const tried = level.exhausts ?? (won ? level.exhaustsOnce : undefined)
  return (
    <>
      <LevelRow current={level.number} done={done} />
      <div class="intro">
        <div>
          <h1>{level.headline}</h1>
          <p class="goal">{level.goal}</p>
        </div>
      </div>
      {session === undefined || typeof session === 'string' ? (
        <NotShown run={run} />
      ) : (
        <Shown
          run={run}
          scheme={scheme}
          side={
            <>
              <Ending level={level} session={session} run={run} tries={tries} onAgain={again} />
              {tried === undefined ? undefined : <Later script="duels" way="duels" name={`${tried}`} scheme={scheme} />}
            </>
          }
        />
      )}
    </>
  )
}

/** A promise is broken, by what it is made against. */
function isWon({ play }: Session): boolean {
  return play.status === 'broken' && play.outside.length === 0
}

const KEY = 'coterie-levels'

/** Which levels were won on this machine, where it remembers. */
function useWins(number: number, won: boolean): ReadonlySet<number> {
  const [wins, setWins] = useState<ReadonlySet<number>>(() => {
    try {
      return new Set((localStorage.getItem(KEY) ?? '').split(',').filter(Boolean).map(Number))
    } catch {
      return new Set()
    }
  })
  useEffect(() => {
    if (!won || wins.has(number)) return
    const all = new Set([...wins, number])
    setWins(all)
    try {
      localStorage.setItem(KEY, [...all].join(','))
    } catch {
      // A page from a disk may have no memory.
    }
  }, [won, number, wins])
  return wins
}

function LevelRow({ current, done }: { current: number; done: ReadonlySet<number> }): JSX.Element {
  return (
    <nav aria-label="Levels">
      <ol class="levels">
        {levels.map(({ number, short }) => (
          <li key={number}>
            <a
              href={`#level=${number}`}
              class={done.has(number) ? 'done' : ''}
              aria-current={number === current ? 'step' : undefined}
            >
              <span class="number">{done.has(number) ? '✓' : number}</span>
              <span>
                {short}
                {done.has(number) ? <span class="unseen"> (broken by you)</span> : undefined}
              </span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface EndingProps {
  readonly level: ToldLevel
  readonly session: Session
  readonly run: Run
  readonly tries: number
  onAgain(): void
}

/** One more hint after so many tries; then the attack itself. */
const HINTS_AFTER = 3

function Ending({ level, session, run, tries, onAgain }: EndingProps): JSX.Element | null {
  const { play } = session
  const won = isWon(session)
  const over = play.status === 'broken' || play.status === 'over'
  const hints = level.hints.slice(0, Math.floor(tries / HINTS_AFTER))
  if (!over && !run.canUndo && hints.length === 0) return null
  return (
    <section class="card ending" aria-label="How it goes" data-won={won ? 'yes' : 'no'}>
      {over ? <p class="big">{endingOf(level, session)}</p> : undefined}
      {won || (over && level.attack === undefined) ? <p>{level.why}</p> : undefined}
      {hints.map(hint => (
        <p key={hint}>
          <b>Hint:</b> {hint}
        </p>
      ))}
      <div class="row">
        {won && level.number < levels.length ? (
          <a class="next" href={`#level=${level.number + 1}`}>
            Next level
          </a>
        ) : undefined}
        {won ? <Send /> : undefined}
        <button type="button" disabled={!run.canUndo && !over} onClick={onAgain}>
          Start again
        </button>
        <button type="button" disabled={!run.canUndo} onClick={run.undo}>
          Take back
        </button>
        {level.attack !== undefined && tries >= HINTS_AFTER && !won ? (
          <button type="button" onClick={() => run.set(specOf(level.attack!))}>
            Show me
          </button>
        ) : undefined}
      </div>
    </section>
  )
}

/** The address is the run: whoever opens it sees the same. */
function Send(): JSX.Element {
  const [said, setSaid] = useState('Copy its address')
  const copy = () => {
    const copied = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error('no clipboard'))
    copied.then(
      () => setSaid('Copied: send it'),
      () => setSaid('It is in the line of addresses'),
    )
  }
  return (
    <button type="button" aria-live="polite" onClick={copy}>
      {said}
    </button>
  )
}

function endingOf(level: ToldLevel, { play }: Session): string {
  if (play.status !== 'broken') return 'It held.'
  return play.outside.length === 0 ? level.won : 'It broke, but beyond what it promises.'
}
