// Many slots groups in one node, each by its name, opened when somebody wants it. A composed node has a fixed list of
// parts; this part holds as many machines of `slots` as were opened, and keeps their words, timers and records apart.
//
// Words for a name that is not open here are dropped: whoever opens it later asks for what it missed. A name opened
// again, in this life or after a restart, must have the same settings: a shorter lease than the one that others still
// count with would let two hold one slot.
//
// Each name has one level, and each level its machine. Words say of which level they are: a member that opened the name
// at another one is not heard, and our user is told.

import {
  bytes,
  type Codec,
  decode,
  type Effect,
  encode,
  type Input,
  type NodeId,
  type Protocol,
  type Saved,
  SettingsError,
  type Turn,
  text,
  unreachable,
  variants,
} from '../core/index.ts'
import type { Group, Signatures, Signer } from '../crypto/index.ts'
import {
  type EpochMember,
  firstEpoch,
  groupOf,
  type MemberState,
  type SlotsCommand,
  type SlotsEvent,
  type SlotsLevel,
  type SlotsMessage,
  type SlotsSettings,
  slotsMember,
  slotsVocabulary,
  type TrustingMessage,
  trustingMember,
  trustingVocabulary,
} from '../slots/index.ts'

export interface ManySlotsOptions {
  /** The members of every first epoch, in ring order: the same list at all. */
  readonly members: readonly EpochMember[]
  readonly group: Group
  readonly signer: Signer
  readonly signatures: Signatures
  /** What this member posted and signed before is forgotten: it must not post and sign again. */
  readonly storeLost: boolean
}

/** The kind is the level: append only. */
export type ManySlotsMessage =
  | { kind: 'verified'; name: string; body: SlotsMessage }
  | { kind: 'curious'; name: string; body: TrustingMessage }
  | { kind: 'strong'; name: string; body: TrustingMessage }

export type ManySlotsCommand =
  /** Answered by `opened` or `shut`. */
  { kind: 'open'; settings: SlotsSettings } | { kind: 'tell'; name: string; body: SlotsCommand }

export type ManySlotsEvent =
  | { kind: 'opened'; name: string; level: SlotsLevel }
  | { kind: 'shut'; name: string; why: string }
  | { kind: 'said'; name: string; body: SlotsEvent }
  /** That member opened the name at another level: the two are not in one group. Told once for each level. */
  | { kind: 'differs'; name: string; member: NodeId; level: SlotsLevel }

interface OpenSlots {
  readonly settings: SlotsSettings
  readonly state: MemberState
  /** Members that spoke at another level. */
  readonly differing: Map<NodeId, SlotsLevel>
}

type Body = ManySlotsMessage['body']

/** A machine of any level: its words are told apart by who hosts it. */
type Machine = Protocol<MemberState, Body, SlotsCommand, SlotsEvent>

export interface ManySlotsState {
  readonly self: NodeId
  readonly open: Map<string, OpenSlots>
  /** What was durable at the start, until its name is opened. */
  readonly kept: Map<string, Kept>
}

interface Kept {
  /** The hash of the first epoch that it was opened with. */
  first: Uint8Array
  readonly records: Uint8Array[]
}

type Record = { kind: 'opened'; name: string; first: Uint8Array } | { kind: 'saved'; name: string; record: Uint8Array }

const NAME_BYTES_MAX = 40
const NAME_RULE = /^[a-z0-9][a-z0-9-]{0,39}$/
const HASH_BYTES = 32
/** As long as the longest record of a machine: a link with the names, keys and signatures of all members. */
const RECORD_BYTES_MAX = 1 << 20
/** Machines of one node: each looks around on its own beat. */
const OPEN_MAX = 100

export const manySlotsVocabulary: Codec<ManySlotsMessage> = variants<ManySlotsMessage>({
  verified: { name: text(NAME_BYTES_MAX), body: slotsVocabulary },
  curious: { name: text(NAME_BYTES_MAX), body: trustingVocabulary },
  strong: { name: text(NAME_BYTES_MAX), body: trustingVocabulary },
})

const recordCodec: Codec<Record> = variants<Record>({
  opened: { name: text(NAME_BYTES_MAX), first: bytes(HASH_BYTES) },
  saved: { name: text(NAME_BYTES_MAX), record: bytes(RECORD_BYTES_MAX) },
})

export type ManySlots = Protocol<ManySlotsState, ManySlotsMessage, ManySlotsCommand, ManySlotsEvent>
type ManyTurn = Turn<ManySlotsMessage, ManySlotsEvent>

