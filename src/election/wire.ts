// The messages of an election and the records that a member saves, with their limits. Append-only: older members read
// what newer ones send.

import { bool, bytes, type Codec, list, type NodeId, struct, text, uint, variants } from '../core/index.ts'

/** The longest name of an election: it is typed by people. */
export const NAME_BYTES_MAX = 128
/** A certificate's name and a client's instance. */
const NODE_BYTES_MAX = 160
/** More members make every election slower than any fault it masks is likely (as for servers of a lock). */
export const MEMBERS_MAX = 128
/** Elections that one group can hold at a time; each costs a few kilobytes at every member. */
export const NAMES_MAX = 64
/** Names of elections that one member can bring up at another: a liar takes a quarter of the room for others' names. */
export const NAMES_PER_MEMBER = 8
/** Three attributes and three weights (SRCEA §3.1). */
export const CANDIDATES_MAX = 3
/** Attributes that a view may carry. */
export const ATTRIBUTES_MAX = 8
/** An Ed25519 key or signature; the ideal ones are no longer. */
const KEY_BYTES_MAX = 64
const SIGNATURE_BYTES_MAX = 64
/** An element of the largest group, 3072 bits, and a proof of possession of it. */
const COUNT_KEY_BYTES_MAX = 384
const POSSESSION_BYTES_MAX = 768
/** Three ciphertexts and a proof of shuffle in the largest group: 26 numbers of 384 bytes, and lengths. */
const HIDDEN_BYTES_MAX = 12_288
/** Three shares with proofs in the largest group. */
const OPENING_BYTES_MAX = 6_144
const DIGEST_BYTES = 32
/** A sealed ballot: three names, a signature, and what the seal adds; a secret one has proofs instead. */
export const SEALED_BYTES_MAX = 16_384
/** Lists that are kept for members that are behind; a member that is further behind is admitted anew. */
export const CHAIN_MAX = 16
/** Terms that one list can use up, so that one liar's report cannot end all terms: 2^21 lists have room. */
export const TERMS_PER_LIST = 2 ** 32
const TERM_MAX = 2 ** 53 - 1
const ASKED_MAX = 2 ** 32
/** The longest promise that can be told: a day. */
const REMAINING_MAX = 86_400_000

/** A member of the electorate, with its keys. */
export interface Voter {
  readonly id: NodeId
  /** Checks its signatures. */
  readonly key: Uint8Array
  /** What is sealed with it, only this member opens. */
  readonly sealKey: Uint8Array
  /** For secret ballots: its share of the candidates' key, and the proof that it knows the secret. Else empty. */
  readonly countKey: Uint8Array
  readonly possession: Uint8Array
  /** The number of the list that admitted it: SRCEA's joining time-stamp, which nobody can claim for itself. */
  readonly admitted: number
  /** How often q members certified its failure. */
  readonly failures: number
}

/** The numbered, signed list of members that vote and may lead. */
export interface Electorate {
  readonly number: number
  /** The digest of the list before; empty for the first. */
  readonly previous: Uint8Array
  /** In the order of ids. */
  readonly members: readonly Voter[]
}

/** A member's signature under a successor. */
export interface Approval {
  readonly signer: NodeId
  /** The highest term that it granted in any election, or that its list began with. */
  readonly term: number
  readonly signature: Uint8Array
}

/** A list, and the signatures that made it the successor of the one before. */
export interface SignedList {
  readonly electorate: Electorate
  /** None for the first list. */
  readonly approvals: readonly Approval[]
}

/** One member's order of the candidates, for all to see. */
export interface OpenBallot {
  readonly voter: NodeId
  /** Candidates by their places in the list of candidates, the most wanted first; empty where ballots are secret. */
  readonly order: readonly number[]
  /** The order, hidden, where ballots are secret; else empty. */
  readonly hidden: Uint8Array
  readonly signature: Uint8Array
}

/** Two ballots of one voter in one term: neither counts. */
export interface VoidedBallots {
  readonly first: OpenBallot
  readonly second: OpenBallot
}

/** What a ballot is bound to: the electorate and the view by their digests. */
export interface Poll {
  readonly name: string
  readonly term: number
  readonly electorate: Uint8Array
  readonly view: Uint8Array
}

/** A member that stands, and its value of each attribute, as whole numbers. */
export interface Row {
  readonly member: NodeId
  readonly values: readonly number[]
}

/** Who stands, and with which values. */
export interface View {
  /** In the order of ids. */
  readonly rows: readonly Row[]
  /** Known or thought to be gone: never candidates. In the order of ids. */
  readonly leftOut: readonly NodeId[]
}

