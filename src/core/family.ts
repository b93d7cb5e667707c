// A part of a node that holds many machines of one kind, each opened by its name when somebody wants it. It keeps their
// messages, timers, records and events apart.
//
// A message for a name that is not open here is dropped. A name that is opened again, in this life or after a restart,
// must mean the same: what it was first opened with is saved as a fingerprint, and another one is refused. A name that was
// opened by mistake can be let go while the node does not run. Then it may mean something else, but never again what it
// meant: what was said under it is forgotten, and could be said a second time, otherwise.
//
// All machines save in the one lane of the part. A snapshot would drop what the others saved: they only append.

import { addressed, ownName, ownTurn } from './addressing.ts'
import { assert, unreachable } from './assert.ts'
import { sameBytes } from './bytes.ts'
import { bytes, decode, encode, text, variants } from './codec.ts'
import { SettingsError } from './errors.ts'
import type { Effect, Input, NodeId, Protocol, Saved, Turn } from './process.ts'

/** What the machines of a family are. */
export interface Kin<Settings, State, Message, Command, Event> {
  readonly name: string
  /** Machines of one node: each has timers and memory of its own. */
  readonly openMax: number
  machine(settings: Settings): Protocol<State, Message, Command, Event>
  /**
   * What must be the same whenever the name is opened, in at most 32 bytes. Throws a `SettingsError` where a machine of
   * these settings cannot be opened here.
   */
  fingerprint(self: NodeId, settings: Settings): Uint8Array
  /** What is said to somebody who opens a known name with another fingerprint. */
  readonly otherSettings: string
}

/** What is asked of a family. */
export type FamilyCommand<Settings, Command> =
  /** Answered by `opened` or `shut`. */
  | { readonly kind: 'open'; readonly settings: Settings }
  /** For one machine; dropped where it is not open. */
  | { readonly kind: 'tell'; readonly name: string; readonly body: Command }

/** What a family tells. */
export type FamilyEvent<Settings, Event> =
  | { readonly kind: 'opened'; readonly name: string; readonly settings: Settings }
  | { readonly kind: 'shut'; readonly name: string; readonly why: string }
  | { readonly kind: 'said'; readonly name: string; readonly body: Event }

/** What a family remembers. */
export interface FamilyState<Settings, State> {
  readonly self: NodeId
  readonly peers: readonly NodeId[]
  readonly open: Map<string, { readonly settings: Settings; readonly state: State }>
  /** What every name was first opened with, and what it had saved when this life began, until it is opened. */
  readonly known: Map<string, { readonly fingerprint: Uint8Array; readonly records: Uint8Array[] }>
  /** What names meant that were let go. */
  readonly past: ReadonlyMap<string, readonly Uint8Array[]>
}

type FamilyRecord =
  | { readonly kind: 'opened'; readonly name: string; readonly fingerprint: Uint8Array }
  | { readonly kind: 'saved'; readonly name: string; readonly record: Uint8Array }
  | { readonly kind: 'letGo'; readonly name: string }

/** Bytes of a machine's name. */
export const FAMILY_NAME_BYTES_MAX = 40
const FINGERPRINT_BYTES_MAX = 32
/** As long as the longest record of a machine: of slots, a link with the names, keys and signatures of all members. */
const RECORD_BYTES_MAX = 1 << 20

const familyRecord = variants<FamilyRecord>({
  opened: { name: text(FAMILY_NAME_BYTES_MAX), fingerprint: bytes(FINGERPRINT_BYTES_MAX) },
  saved: { name: text(FAMILY_NAME_BYTES_MAX), record: bytes(RECORD_BYTES_MAX) },
  letGo: { name: text(FAMILY_NAME_BYTES_MAX) },
})

interface WithName {
  readonly name: string
}

/** A protocol that holds many machines of one kind. */
export type Family<Settings, State, Message, Command, Event> = Protocol<
  FamilyState<Settings, State>,
  Message,
  FamilyCommand<Settings, Command>,
  FamilyEvent<Settings, Event>
>

/** The protocol of a family: machines of one kind, opened by name. */
export function family<Settings extends WithName & object, State, Message extends WithName, Command, Event>(
  kin: Kin<Settings, State, Message, Command, Event>,
): Family<Settings, State, Message, Command, Event> {
  const machines = new Machines(kin)
  return {
    name: kin.name,
    init: (self, peers, saved) => ({ self, peers, open: new Map(), ...readKnown(saved) }),
    step(state, input, turn) {
      switch (input.kind) {
        case 'start':
          return
        case 'message':
          return machines.give(state, input.body.name, input, turn)
        case 'command':
          if (input.body.kind === 'open') return machines.open(state, input.body.settings, turn)
          return machines.give(state, input.body.name, { kind: 'command', body: input.body.body }, turn)
        case 'timer': {
          const { owner, name } = ownName(input.name)
          return machines.give(state, owner, { kind: 'timer', name }, turn)
        }
        case 'stop':
          for (const name of state.open.keys()) machines.give(state, name, input, turn)
      }
    },
    check: state => machines.check(state),
  }
}

class Machines<Settings extends WithName & object, State, Message, Command, Event> {
  private readonly kin: Kin<Settings, State, Message, Command, Event>
  /** A machine is made of its settings and has no state of its own. */
  private readonly made = new WeakMap<Settings, Protocol<State, Message, Command, Event>>()

  constructor(kin: Kin<Settings, State, Message, Command, Event>) {
    this.kin = kin
  }

  give(
    state: FamilyState<Settings, State>,
    name: string,
    input: Input<Message, Command>,
    turn: Turn<Message, FamilyEvent<Settings, Event>>,
  ): void {
    const open = state.open.get(name)
    if (open === undefined) return
    this.of(open.settings).step(open.state, input, turnOf(name, turn))
  }

