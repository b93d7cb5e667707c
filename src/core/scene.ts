// What a handler is given: the state that it may change, the settings it obeys, the turn in which it asks for effects.
// A machine makes one for each input; nothing keeps it. A machine that needs more (keys, a group) extends it.

import type { Turn } from './process.ts'

/** What a handler is given first. */
export interface Scene<State, Settings, Message, Event> {
  readonly state: State
  readonly settings: Settings
  readonly turn: Turn<Message, Event>
}
