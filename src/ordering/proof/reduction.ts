// What of the states of servers and clients matters to what can still happen: for the explorer, which then keeps one of
// many states (src/simulator/explorer/system.ts says what is claimed, a test checks it on tiny systems).
//
// They are made for systems in which servers do not fetch and sessions neither open nor end.
// A digest stands for a whole content and all that led to it. What is kept of servers is kept in Maps under their names.

import { assert, type NodeId, toHex } from '../../core/index.ts'
import type { ClientObject, Reading } from '../client/state.ts'
import { compareRanks } from '../rules.ts'
import type { ServerObject } from '../server/state.ts'
import type { FetchedChanges } from '../versions/fetched-changes.ts'
import type { Head, Operation, OrderingMessage, ProposedHead, Rank } from '../wire.ts'
import type { ObservedClient, ObservedServer, UserLog, Word } from './observed.ts'

/** Enough to tell apart the few that a small system knows. */
const DIGEST_SHOWN = 4

export function shortDigest(digest: Uint8Array): string {
  return toHex(digest.subarray(0, DIGEST_SHOWN))
}

const headText = ({ version, digest }: Head) => `${version}:${shortDigest(digest)}`
const rankText = ({ counter, client }: Rank) => `${counter} of ${client}`
const proposedText = (head: ProposedHead) => `${headText(head)} in ${rankText(head.rank)}`
const under = (names: Iterable<NodeId>) => new Map([...names].map(name => [name, true]))

/** Without times, sizes, and whose words were heard last. */
export function reducedServer({ machine, again, broken }: ObservedServer): unknown {
  const objects = [...machine.objects.values()].map(reducedServerObject)
  return { objects, again, broken }
}

function reducedServerObject(object: ServerObject): unknown {
  const { promised, proposed, committed, content, recent, unapplied, doubtful, pending, holder, holdsUntil } = object
  assert(object.fetching === undefined, 'a server that fetches in a system that claims to have none')
  return {
    promised: rankText(promised),
    proposed: proposed && proposedText(proposed),
    committed: headText(committed),
    content: headText(content),
    kept: recent.length,
    unapplied: [...unapplied.values()].map(headText),
    doubtful: [...doubtful.values()].map(headText),
    pending: [...pending].map(([key, { operation, knownTo: user }]) => [key, ackOf(operation), user && rankText(user)]),
    holder,
    holdsUntil,
  }
}

function ackOf(operation: Operation): number {
  return operation.kind === 'open' ? 0 : operation.ack
}

function reducedFetching(fetching: FetchedChanges | undefined): unknown {
  if (fetching === undefined) return undefined
  const { source, query, changes, mixed } = fetching
  return new Map([[source, { query, changes: changes.map(headText), mixed }]])
}

/** Of one that is gone, what its user knows and what it had. */
export function reducedClient({ machine, user }: ObservedClient): unknown {
  const uses = [...machine.objects.values()]
  if (user.gone) return { user: reducedUser(user), had: uses.map(({ replica }) => headText(replica)) }
  return {
    user: reducedUser(user),
    uses: uses.map(reducedObject),
    readings: [...machine.readings.values()].map(reducedReading),
    queries: machine.queries,
    accused: new Map([...machine.accused].map(([server, lies]) => [server, [...lies.keys()].sort()])),
  }
}

function reducedUser(user: UserLog): unknown {
  const decided = [...user.decided].map(([version, digest]) => headText({ version, digest }))
  return { ...user, decided: decided.sort() }
}

function reducedReading({ id, query, tries, target, replies }: Reading): unknown {
  return { id, query, tries, target, replies }
}