  open(
    state: FamilyState<Settings, State>,
    settings: Settings,
    turn: Turn<Message, FamilyEvent<Settings, Event>>,
  ): void {
    const { name } = settings
    try {
      const fingerprint = this.kin.fingerprint(state.self, settings)
      this.refuseOther(state, name, fingerprint)
      if (!state.open.has(name)) this.begin(state, settings, fingerprint, turn)
      turn.do({ kind: 'emit', event: { kind: 'opened', name, settings: state.open.get(name)!.settings } })
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error
      turn.do({ kind: 'emit', event: { kind: 'shut', name, why: error.message } })
    }
  }

  check(state: FamilyState<Settings, State>): void {
    assert(state.open.size <= this.kin.openMax, `${this.kin.name}: at most ${this.kin.openMax} are open`)
    for (const [name, open] of state.open) {
      assert(open.settings.name === name, `${this.kin.name}: ${name} is open under its own name`)
      const known = state.known.get(name)
      assert(known !== undefined, `${this.kin.name}: ${name} is known since it was opened`)
      assert(known.records.length === 0, `${this.kin.name}: ${name} was given its records when it was opened`)
      this.of(open.settings).check?.(open.state)
    }
  }

  private begin(
    state: FamilyState<Settings, State>,
    settings: Settings,
    fingerprint: Uint8Array,
    turn: Turn<Message, FamilyEvent<Settings, Event>>,
  ): void {
    const { name } = settings
    assert(!name.includes('/'), `${this.kin.name}: a name has no slash: ${name}`)
    assert(fingerprint.length <= FINGERPRINT_BYTES_MAX, `${this.kin.name}: a fingerprint is short`)
    const machine = this.of(settings)
    const known = state.known.get(name)
    if (known === undefined) {
      turn.do({ kind: 'save', record: encode(familyRecord, { kind: 'opened', name, fingerprint }) })
    }
    const records = known?.records.splice(0) ?? []
    state.known.set(name, { fingerprint, records: [] })
    const own = machine.init(state.self, state.peers, new Map([['', records]]))
    state.open.set(name, { settings, state: own })
    machine.step(own, { kind: 'start' }, turnOf(name, turn))
  }

  private refuseOther(state: FamilyState<Settings, State>, name: string, fingerprint: Uint8Array): void {
    const refuse = (why: string): never => {
      throw new SettingsError(`${this.kin.name} ${JSON.stringify(name)}: ${why}`)
    }
    const { openMax, otherSettings } = this.kin
    if (!state.open.has(name) && state.open.size >= openMax) refuse(`${openMax} are open already.`)
    if (state.past.get(name)?.some(one => sameBytes(one, fingerprint))) {
      refuse(
        'it was let go here with these very settings, and what was said with them is forgotten; use others, or another name.',
      )
    }
    const known = state.known.get(name)
    if (known !== undefined && !sameBytes(known.fingerprint, fingerprint)) refuse(otherSettings)
  }

  private of(settings: Settings): Protocol<State, Message, Command, Event> {
    const made = this.made.get(settings) ?? this.kin.machine(settings)
    this.made.set(settings, made)
    return made
  }
}

function turnOf<Settings, Message, Event>(
  name: string,
  turn: Turn<Message, FamilyEvent<Settings, Event>>,
): Turn<Message, Event> {
  return ownTurn<Message, Event>(turn, effect => turn.do(address<Settings, Message, Event>(name, effect)))
}

function address<Settings, Message, Event>(
  name: string,
  effect: Effect<Message, Event>,
): Effect<Message, FamilyEvent<Settings, Event>> {
  switch (effect.kind) {
    case 'send':
      return effect
    case 'emit':
      return { ...effect, event: { kind: 'said', name, body: effect.event } }
    case 'timer':
    case 'cancel':
      return { ...effect, name: addressed(name, effect.name) }
    case 'save':
      assert(!effect.begins, 'an account would drop what the others of a family saved')
      return { ...effect, record: encode(familyRecord, { kind: 'saved', name, record: effect.record }) }
    case 'snapshot':
    case 'forget':
      assert(false, `a machine of a family does not ask for a ${effect.kind}: it would drop what the others saved`)
      break
    default:
      return unreachable(effect, 'effect')
  }
}

/**
 * The record that lets go of a name, to be appended to the part's lane while the node does not run. Undefined where the
 * name is not known.
 */
export function lettingGo(saved: readonly Uint8Array[], name: string): Uint8Array | undefined {
  const { known } = readKnown(new Map([['', saved]]))
  return known.has(name) ? encode(familyRecord, { kind: 'letGo', name }) : undefined
}

/** A record that cannot be read is our own bug or a broken disk: the node must not go on and promise again. */
function readKnown(saved: Saved): Pick<FamilyState<never, never>, 'known' | 'past'> {
  const known: FamilyState<never, never>['known'] = new Map()
  const past = new Map<string, Uint8Array[]>()
  for (const record of saved.get('') ?? []) {
    const decoded = decode(familyRecord, record)
    assert(decoded.ok, 'a saved record that cannot be read')
    const { value } = decoded
    if (value.kind === 'opened') {
      known.set(value.name, { fingerprint: value.fingerprint, records: [] })
      continue
    }
    const owner = known.get(value.name)
    assert(owner !== undefined, `a saved record of '${value.name}', which was never opened`)
    if (value.kind === 'saved') owner.records.push(value.record)
    else {
      known.delete(value.name)
      past.set(value.name, [...(past.get(value.name) ?? []), owner.fingerprint])
    }
  }
  return { known, past }
}
