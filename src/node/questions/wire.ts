// What clients of a group ask its members, and what they are answered. Append only.

import {
  bool,
  type Codec,
  finite,
  list,
  type NodeId,
  oneOf,
  option,
  struct,
  text,
  uint,
  variants,
} from '../../core/index.ts'
import {
  ADDRESS_BYTES_MAX,
  ATTRIBUTES_MAX,
  MEMBER_BYTES_MAX,
  type MemberStatus,
  NAME_BYTES_MAX,
  type NamedValue,
} from '../../membership/index.ts'
import type { SlotsStatus } from '../../slots/index.ts'

export type Question =
  | { readonly kind: 'members' }
  | { readonly kind: 'coordinator'; readonly name: string }
  | { readonly kind: 'slots'; readonly name: string }
  /** For operators: the member is to agree that a guest may vote and lead. */
  | { readonly kind: 'admit'; readonly member: NodeId }
  /** For operators: the member is to agree that another may vote and lead no longer. */
  | { readonly kind: 'expel'; readonly member: NodeId }
  /** Whom the member has caught, and at what. */
  | { readonly kind: 'caught' }

export type Answer =
  /** The first of them by name, and how many there are. */
  | { readonly kind: 'members'; readonly members: readonly MemberRow[]; readonly total: number }
  /** Without a coordinator: nobody leads as far as this member can tell. */
  | { readonly kind: 'coordinator'; readonly term: number; readonly coordinator: NodeId | undefined }
  /** Without a status: this member does not take part in these slots. */
  | { readonly kind: 'slots'; readonly status: PublicSlotsStatus | undefined }
  /** The change was begun: what comes of it is seen in the list of members. */
  | { readonly kind: 'begun' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'caught'; readonly caught: readonly CaughtRow[] }

/** Whether a member itself waits for a seat is its own business. */
export type PublicSlotsStatus = Omit<SlotsStatus, 'waiting'>

export interface MemberRow {
  readonly name: string
  readonly status: MemberStatus
  readonly address: string
  /** It stands in the list of those who vote and may lead; others are guests. */
  readonly voter: boolean
  readonly attributes: readonly NamedValue[]
}

/** What the member that answers caught another at, in one word each and where. */
export interface CaughtRow {
  readonly name: string
  readonly ways: readonly string[]
}

export type QuestionMessage =
  | { readonly kind: 'ask'; readonly query: number; readonly question: Question }
  | { readonly kind: 'answer'; readonly query: number; readonly answer: Answer }

/** The longest list of members fits into a megabyte. */
export const ROWS_MAX = 800
/** Of one member: its own attributes, and its distance. */
const SHOWN_ATTRIBUTES_MAX = ATTRIBUTES_MAX + 1
export const WHY_BYTES_MAX = 300
/** Ways of one member, and the bytes of one: there are about twenty, in gossip and in elections. */
export const WAYS_MAX = 64
const WAY_BYTES_MAX = 100
/** As many as a slots group may have. */
const SLOTS_MEMBERS_MAX = 64
export const ROUNDS_MAX = 256

const member = text(MEMBER_BYTES_MAX)
const name = text(NAME_BYTES_MAX)

const row: Codec<MemberRow> = struct<MemberRow>({
  name: member,
  status: oneOf<MemberStatus>('alive', 'suspect', 'left', 'failed'),
  address: text(ADDRESS_BYTES_MAX),
  voter: bool,
  attributes: list(struct<NamedValue>({ name, value: finite }), SHOWN_ATTRIBUTES_MAX),
})

const slotsStatus: Codec<PublicSlotsStatus> = struct<PublicSlotsStatus>({
  name,
  epoch: uint(),
  members: list(member, SLOTS_MEMBERS_MAX),
  phase: oneOf<SlotsStatus['phase']>('outside', 'forming', 'waiting out old leases', 'dealing', 'changing'),
  rounds: list(
    struct<SlotsStatus['rounds'][number]>({
      number: uint(),
      phase: oneOf<SlotsStatus['rounds'][number]['phase']>('lap', 'checking', 'sealing', 'sharing', 'open', 'over'),
      checks: uint(),
    }),
    ROUNDS_MAX,
  ),
})

const questionCodec: Codec<Question> = variants<Question>({
  members: {},
  coordinator: { name },
  slots: { name },
  admit: { member },
  expel: { member },
  caught: {},
})

const answerCodec: Codec<Answer> = variants<Answer>({
  members: { members: list(row, ROWS_MAX), total: uint() },
  coordinator: { term: uint(), coordinator: option(member) },
  slots: { status: option(slotsStatus) },
  begun: {},
  refused: { why: text(WHY_BYTES_MAX) },
  caught: {
    caught: list(struct<CaughtRow>({ name: member, ways: list(text(WAY_BYTES_MAX), WAYS_MAX) }), ROWS_MAX),
  },
})

export const questionsVocabulary: Codec<QuestionMessage> = variants<QuestionMessage>({
  ask: { query: uint(), question: questionCodec },
  answer: { query: uint(), answer: answerCodec },
})
