// One level of the game: what is asked, the run, and what came of it.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Level, levels, specOf } from '../levels.ts'
import type { Session } from '../session.ts'
import { type Run, useRun } from '../use-run.ts'
import { NotShown, Shown } from './run.tsx'

export function LevelView({ number, scheme }: { number: number; scheme: string }): JSX.Element {
  const level = levels.find(each => each.number === number) ?? levels[0]!
  const run = useRun(specOf(level.address))
  const { session } = run
  const [tries, setTries] = useState(0)
  const again = () => {
    setTries(tries + 1)
    run.reset(specOf(level.address))
  }
  return (
    <>
      <LevelRow current={level.number} />
      <div class="intro">
        <div>
          <h1>{level.headline}</h1>
          <p class="goal">{level.goal}</p>
        </div>
      </div>
      {session === undefined || typeof session === 'string' ? (
        <NotShown session={session} />
      ) : (
        <Shown
          run={run}
          scheme={scheme}
          side={<Ending level={level} session={session} run={run} tries={tries} onAgain={again} />}
        />
      )}
    </>
  )
}

function LevelRow({ current }: { current: number }): JSX.Element {
  return (
    <nav aria-label="Levels">
      <ol class="levels">
        {levels.map(({ number, title }) => (
          <li key={number}>
            <a href={`#level=${number}`} aria-current={number === current ? 'step' : undefined}>
              <span class="number">{number}</span>
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface EndingProps {
  readonly level: Level
  readonly session: Session
  readonly run: Run
  readonly tries: number
  onAgain(): void
}

/** Hints come after so many tries. */
const HINTS_AFTER = 3

function Ending({ level, session, run, tries, onAgain }: EndingProps): JSX.Element | null {
  const { play } = session
  const won = play.status === 'broken' && play.outside.length === 0
  const over = play.status === 'broken' || play.status === 'over'
  const help = tries >= HINTS_AFTER ? level.hints : []
  if (!over && !run.canUndo && help.length === 0) return null
  return (
    <section class="card ending" aria-label="How it ended" data-won={won ? 'yes' : 'no'}>
      {over ? (
        <p class="big">
          {won
            ? 'You broke it: two clients are inside.'
            : play.status === 'broken'
              ? 'It broke, but beyond what it promises.'
              : 'It held.'}
        </p>
      ) : undefined}
      {won ? <p>{level.moral}</p> : undefined}
      {over && !won && level.attack === undefined ? <p>{level.moral}</p> : undefined}
      {help.map(hint => (
        <p key={hint} class="soft">
          Hint: {hint}
        </p>
      ))}
      <div class="row">
        <button type="button" onClick={onAgain}>
          Start again
        </button>
        {run.canUndo ? (
          <button type="button" onClick={run.undo}>
            Take back
          </button>
        ) : undefined}
        {level.attack !== undefined && tries >= HINTS_AFTER && !won ? (
          <button type="button" onClick={() => run.set(specOf(level.attack!))}>
            Show me
          </button>
        ) : undefined}
        {won ? (
          <a class="next" href={`#level=${level.number + 1}`}>
            Next: one server more
          </a>
        ) : undefined}
      </div>
    </section>
  )
}
