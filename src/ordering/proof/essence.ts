// What of the states of servers and clients matters to what can still happen: for the explorer, which then keeps one of
// many states (src/simulator/explorer/system.ts says what is claimed, a test checks it on tiny systems).
//
// They are made for systems in which servers do not fetch and sessions neither open nor end.
// A digest stands for a whole content and all that led to it. What is kept of servers is kept in Maps under their names.

import { assert, type NodeId } from '../../core/index.ts'
import type { Reading, Use } from '../client-state.ts'
import type { Gathering } from '../gathering.ts'
import type { Head, Operation, OrderingMessage, ProposedHead, Rank } from '../messages.ts'
import type { ServerObject } from '../objects.ts'
import { compareRanks } from '../rules.ts'
import type { ObservedClient, ObservedServer, Told, Word } from './observed.ts'

/** Enough to tell apart the few that a small system knows. */
const DIGEST_SHOWN = 4

export function shortDigest(digest: Uint8Array): string {
  let shown = ''
  for (let at = 0; at < DIGEST_SHOWN; at++) shown += digest[at]!.toString(16).padStart(2, '0')
  return shown
}

const headText = ({ version, digest }: Head) => `${version}:${shortDigest(digest)}`
const rankText = ({ counter, client }: Rank) => `${counter} of ${client}`
const proposedText = (head: ProposedHead) => `${headText(head)} in ${rankText(head.rank)}`
const under = (names: Iterable<NodeId>) => new Map([...names].map(name => [name, true]))

/** Without times, sizes, and whose words were heard last. */
export function serverEssence({ machine, again, broken }: ObservedServer): unknown {
  const objects = [...machine.objects.values()].map(objectEssence)
  return { objects, again, broken }
}

function objectEssence(object: ServerObject): unknown {
  const { promised, proposed, committed, content, suffix, ahead, doubtful, pending, holder, holdsUntil } = object
  assert(object.gathering === undefined, 'a server that fetches in a system that claims to have none')
  return {
    promised: rankText(promised),
    proposed: proposed && proposedText(proposed),
    committed: headText(committed),
    content: headText(content),
    kept: suffix.length,
    ahead: [...ahead.values()].map(headText),
    doubtful: [...doubtful.values()].map(headText),
    pending: [...pending].map(([key, { operation, told }]) => [key, ackOf(operation), told && rankText(told)]),
    holder,
    holdsUntil,
  }
}

function ackOf(operation: Operation): number {
  return operation.kind === 'open' ? 0 : operation.ack
}

function gatheringEssence(gathering: Gathering | undefined): unknown {
  if (gathering === undefined) return undefined
  const { source, query, changes, mixed } = gathering
  return new Map([[source, { query, changes: changes.map(headText), mixed }]])
}

/** Of one that is gone, what it was told and had. */
export function clientEssence({ machine, told }: ObservedClient): unknown {
  const uses = [...machine.uses.values()]
  if (told.gone) return { told: toldEssence(told), had: uses.map(({ replica }) => headText(replica)) }
  return {
    told: toldEssence(told),
    uses: uses.map(useEssence),
    readings: [...machine.readings.values()].map(readingEssence),
    queries: machine.queries,
    accused: [...machine.accused].sort(),
  }
}

function toldEssence(told: Told): unknown {
  const decided = [...told.decided].map(([version, digest]) => headText({ version, digest }))
  return { ...told, decided: decided.sort() }
}

function readingEssence({ id, query, tries, target, replies }: Reading): unknown {
  return { id, query, tries, target, replies }
}

// Replies count until the turn is taken, refusals until it is left.
function useEssence(use: Use): unknown {
  const { phase, rank, counters, tries, shares, othersUntil, choice, proposal, untold, completes } = use
  assert(use.copying === undefined && use.wanted === undefined, 'a copy in a system that claims to have none')
  const asks = phase === 'getting' || phase === 'syncing'
  const rests = phase === 'idle' || phase === 'waiting'
  return {
    session: use.session.phase,
    outstanding: [...use.outstanding].map(([seq, { id }]) => [seq, id]),
    seq: use.seq,
    submitted: use.submitted,
    responses: new Map([...use.responses].map(([seq, said]) => [seq, saidEssence(said)])),
    phase,
    rank: rankText(rank),
    counters,
    replies: asks ? use.replies : undefined,
    refused: rests ? undefined : under(use.refused.keys()),
    busy: asks ? use.busy : undefined,
    tries,
    shares,
    othersUntil,
    choice: asks && choice && { head: headText(choice), committed: choice.committed, vouchers: under(choice.vouchers) },
    proposal: proposal && {
      head: headText(proposal),
      accepted: under(proposal.accepted),
      refused: under(proposal.refused.keys()),
    },
    untold: untold && headText(untold),
    replica: headText(use.replica),
    gathering: gatheringEssence(use.gathering),
    pool: poolEssence(use),
    completes,
    quiet: [use.impatient, use.quietSince, use.slowest],
    silentSpeakers: under(use.silentSpeakers),
  }
}

function saidEssence(said: ReadonlyMap<string, ReadonlySet<NodeId>>): unknown {
  return [...said].map(([answer, servers]) => [answer, under(servers)]).sort()
}

function poolEssence({ pool }: Use): unknown {
  assert(pool.opens.size === 0, 'an open in a system that claims to have none')
  return {
    operations: [...pool.operations].map(([session, operations]) => [
      session,
      [...operations].map(([seq, operation]) => [seq, operation.ack]).sort(),
    ]),
    votes: [...pool.votes].map(([key, votes]) => [
      key,
      votes.map(({ operation, servers }) => [operation, under(servers)]),
    ]),
  }
}

/**
 * Answers to an attempt that was given up, and those to a get that come after a quorum's: they are not listened to, and
 * ranks only grow. One that tells of operations that wait is listened to.
 */
export function settledAtClient(
  { machine, told }: ObservedClient,
  _from: NodeId,
  body: OrderingMessage | Word,
): boolean {
  if (told.gone) return true
  if (!('rank' in body)) return false
  const { rank, phase } = machine.uses.get(body.object)!
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
      return `get, rank ${rankText(body.rank)}${told(body.operations)}`
    case 'got':
      return `got, rank ${rankText(body.rank)}, committed ${headText(body.committed)}${half(body.proposed)}${told(body.pending)}`
    case 'busy':
      return `busy, rank ${rankText(body.rank)}`
    case 'refused':
      return `refused, rank ${rankText(body.rank)}: promised ${rankText(body.promised)}`
    case 'propose':
      return `propose ${headText(body)} on ${shortDigest(body.parent)}, rank ${rankText(body.rank)}`
    case 'accepted':
      return `accepted ${headText(body)}, rank ${rankText(body.rank)}${told(body.pending)}`
    case 'commit':
      return `commit ${headText(body)}`
    case 'submit':
    case 'pushed':
      return `${body.kind}${told(body.operations)}`
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

function told(operations: readonly Operation[]): string {
  if (operations.length === 0) return ''
  const names = operations.map(operation =>
    operation.kind === 'open' ? 'open' : `${operation.session}/${operation.seq}`,
  )
  return `, with ${names.join(' ')}`
}
