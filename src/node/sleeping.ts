// A part that says nothing until somebody needs it: its own user, or another member that speaks to it. Every member must be able
// to pass events on for others; where nobody publishes or subscribes, none has a timer or sends anything for it.

import type { Protocol } from '../core/index.ts'

/** What a sleeping part is told. */
export interface Sleep<Command> {
  /** Whether its user needs it now. */
  wakes(command: Command): boolean
  /** Of what only informs, the newest of each key is kept until it wakes. */
  keyOf(command: Command): string
}

export interface SleepingState<State, Command> {
  readonly inner: State
  /** Undefined once it is awake. */
  kept: Map<string, Command> | undefined
}

/** A part behind such a door. */
export type Sleeping<State, Message, Command, Event> = Protocol<SleepingState<State, Command>, Message, Command, Event>

/** Notes that are kept: of every member one, and membership knows no more than so many. */
const KEPT_MAX = 10_000

/** The same machine, started by the first command that needs it or the first message to it. */
export function sleeping<State, Message, Command, Event>(
  machine: Protocol<State, Message, Command, Event>,
  { wakes, keyOf }: Sleep<Command>,
): Sleeping<State, Message, Command, Event> {
  return {
    name: machine.name,
    init: (self, peers, saved) => ({ inner: machine.init(self, peers, saved), kept: new Map() }),
    step(state, input, turn) {
      const { kept } = state
      if (kept !== undefined) {
        if (input.kind === 'start' || input.kind === 'stop') return
        if (input.kind === 'command' && !wakes(input.body)) {
          const key = keyOf(input.body)
          if (kept.has(key) || kept.size < KEPT_MAX) kept.set(key, input.body)
          return
        }
        state.kept = undefined
        machine.step(state.inner, { kind: 'start' }, turn)
        for (const body of kept.values()) machine.step(state.inner, { kind: 'command', body }, turn)
      }
      machine.step(state.inner, input, turn)
    },
    check: ({ inner }) => machine.check?.(inner),
  }
}