const name = text(NAME_BYTES_MAX)
const term = uint(TERM_MAX)
const node = text(NODE_BYTES_MAX)
const signature = bytes(SIGNATURE_BYTES_MAX)
const digest = bytes(DIGEST_BYTES)
const number = uint()

const voter: Codec<Voter> = struct<Voter>({
  id: node,
  key: bytes(KEY_BYTES_MAX),
  sealKey: bytes(KEY_BYTES_MAX),
  countKey: bytes(COUNT_KEY_BYTES_MAX),
  possession: bytes(POSSESSION_BYTES_MAX),
  admitted: number,
  failures: uint(),
})

export const electorateCodec: Codec<Electorate> = struct<Electorate>({
  number,
  previous: digest,
  members: list(voter, MEMBERS_MAX),
})

const approval: Codec<Approval> = struct<Approval>({ signer: node, term, signature })
const listed: Codec<SignedList> = struct<SignedList>({
  electorate: electorateCodec,
  approvals: list(approval, MEMBERS_MAX),
})

/** What is signed names its purpose first, so that a signature given for one thing is never good for another. */
export const approvalText = struct<{ purpose: string; digest: Uint8Array; term: number }>({
  purpose: text(64),
  digest,
  term,
})

export interface BallotText extends Poll {
  readonly purpose: string
  readonly order: readonly number[]
  readonly hidden: Uint8Array
}

const order = list(uint(CANDIDATES_MAX - 1), CANDIDATES_MAX)
const hidden = bytes(HIDDEN_BYTES_MAX)
const openings = list(bytes(OPENING_BYTES_MAX), CANDIDATES_MAX)

export const ballotText: Codec<BallotText> = struct<BallotText>({
  purpose: text(64),
  name,
  term,
  electorate: digest,
  view: digest,
  order,
  hidden,
})

/** What a grant is given for. */
export interface Granted {
  readonly name: string
  readonly term: number
  readonly coordinator: NodeId
}

/** Who is proved to lead: with the grants that made it coordinator, and the number of the list under which they were given. */
export interface Led extends Granted {
  readonly under: number
  readonly grants: readonly SignedGrant[]
}

export interface GrantText extends Granted {
  readonly purpose: string
  readonly electorate: Uint8Array
}

export const grantText: Codec<GrantText> = struct<GrantText>({
  purpose: text(64),
  name,
  term,
  electorate: digest,
  coordinator: node,
})

const row: Codec<Row> = struct<Row>({ member: node, values: list(uint(), ATTRIBUTES_MAX) })

export const viewCodec: Codec<View> = struct<View>({
  rows: list(row, MEMBERS_MAX),
  leftOut: list(node, MEMBERS_MAX),
})

export const openBallot: Codec<OpenBallot> = struct<OpenBallot>({ voter: node, order, hidden, signature })
const voided: Codec<VoidedBallots> = struct<VoidedBallots>({ first: openBallot, second: openBallot })

/** A grant as others can check it. */
export interface SignedGrant {
  readonly granter: NodeId
  readonly signature: Uint8Array
}

const signedGrant: Codec<SignedGrant> = struct<SignedGrant>({ granter: node, signature })

/** What members say to each other in an election. */
export type ElectionMessage =
  /** Vote in this term, on this view: for those whose ballots are missing, and for every attempt after the first. */
  | { kind: 'call'; name: string; term: number; electorate: number; view: View }
  /** M_vote: a signed ballot, sealed to the candidate that it is sent to. */
  | { kind: 'ballot'; name: string; term: number; electorate: number; view: Uint8Array; sealed: Uint8Array }
  /** M_iac, "I am coordinator": the count, for everybody to check. `asked` is echoed. */
  | {
      kind: 'claim'
      name: string
      term: number
      electorate: number
      asked: number
      view: View
      ballots: readonly OpenBallot[]
      voided: readonly VoidedBallots[]
      /** Where ballots are secret: each candidate's, in their order. */
      openings: readonly Uint8Array[]
    }
  /** The teller's question to the other candidates: the secret ballots that are counted. */
  | {
      kind: 'tally'
      name: string
      term: number
      electorate: number
      ballots: readonly OpenBallot[]
      voided: readonly VoidedBallots[]
    }
  /** A candidate's shares of the totals of that tally. */
  | { kind: 'opening'; name: string; term: number; digest: Uint8Array; opening: Uint8Array }
  /** Teller to winner: every candidate's opening. */
  | { kind: 'opened'; name: string; term: number; openings: readonly Uint8Array[] }
  /** M_v, VERIFIED: a promise for L by the granter's clock. */
  | { kind: 'grant'; name: string; term: number; asked: number; signature: Uint8Array }
  /** Not now: another promise stands for `remaining`, or the term `highest` was granted already. */
  | { kind: 'refusal'; name: string; term: number; highest: number; remaining: number }
  /** The other ballot of a voter that cast two. */
  | { kind: 'double'; name: string; term: number; ballot: OpenBallot }
  /** M_iaa, "I am alive": renews. With the grants that made the coordinator, until the member knows them. */
  | {
      kind: 'alive'
      name: string
      term: number
      electorate: number
      asked: number
      /** The number of the list by whose quorum it leads: just after a change, the one before. */
      by: number
      /** The number of the list under which the grants were given. */
      under: number
      grants: readonly SignedGrant[]
    }
  /** Renewed for L, or not; and whether it knows the grants, which else should come along next time. */
  | { kind: 'renewed'; name: string; term: number; asked: number; promised: boolean; informed: boolean }
  /** The coordinator lets go, after it stopped believing. */
  | { kind: 'resigned'; name: string; term: number }
  /** A successor of the electorate, to be signed. */
  | { kind: 'propose'; electorate: Electorate }
  | { kind: 'approve'; number: number; approval: Approval }
  /** The sender's list is older: send what follows this number. */
  | { kind: 'behind'; number: number }
  /** A list and the signatures that made it the successor. */
  | { kind: 'list'; listed: SignedList }
  /** To one that calls although somebody leads: who does, with the grants that prove it to anybody. */
  | ({ kind: 'led' } & Led)

