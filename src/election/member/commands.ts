// What a member's user and its membership tell an election, and what they are told.

import type { Millis, NodeId } from '../../core/index.ts'
import type { Change } from '../count/electorate.ts'
import type { Claim, Electorate, Row, VoidedBallots } from '../wire.ts'

/** What a user, or another part of the node, asks of an election. */
export type ElectionCommand =
  /** From now on this member sees to it that there is a coordinator of that name. */
  | { kind: 'open'; name: string }
  /** No more: elections go on without its help, and its votes and grants remain. */
  | { kind: 'close'; name: string }
  /** Who stands for that name, with which values: from membership. Safety does not rest on it. */
  | { kind: 'view'; name: string; rows: readonly Row[] }
  /** Who seems to be gone: from membership. Safety does not rest on it. */
  | { kind: 'failed'; members: readonly NodeId[] }
  /** Who seems to be here: from membership. A first election waits for a quorum of them, for a while. */
  | { kind: 'seen'; members: readonly NodeId[] }
  /** Membership has checked that this many failures of a member are certified: they may enter the next list. */
  | { kind: 'vouch'; member: NodeId; failures: number }
  /** Its operator or membership agrees to this change: without that, no successor is signed. */
  | { kind: 'allow'; change: Change }
  /** Steps down: others may lead at once. */
  | { kind: 'resign'; name: string }
  /** For the sitting coordinator of any name: one member in or out. */
  | { kind: 'change'; id: number; change: Change }

/** The command of that kind. */
export type CommandOf<Kind extends ElectionCommand['kind']> = Extract<ElectionCommand, { kind: Kind }>

/** What a member was caught at. All but the first is a lie, by its own words. */
export type Misbehaviour =
  /** Asks for more than its share. */
  | 'flooding'
  /** A claim whose count does not hold. */
  | 'false-claim'
  /** Two claims in one term, on different views. */
  | 'two-claims'
  /** Says that it leads, or that another does, with grants that are too few or that nobody gave. */
  | 'false-proof'
  /** Gives up a term that another is proved to lead. */
  | 'false-resignation'
  /** Speaks of a term beyond all that its list can have. */
  | 'impossible-term'
  /** A ballot for this very poll that does not open, or is not signed. */
  | 'forged-ballot'
  /** A grant of this very claim that is not signed. */
  | 'forged-grant'
  /** Signed grants of one term for two coordinators. */
  | 'granted-twice'
  /** A list with too few signatures, or with some that do not hold. */
  | 'forged-list'

/** What an election tells. */
export type ElectionEvent =
  /**
   * This member leads until `deadline` on its own clock, which may be over already: it was told after a save, and the
   * process may have been stopped meanwhile. The claim is what made it: anybody can check its count.
   */
  | { kind: 'elected'; name: string; term: number; deadline: Millis; claim: Claim }
  | { kind: 'extended'; name: string; term: number; deadline: Millis }
  /** It no longer leads: told before its belief ends, so before anybody else can lead. */
  | { kind: 'lost'; name: string; term: number }
  /** It stepped down by command: others may lead from now on. */
  | { kind: 'resigned'; name: string; term: number }
  /** q grants prove that this is the coordinator. `until`: when, on this clock, it will be unknown without news. */
  | { kind: 'coordinator'; name: string; term: number; coordinator: NodeId; until: Millis }
  /** Nobody is known to lead: a minority sees this until it is whole again. */
  | { kind: 'vacant'; name: string; term: number }
  /** An attempt that came to nothing, and whose ballots a candidate did not have: denial of voting has names. */
  | { kind: 'turnout'; name: string; term: number; ballots: number; needed: number; missing: readonly NodeId[] }
  /** What a third party can check: two ballots, or two grants, of one member in one term. */
  | { kind: 'evidence'; name: string; term: number; member: NodeId; ballots: VoidedBallots }
  /** What a member said proves that it lies, or it asks for more than its share and is slowed. */
  | { kind: 'misbehaved'; member: NodeId; how: Misbehaviour }
  | { kind: 'electorate'; electorate: Electorate }
  | { kind: 'changed'; id: number; number: number }
  | { kind: 'refused'; id: number; why: string }