// Replies count until the turn is taken, refusals until it is left.
function reducedObject(object: ClientObject): unknown {
  const { phase, rank, counters, tries, shares, othersUntil, choice, proposal, unannounced, completes } = object
  assert(object.copying === undefined && object.wanted === undefined, 'a copy in a system that claims to have none')
  const asks = phase === 'getting' || phase === 'syncing'
  const rests = phase === 'idle' || phase === 'waiting'
  return {
    session: object.session.phase,
    outstanding: [...object.outstanding].map(([seq, { id }]) => [seq, id]),
    seq: object.seq,
    submitted: object.submitted,
    responses: object.responses,
    phase,
    rank: rankText(rank),
    counters,
    replies: asks ? object.replies : undefined,
    refused: rests ? undefined : under(object.refused.keys()),
    busy: asks ? object.busy : undefined,
    tries,
    shares,
    othersUntil,
    choice: asks && choice && { head: headText(choice), committed: choice.committed, vouchers: under(choice.vouchers) },
    proposal: proposal && {
      head: headText(proposal),
      accepted: under(proposal.accepted),
      refused: under(proposal.refused.keys()),
    },
    unannounced: unannounced && headText(unannounced),
    replica: headText(object.replica),
    fetching: reducedFetching(object.fetching),
    pool: reducedPool(object),
    completes,
    quiet: [object.impatient, object.quietSince, object.slowest],
    silentSpeakers: under(object.silentContacts),
  }
}

function reducedPool({ pool }: ClientObject): unknown {
  assert(pool.opens.size === 0, 'an open in a system that claims to have none')
  return {
    operations: [...pool.operations].map(([session, operations]) => [
      session,
      [...operations].map(([seq, operation]) => [seq, operation.ack]).sort(),
    ]),
    votes: pool.votes,
  }
}

/**
 * Answers to an attempt that was given up, and those to a get that come after a quorum's: they are not listened to, and
 * ranks only grow. One that tells of operations that wait is listened to.
 */
export function settledAtClient(
  { machine, user }: ObservedClient,
  _from: NodeId,
  body: OrderingMessage | Word,
): boolean {
  if (user.gone) return true
  if (!('rank' in body)) return false
  const { rank, phase } = machine.objects.get(body.object)!
  if (compareRanks(body.rank, rank) < 0) return true
  if (body.kind === 'busy') return phase !== 'getting'
  return body.kind === 'got' && body.pending.length === 0 && phase !== 'getting' && phase !== 'syncing'
}

/** A message in a story. */
export function words(body: OrderingMessage | Word): string {
  switch (body.kind) {
    case 'word':
      return `heard of version ${body.version}`
    case 'get':
      return `get, rank ${rankText(body.rank)}${operationsText(body.operations)}`
    case 'got':
      return `got, rank ${rankText(body.rank)}, committed ${headText(body.committed)}${half(body.proposed)}${operationsText(body.pending)}`
    case 'busy':
      return `busy, rank ${rankText(body.rank)}`
    case 'refused':
      return `refused, rank ${rankText(body.rank)}: promised ${rankText(body.promised)}`
    case 'propose':
      return `propose ${headText(body)} on ${shortDigest(body.parent)}, rank ${rankText(body.rank)}`
    case 'accepted':
      return `accepted ${headText(body)}, rank ${rankText(body.rank)}${operationsText(body.pending)}`
    case 'commit':
      return `commit ${headText(body)}`
    case 'submit':
    case 'pushed':
      return `${body.kind}${operationsText(body.operations)}`
    case 'answered':
      return `answered${body.responses.map(({ seq, version }) => ` ${body.session}/${seq} from ${version}`).join()}`
    case 'readings':
      return `readings, committed ${headText(body.committed)}${half(body.proposed)}`
    case 'fetch':
      return `fetch from ${body.from}`
    case 'changes':
      return `changes ${body.changes.map(({ version }) => version).join(', ')}`
    default:
      return body.kind
  }
}

const half = (proposed: ProposedHead | undefined) => (proposed ? `, proposed ${proposedText(proposed)}` : '')

function operationsText(operations: readonly Operation[]): string {
  if (operations.length === 0) return ''
  const names = operations.map(operation =>
    operation.kind === 'open' ? 'open' : `${operation.session}/${operation.seq}`,
  )
  return `, with ${names.join(' ')}`
}
