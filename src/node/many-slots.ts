// Many slots groups in one node, each opened by its name when somebody wants it: a family of slots machines.
//
// A message for a name that is not open here is dropped: a member that opens it later asks for what it missed. A name
// opened again, in this life or after a restart, must have the same settings: with a shorter lease than the one that
// others still count with, two could hold one slot.
//
// Each name has one level, and each level its machine. A message says its level: a member that opened the name at another
// level is not heard, and our user is told.

import {
  assert,
  type Codec,
  type Effect,
  FAMILY_NAME_BYTES_MAX,
  type Family,
  type FamilyCommand,
  type FamilyEvent,
  type FamilyState,
  family,
  type Input,
  type NodeId,
  ownTurn,
  type Protocol,
  SettingsError,
  text,
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
  type SlotsMember,
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
  /** Wraps the machine of level 'verified' of each name as it is opened: a wrapper around the node comes too late for it. */
  readonly disguise?: (honest: SlotsMember) => SlotsMember
}

/** The kind is the level: append only. */
export type ManySlotsMessage =
  | { readonly kind: 'verified'; readonly name: string; readonly body: SlotsMessage }
  | { readonly kind: 'curious'; readonly name: string; readonly body: TrustingMessage }
  | { readonly kind: 'strong'; readonly name: string; readonly body: TrustingMessage }

/** What a machine says, and what is noticed beside it. */
export type LeveledEvent =
  | SlotsEvent
  /** That member opened the name at another level: the two are not in one group. Told once for each level. */
  | { readonly kind: 'differs'; readonly member: NodeId; readonly level: SlotsLevel }

export interface LeveledState {
  readonly member: MemberState
  /** Members that spoke at other levels, and at which: each is told once, or one that speaks at two in turn fills a log. */
  readonly differing: Map<NodeId, ReadonlySet<SlotsLevel>>
}

export type ManySlotsCommand = FamilyCommand<SlotsSettings, SlotsCommand>
export type ManySlotsEvent = FamilyEvent<SlotsSettings, LeveledEvent>
export type ManySlotsState = FamilyState<SlotsSettings, LeveledState>
export type ManySlots = Family<SlotsSettings, LeveledState, ManySlotsMessage, SlotsCommand, LeveledEvent>

const NAME_RULE = /^[a-z0-9][a-z0-9-]{0,39}$/
/** Machines of one node: each looks around on its own beat. */
const OPEN_MAX = 100

export const manySlotsVocabulary: Codec<ManySlotsMessage> = variants<ManySlotsMessage>({
  verified: { name: text(FAMILY_NAME_BYTES_MAX), body: slotsVocabulary },
  curious: { name: text(FAMILY_NAME_BYTES_MAX), body: trustingVocabulary },
  strong: { name: text(FAMILY_NAME_BYTES_MAX), body: trustingVocabulary },
})

export function manySlots(options: ManySlotsOptions): ManySlots {
  return family<SlotsSettings, LeveledState, ManySlotsMessage, SlotsCommand, LeveledEvent>({
    name: 'slots',
    openMax: OPEN_MAX,
    machine: settings => machineOf(options, settings),
    fingerprint(self, settings) {
      const first = firstEpoch(settings, options.members, groupOf(options.group, settings.level).name)
      refuseOpening(options, self, settings.name)
      return first
    },
    otherSettings:
      'it was opened with other slots, lease, level, fairness or liars before; use these, or another name.',
  })
}

function refuseOpening({ members, storeLost }: ManySlotsOptions, self: NodeId, name: string): void {
  const refuse = (why: string): never => {
    throw new SettingsError(`slots ${JSON.stringify(name)}: ${why}`)
  }
  if (!NAME_RULE.test(name)) refuse('a name is 1 to 40 lower-case letters, digits and hyphens.')
  if (storeLost) refuse("this member's store was lost, and with it what it promised: it cannot take part again.")
  if (!members.some(member => member.name === self)) {
    refuse(`${self} is not among the members that the group began with.`)
  }
}

type Machine = Protocol<LeveledState, ManySlotsMessage, SlotsCommand, LeveledEvent>

function machineOf(options: ManySlotsOptions, settings: SlotsSettings): Machine {
  const { name, level } = settings
  const isMember = (id: NodeId) => options.members.some(member => member.name === id)
  if (level === 'verified') {
    const honest = slotsMember({ settings, ...options })
    return leveled<MemberState, SlotsMessage>(options.disguise?.(honest) ?? honest, isMember, {
      name: level,
      wrap: body => ({ kind: level, name, body }),
      unwrap: message => (message.kind === level ? message.body : undefined),
    })
  }
  return leveled<MemberState, TrustingMessage>(trustingMember({ settings, ...options }), isMember, {
    name: level,
    wrap: body => ({ kind: level, name, body }),
    unwrap: message => (message.kind === level ? message.body : undefined),
  })
}

interface Level<Body> {
  readonly name: SlotsLevel
  wrap(body: Body): ManySlotsMessage
  /** Undefined: it is of another level. */
  unwrap(message: ManySlotsMessage): Body | undefined
}

/** A machine that hears only messages of its own level, and tells of members that speak at another. */
function leveled<State extends MemberState, Body>(
  machine: Protocol<State, Body, SlotsCommand, SlotsEvent>,
  isMember: (id: NodeId) => boolean,
  level: Level<Body>,
): Protocol<
  { readonly member: State; readonly differing: Map<NodeId, ReadonlySet<SlotsLevel>> },
  ManySlotsMessage,
  SlotsCommand,
  LeveledEvent
> {
  return {
    name: machine.name,
    init: (self, peers, saved) => ({ member: machine.init(self, peers, saved), differing: new Map() }),
    step({ member, differing }, input, turn) {
      const give = (own: Input<Body, SlotsCommand>) =>
        machine.step(
          member,
          own,
          ownTurn<Body, SlotsEvent>(turn, effect => turn.do(wrapped(level, effect))),
        )
      if (input.kind !== 'message') return give(input)
      const { from } = input
      const body = level.unwrap(input.body)
      if (body !== undefined) return give({ kind: 'message', from, body })
      const other = input.body.kind
      const known = differing.get(from) ?? new Set()
      if (!isMember(from) || known.has(other)) return
      differing.set(from, new Set([...known, other]))
      turn.do({ kind: 'emit', event: { kind: 'differs', member: from, level: other } })
    },
    check({ member, differing }) {
      for (const [id, other] of differing) {
        assert(isMember(id), `only members are told of: ${id}`)
        assert(!other.has(level.name), `${id} speaks at our own level`)
      }
      machine.check?.(member)
    },
  }
}

function wrapped<Body>(level: Level<Body>, effect: Effect<Body, SlotsEvent>): Effect<ManySlotsMessage, LeveledEvent> {
  return effect.kind === 'send' ? { ...effect, body: level.wrap(effect.body) } : effect
}
