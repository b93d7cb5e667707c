// Lessons: a run with captions, each bound to an event. Next and back go from caption to caption.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Lesson } from '../../src/play/lessons.ts'
import { lessons } from '../lesson-texts.ts'
import { specOf } from '../levels.ts'
import type { ViewProps } from '../registry.ts'
import { useRun } from '../use-run.ts'
import { NotShown, Shown } from './run.tsx'

export function LessonsView(): JSX.Element {
  return (
    <>
      <div>
        <h1>Twelve lessons</h1>
        <p class="lead">Each is one run, a few minutes, and some sentences at the events that matter.</p>
      </div>
      <ol class="grid">
        {lessons.map((lesson, place) => (
          <li key={lesson.title}>
            <a class="card" href={`#lesson=${place + 1}`}>
              <h2>
                {place + 1}. {lesson.title}
              </h2>
              <p class="small">{lesson.before}</p>
              <p class="tag">{lesson.captions.length} steps</p>
            </a>
          </li>
        ))}
      </ol>
    </>
  )
}

export function LessonView({ name, scheme }: ViewProps): JSX.Element {
  const number = Math.min(lessons.length, Math.max(1, Math.floor(Number(name)) || 1))
  const lesson = lessons[number - 1]
  if (lesson === undefined) return <p class="notice">There is no such lesson.</p>
  return <OneLesson key={number} lesson={lesson} number={number} scheme={scheme} />
}

function OneLesson({ lesson, number, scheme }: { lesson: Lesson; number: number; scheme: string }): JSX.Element {
  const run = useRun({ ...specOf(lesson.address), at: lesson.captions[0]?.index ?? 0 })
  const [step, setStep] = useState(0)
  const [cursor, setCursor] = useState(0)
  const { session } = run
  if (session === undefined || typeof session === 'string') return <NotShown run={run} />
  const go = (to: number) => {
    const caption = lesson.captions[to]
    if (caption === undefined) return
    setStep(to)
    run.look(caption.index)
  }
  const here = lesson.captions.findLastIndex(({ index }) => index <= cursor)
  return (
    <>
      <div>
        <p>
          <a href="#lessons">All lessons</a>
        </p>
        <h1>
          {number}. {lesson.title}
        </h1>
        <p class="lead">{lesson.before}</p>
      </div>
      <Shown
        run={run}
        scheme={scheme}
        onCursor={setCursor}
        side={<Captions lesson={lesson} number={number} here={Math.max(step, here)} current={here} onGo={go} />}
      />
    </>
  )
}

interface CaptionsProps {
  readonly lesson: Lesson
  readonly number: number
  /** How far the reader has come. */
  readonly here: number
  readonly current: number
  onGo(step: number): void
}

function Captions({ lesson, number, current, onGo }: CaptionsProps): JSX.Element {
  const last = lesson.captions.length - 1
  return (
    <section class="card stack" aria-label="The lesson">
      <ol class="captions">
        {lesson.captions.map(({ index, text }, place) => (
          <li key={index} aria-current={place === current ? 'step' : undefined}>
            <button type="button" onClick={() => onGo(place)}>
              {text}
            </button>
          </li>
        ))}
      </ol>
      <div class="row">
        <button type="button" disabled={current <= 0} onClick={() => onGo(current - 1)}>
          Back
        </button>
        <button type="button" class="main" disabled={current >= last} onClick={() => onGo(current + 1)}>
          Next
        </button>
        {current >= last && number < lessons.length ? (
          <a class="next" href={`#lesson=${number + 1}`}>
            Next lesson
          </a>
        ) : undefined}
      </div>
      {current >= last ? lesson.after.split('\n').map(sentence => <p key={sentence}>{sentence}</p>) : undefined}
    </section>
  )
}