export function manySlots(options: ManySlotsOptions): ManySlots {
  // A machine is made of its settings and has no state of its own.
  const machines = new WeakMap<SlotsSettings, Machine>()
  const machineOf = (settings: SlotsSettings): Machine => {
    const make = settings.level === 'verified' ? slotsMember : trustingMember
    const made = machines.get(settings) ?? (make({ settings, ...options }) as Machine)
    machines.set(settings, made)
    return made
  }
  const give = (state: ManySlotsState, name: string, input: Input<Body, SlotsCommand>, turn: ManyTurn) => {
    const open = state.open.get(name)
    if (open !== undefined) machineOf(open.settings).step(open.state, input, innerTurn(open.settings, turn))
  }
  return {
    name: 'many slots',
    init: (self, _peers, saved) => ({ self, open: new Map(), kept: readKept(saved) }),
    step(state, input, turn) {
      switch (input.kind) {
        case 'start':
          return
        case 'message': {
          const { from, body } = input
          if (isOfLevel(options, state, from, body, turn)) {
            give(state, body.name, { kind: 'message', from, body: body.body }, turn)
          }
          return
        }
        case 'command':
          if (input.body.kind === 'open') return openNamed(options, machineOf, state, input.body.settings, turn)
          return give(state, input.body.name, { kind: 'command', body: input.body.body }, turn)
        case 'timer': {
          const slash = input.name.indexOf('/')
          return give(state, input.name.slice(0, slash), { kind: 'timer', name: input.name.slice(slash + 1) }, turn)
        }
        case 'stop':
          for (const name of state.open.keys()) give(state, name, input, turn)
      }
    },
  }
}

/** Whether a word is for the machine that is open here; a member at another level is told of once. */
function isOfLevel(
  options: ManySlotsOptions,
  state: ManySlotsState,
  from: NodeId,
  { kind: level, name }: ManySlotsMessage,
  turn: ManyTurn,
): boolean {
  const open = state.open.get(name)
  if (open === undefined || open.settings.level === level) return open !== undefined
  const isMember = options.members.some(member => member.name === from)
  if (isMember && open.differing.get(from) !== level) {
    open.differing.set(from, level)
    turn.do({ kind: 'emit', event: { kind: 'differs', name, member: from, level } })
  }
  return false
}

function openNamed(
  options: ManySlotsOptions,
  machineOf: (settings: SlotsSettings) => Machine,
  state: ManySlotsState,
  settings: SlotsSettings,
  turn: ManyTurn,
): void {
  const { name, level } = settings
  const opened = { kind: 'emit', event: { kind: 'opened', name, level } } as const
  try {
    const first = firstEpoch(settings, options.members, groupOf(options.group, level).name)
    checkOpening(options, state, name, first)
    if (state.open.has(name)) return turn.do(opened)
    const machine = machineOf(settings)
    const kept = state.kept.get(name)
    if (kept === undefined) turn.do({ kind: 'save', record: encode(recordCodec, { kind: 'opened', name, first }) })
    const records = kept?.records.splice(0) ?? []
    state.kept.set(name, { first, records: [] })
    const inner = machine.init(
      state.self,
      options.members.map(member => member.name),
      new Map([['', records]]),
    )
    state.open.set(name, { settings, state: inner, differing: new Map() })
    machine.step(inner, { kind: 'start' }, innerTurn(settings, turn))
    turn.do(opened)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    turn.do({ kind: 'emit', event: { kind: 'shut', name, why: error.message } })
  }
}

function checkOpening(options: ManySlotsOptions, state: ManySlotsState, name: string, first: Uint8Array): void {
  const refuse = (why: string): never => {
    throw new SettingsError(`slots ${JSON.stringify(name)}: ${why}`)
  }
  if (!NAME_RULE.test(name)) refuse('a name is 1 to 40 lower-case letters, digits and hyphens.')
  if (options.storeLost)
    refuse("this member's store was lost, and with it what it promised: it cannot take part again.")
  if (!options.members.some(member => member.name === state.self)) {
    refuse(`${state.self} is not among the members that the group began with.`)
  }
  if (!state.open.has(name) && state.open.size >= OPEN_MAX) refuse(`${OPEN_MAX} are open already.`)
  const known = state.kept.get(name)?.first
  if (known?.some((byte, place) => byte !== first[place])) {
    refuse('it was opened with other slots, lease, level, fairness or liars before; use these, or another name.')
  }
}

function innerTurn(settings: SlotsSettings, turn: ManyTurn): Turn<Body, SlotsEvent> {
  return {
    now: turn.now,
    below: bound => turn.below(bound),
    bytes: length => turn.bytes(length),
    do: effect => turn.do(address(settings, effect)),
  }
}

function address(
  { name, level }: SlotsSettings,
  effect: Effect<Body, SlotsEvent>,
): Effect<ManySlotsMessage, ManySlotsEvent> {
  switch (effect.kind) {
    case 'send':
      return { ...effect, body: { kind: level, name, body: effect.body } as ManySlotsMessage }
    case 'emit':
      return { ...effect, event: { kind: 'said', name, body: effect.event } }
    case 'timer':
    case 'cancel':
      return { ...effect, name: `${name}/${effect.name}` }
    case 'save':
      return { ...effect, record: encode(recordCodec, { kind: 'saved', name, record: effect.record }) }
    case 'snapshot':
    case 'forget':
      // It would drop what the others saved in the same lane.
      throw new Error(`slots do not ask for a ${effect.kind}`)
    default:
      return unreachable(effect, 'effect')
  }
}

/** Records that cannot be read are our own bug or a broken disk: the node must not go on and promise again. */
function readKept(saved: Saved): Map<string, Kept> {
  const kept = new Map<string, Kept>()
  for (const bytesOf of saved.get('') ?? []) {
    const decoded = decode(recordCodec, bytesOf)
    if (!decoded.ok) throw new RangeError(`a saved record that cannot be read: ${decoded.refusal}`)
    const record = decoded.value
    if (record.kind === 'opened') kept.set(record.name, { first: record.first, records: [] })
    else kept.get(record.name)?.records.push(record.record)
  }
  return kept
}