/** The winner's message: it is coordinator of this term, with the count. */
export type Claim = Extract<ElectionMessage, { kind: 'claim' }>

/** The message of that kind. */
export type MessageOf<Kind extends ElectionMessage['kind']> = Extract<ElectionMessage, { kind: Kind }>

/** The messages of an election on the wire. */
export const electionVocabulary: Codec<ElectionMessage> = variants<ElectionMessage>({
  call: { name, term, electorate: number, view: viewCodec },
  ballot: { name, term, electorate: number, view: digest, sealed: bytes(SEALED_BYTES_MAX) },
  claim: {
    name,
    term,
    electorate: number,
    asked: uint(ASKED_MAX),
    view: viewCodec,
    ballots: list(openBallot, MEMBERS_MAX),
    voided: list(voided, MEMBERS_MAX),
    openings,
  },
  tally: {
    name,
    term,
    electorate: number,
    ballots: list(openBallot, MEMBERS_MAX),
    voided: list(voided, MEMBERS_MAX),
  },
  opening: { name, term, digest, opening: bytes(OPENING_BYTES_MAX) },
  opened: { name, term, openings },
  grant: { name, term, asked: uint(ASKED_MAX), signature },
  refusal: { name, term, highest: term, remaining: uint(REMAINING_MAX) },
  double: { name, term, ballot: openBallot },
  alive: {
    name,
    term,
    electorate: number,
    asked: uint(ASKED_MAX),
    by: number,
    under: number,
    grants: list(signedGrant, MEMBERS_MAX),
  },
  renewed: { name, term, asked: uint(ASKED_MAX), promised: bool, informed: bool },
  resigned: { name, term },
  propose: { electorate: electorateCodec },
  approve: { number, approval },
  behind: { number },
  list: { listed },
  led: { name, term, coordinator: node, under: number, grants: list(signedGrant, MEMBERS_MAX) },
})

/** One election, as a member must remember it. */
export interface SavedRace {
  readonly name: string
  readonly term: number
  readonly coordinator: NodeId
  /** The highest term it voted in. */
  readonly voted: number
  /** How long its promise may have been. */
  readonly lasts: number
}

/** What a member saves. The last snapshot and what follows it count. */
export type ElectionRecord =
  /** Left by `coterie init`, or for a member that is yet to be admitted: it has never granted anything. */
  | { kind: 'first'; electorate: Electorate }
  /** Everything. After a clean stop, `lasts` is what was left of each promise. */
  | {
      kind: 'whole'
      /** The newest last: the one that counts. */
      lists: readonly SignedList[]
      signed: readonly Electorate[]
      races: readonly SavedRace[]
    }
  | { kind: 'granted'; name: string; term: number; coordinator: NodeId; lasts: number }
  | { kind: 'voted'; name: string; term: number }
  | { kind: 'signed'; electorate: Electorate }

const lasts = uint(REMAINING_MAX)
const savedRace: Codec<SavedRace> = struct<SavedRace>({ name, term, coordinator: node, voted: term, lasts })

/** What a member saves, as bytes. */
export const electionRecord: Codec<ElectionRecord> = variants<ElectionRecord>({
  first: { electorate: electorateCodec },
  whole: {
    lists: list(listed, CHAIN_MAX),
    signed: list(electorateCodec, 1),
    races: list(savedRace, NAMES_MAX),
  },
  granted: { name, term, coordinator: node, lasts },
  voted: { name, term },
  signed: { electorate: electorateCodec },
})
