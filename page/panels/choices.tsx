// What could have happened instead at this step of a walk, and what can happen after its last.

import type { JSX } from 'preact'
import type { Walk, WalkChoice } from '../../src/simulator/index.ts'
import { Sentence } from './events.tsx'

interface ChoicesProps {
  readonly walk: Walk
  /** The step at the cursor; -1 before the first. */
  readonly step: number
  readonly canUndo: boolean
  /** Another choice at this step; nothing: without it. */
  onInstead(choice: number | undefined): void
  /** One step more, at the end. */
  onNext(choice: number): void
  onUndo(): void
}

export function Choices({ walk, step, canUndo, onInstead, onNext, onUndo }: ChoicesProps): JSX.Element {
  const choices = step < 0 ? [] : (walk.choices[step] ?? [])
  const isLast = step === walk.steps.length - 1
  return (
    <>
      {choices.length === 0 ? undefined : (
        <section class="card choices" aria-labelledby="instead-title">
          <header>
            <h2 id="instead-title">Step {step + 1}: change it</h2>
            <button type="button" disabled={!canUndo} onClick={onUndo}>
              Undo
            </button>
          </header>
          <p class="soft small">
            {choices.length === 1 ? 'Nothing else could happen here.' : 'Any of these could happen here instead.'} What
            comes after it then comes as before, where it still can.
          </p>
          <List choices={choices} taken={walk.steps[step]} onChoice={onInstead} />
          <div>
            <button type="button" data-without="" onClick={() => onInstead(undefined)}>
              Without this step
            </button>
          </div>
        </section>
      )}
      {isLast || step < 0 ? <Next walk={walk} step={step} onNext={onNext} /> : undefined}
    </>
  )
}

function Next({ walk, step, onNext }: Pick<ChoicesProps, 'walk' | 'step' | 'onNext'>): JSX.Element | null {
  if (step < walk.steps.length - 1 || walk.next.length === 0) return null
  return (
    <section class="card choices" aria-labelledby="next-title">
      <header>
        <h2 id="next-title">What happens next?</h2>
      </header>
      <List choices={walk.next} taken={undefined} onChoice={onNext} />
    </section>
  )
}

interface ListProps {
  readonly choices: readonly WalkChoice[]
  readonly taken: number | undefined
  onChoice(choice: number): void
}

/** What differs by a throw of dice alone is one line: the one that was taken, or the first. */
function List({ choices, taken, onChoice }: ListProps): JSX.Element {
  const lines = new Map<string, { place: number; count: number }>()
  for (const [place, { label }] of choices.entries()) {
    const known = lines.get(label)
    lines.set(label, { place: place === taken ? place : (known?.place ?? place), count: (known?.count ?? 0) + 1 })
  }
  return (
    <ul>
      {[...lines.values()].map(({ place, count }) => (
        <li key={place}>
          <button
            type="button"
            data-choice={place}
            aria-current={place === taken ? 'step' : undefined}
            onClick={() => place !== taken && onChoice(place)}
          >
            <Told choice={choices[place]!} />
            {place === taken ? <span class="tag">this happened</span> : undefined}
            {count > 1 ? <span class="tag">one of {count.toLocaleString('en')} throws of the dice</span> : undefined}
          </button>
        </li>
      ))}
    </ul>
  )
}

function Told({ choice: { label, entry } }: { choice: WalkChoice }): JSX.Element {
  if (entry.node === '') return <span>time passes for all ({label})</span>
  return (
    <span>
      <Sentence mark={{ ...entry, at: 0 }} />
      {label.endsWith('(and again later)') ? ', and again later' : ''}
    </span>
  )
}
