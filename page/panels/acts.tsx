// What was drawn and what you did, as a list in which each can be switched off; and a form for every act.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { actText, type ManualAct, type ManualKind, readMessage } from '../../src/simulator/index.ts'

/** Something that the seed drew: a user's act or a fault. */
export interface DrawnAct {
  readonly number: number
  readonly text: string
  readonly on: boolean
}

interface ActsProps {
  readonly drawn: readonly DrawnAct[]
  readonly acts: readonly ManualAct[]
  readonly nodes: readonly string[]
  readonly clients: readonly string[]
  readonly commands: readonly string[]
  /** The time and the message at the cursor: what a form begins with. */
  readonly at: number
  readonly message: string | undefined
  readonly canUndo: boolean
  onDrawn(number: number, on: boolean): void
  onActs(acts: readonly ManualAct[]): void
  onUndo(): void
}

/** Drawn acts beyond this are counted. */
const DRAWN_MAX = 200

export function Acts(props: ActsProps): JSX.Element {
  const { drawn, acts, onActs, onDrawn, canUndo, onUndo } = props
  const change = (place: number, act: ManualAct | undefined) =>
    onActs(acts.flatMap((each, other) => (other !== place ? [each] : act === undefined ? [] : [act])))
  return (
    <div class="two">
      <div class="stack">
        <div class="row">
          <h2>What you did</h2>
          <button type="button" disabled={!canUndo} onClick={onUndo}>
            Undo
          </button>
        </div>
        {acts.length === 0 ? (
          <p class="soft small">
            Nothing yet. Drag an arrow’s head to the right to hold a message back, drag along a lane to pause a node,
            drag from lane to lane to cut their link; or use the form.
          </p>
        ) : undefined}
        <ul class="acts">
          {acts.map((act, place) => (
            <li key={`${place} ${actText(act)}`} class={act.off ? 'off' : ''}>
              <input
                type="checkbox"
                id={`act-${place}`}
                checked={!act.off}
                onChange={() => change(place, switched(act))}
              />
              <label for={`act-${place}`}>{actSentence(act)}</label>
              <button type="button" aria-label={`Remove: ${actSentence(act)}`} onClick={() => change(place, undefined)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
        {drawn.length === 0 ? undefined : <h2>What the seed drew</h2>}
        <ul class="acts">
          {drawn.slice(0, DRAWN_MAX).map(({ number, text, on }) => (
            <li key={number} class={on ? '' : 'off'}>
              <input type="checkbox" id={`drawn-${number}`} checked={on} onChange={() => onDrawn(number, !on)} />
              <label for={`drawn-${number}`}>{text}</label>
              <span class="soft small">{number}</span>
            </li>
          ))}
        </ul>
        {drawn.length > DRAWN_MAX ? <p class="soft small">and {drawn.length - DRAWN_MAX} more</p> : undefined}
      </div>
      <ActForm key={`${props.at} ${props.message}`} {...props} />
    </div>
  )
}

function switched(act: ManualAct): ManualAct {
  if (!act.off) return { ...act, off: true }
  const { off: _, ...on } = act
  return on as ManualAct
}

const ms = (micros: number) => `${(micros / 1000).toFixed(3).replace(/\.?0+$/, '')} ms`

export function actSentence(act: ManualAct): string {
  const span = 'lasts' in act ? `from ${ms(act.at)} for ${ms(act.lasts)}` : ''
  const message = 'nth' in act ? `message ${act.nth} from ${act.from} to ${act.to}` : ''
  switch (act.kind) {
    case 'cut':
      return `cut ${act.from} → ${act.to} ${span}`
    case 'crash':
      return `crash ${act.node} ${span}`
    case 'lose':
      return `${act.node} crashes and loses its disk ${span}`
    case 'pause':
      return `pause ${act.node} ${span}`
    case 'slow':
      return `slow ${act.node} down by ${act.factor} ${span}`
    case 'drift':
      return `the clock of ${act.node} runs ${act.rate} times as fast`
    case 'hold':
      return `hold ${message} back by ${ms(act.by)}`
    case 'drop':
      return `drop ${message}`
    case 'twice':
      return `deliver ${message} again after ${ms(act.by)}`
    case 'do':
      return `${act.client}: ${act.command} at ${ms(act.at)}`
  }
}

const KINDS: readonly (readonly [kind: ManualKind, name: string])[] = [
  ['hold', 'Hold a message back'],
  ['drop', 'Drop a message'],
  ['twice', 'Deliver a message twice'],
  ['cut', 'Cut a link'],
  ['pause', 'Pause a node'],
  ['crash', 'Crash a node'],
  ['lose', 'Crash it and lose its disk'],
  ['slow', 'Slow a node down'],
  ['drift', 'Change a clock'],
  ['do', 'A user does something'],
]

function ActForm(props: ActsProps): JSX.Element {
  const { nodes, clients, commands, at } = props
  const message = props.message === undefined ? undefined : readMessage(props.message)
  const [kind, setKind] = useState<ManualKind>('hold')
  const [fields, setFields] = useState<Fields>({
    from: message?.from ?? nodes[0] ?? '',
    to: message?.to ?? nodes.at(-1) ?? '',
    nth: message?.nth ?? 1,
    by: 2,
    at: Math.round(at) / 1000,
    lasts: 1,
    node: message?.to ?? nodes.at(-1) ?? '',
    rate: 1.05,
    factor: 8,
    client: clients[0] ?? '',
    command: commands[0] ?? '',
  })
  const submit = (event: Event) => {
    event.preventDefault()
    props.onActs([...props.acts, actFrom(kind, fields)])
  }
  const kinds = KINDS.filter(([each]) => each !== 'do' || commands.length > 0)
  return (
    <form onSubmit={submit}>
      <fieldset class="stack">
        <legend>Do something to this run</legend>
        <label class="field">
          What
          <select value={kind} onChange={event => setKind(event.currentTarget.value as ManualKind)}>
            {kinds.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <div class="row end">
          {ASKED[kind].map(name => (
            <Field key={name} name={name} props={props} fields={fields} onFields={setFields} />
          ))}
        </div>
        <div>
          <button type="submit" class="main">
            Do it
          </button>
        </div>
      </fieldset>
    </form>
  )
}

/** What each act needs to be told. */
const ASKED: Readonly<Record<ManualKind, readonly (keyof Fields)[]>> = {
  hold: ['from', 'to', 'nth', 'by'],
  twice: ['from', 'to', 'nth', 'by'],
  drop: ['from', 'to', 'nth'],
  cut: ['from', 'to', 'at', 'lasts'],
  pause: ['node', 'at', 'lasts'],
  crash: ['node', 'at', 'lasts'],
  lose: ['node', 'at', 'lasts'],
  slow: ['node', 'factor', 'at', 'lasts'],
  drift: ['node', 'rate'],
  do: ['client', 'command', 'at'],
}

/** Name, step and least value of the fields that are numbers. */
const NUMBERS: Readonly<Partial<Record<keyof Fields, readonly [label: string, step: number, min: number]>>> = {
  nth: ['Which on this link', 1, 1],
  by: ['By (ms)', 0.001, 0],
  at: ['At (ms)', 0.001, 0],
  lasts: ['For (ms)', 0.001, 0],
  rate: ['Times as fast', 0.01, 0.5],
  factor: ['Times slower', 1, 1],
}

const LABELS: Readonly<Partial<Record<keyof Fields, string>>> = {
  from: 'From',
  to: 'To',
  node: 'Node',
  client: 'Who',
  command: 'Does',
}

interface FieldProps {
  readonly name: keyof Fields
  readonly props: ActsProps
  readonly fields: Fields
  onFields(fields: Fields): void
}

function Field({ name, props, fields, onFields }: FieldProps): JSX.Element {
  const number = NUMBERS[name]
  if (number !== undefined) {
    const [label, step, min] = number
    const set = (text: string) => onFields({ ...fields, [name]: Number(text) })
    return (
      <label class="field">
        {label}
        <input
          type="number"
          min={min}
          step={step}
          value={fields[name]}
          onInput={event => set(event.currentTarget.value)}
        />
      </label>
    )
  }
  const values = name === 'client' ? props.clients : name === 'command' ? props.commands : props.nodes
  return (
    <label class="field">
      {LABELS[name]}
      <select value={fields[name]} onChange={event => onFields({ ...fields, [name]: event.currentTarget.value })}>
        {values.map(value => (
          <option key={value}>{value}</option>
        ))}
      </select>
    </label>
  )
}

interface Fields {
  readonly from: string
  readonly to: string
  readonly nth: number
  readonly by: number
  readonly at: number
  readonly lasts: number
  readonly node: string
  readonly rate: number
  readonly factor: number
  readonly client: string
  readonly command: string
}

function actFrom(kind: ManualKind, fields: Fields): ManualAct {
  const micros = (millis: number) => Math.max(0, Math.round(millis * 1000) || 0)
  const { from, to, node, client, command } = fields
  const nth = Math.max(1, Math.floor(fields.nth) || 1)
  const span = { at: micros(fields.at), lasts: micros(fields.lasts) }
  switch (kind) {
    case 'cut':
      return { kind, from, to, ...span }
    case 'crash':
    case 'lose':
    case 'pause':
      return { kind, node, ...span }
    case 'slow':
      return { kind, node, factor: fields.factor, ...span }
    case 'drift':
      return { kind, node, rate: fields.rate }
    case 'hold':
    case 'twice':
      return { kind, from, to, nth, by: micros(fields.by) }
    case 'drop':
      return { kind, from, to, nth }
    case 'do':
      return { kind, client, command, at: span.at }
  }
}
