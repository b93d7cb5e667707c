// Which version to go on from, given what a quorum said (BACKOFF figure 2, lines 14-22 and 33-48; protocols/ordering 3, 4).
// Arithmetic only.
//
// Each reply vouches for two versions: the one committed there, and the one proposed to it last. Whatever is decided
// was taken by q servers; q of q share 2b + 1 with ours, b + 1 of them honest. So the newest decided version has b + 1
// vouchers, and among versions of one number it has the highest rank: a rank counts as the (b+1)-th largest of its
// vouchers', so that b liars cannot lift it.

import type { NodeId } from '../core/index.ts'
import { compareRanks, LOWEST_RANK, type OrderingRules } from './rules.ts'
import { digestKey } from './versions/digest.ts'
import type { Head, ProposedHead, Rank } from './wire.ts'

/** What one server says that it has. */
export interface Voucher {
  readonly committed: Head
  readonly proposed: ProposedHead | undefined
}

export interface Candidate extends Head {
  readonly vouchers: Set<NodeId>
  /** Those who say that it is committed. */
  readonly committers: Set<NodeId>
  /** Of those to whom it is proposed. */
  readonly ranks: Map<NodeId, Rank>
}

/** The head to go on from. */
export interface Choice extends Head {
  /** It is committed: build on it. Else it must be proposed again first. */
  readonly committed: boolean
  readonly vouchers: readonly NodeId[]
  /** In which b + 1 took it, or a higher one. */
  readonly rank: Rank
}

/** Which head to go on from, by what enough servers say; undefined where they do not say enough. */
export function choose(replies: ReadonlyMap<NodeId, Voucher>, liars: number, rules: OrderingRules): Choice | undefined {
  const needed = rules.vouchersNeeded(liars)
  let best: Candidate | undefined
  for (const candidate of candidates(replies, rules)) {
    if (candidate.vouchers.size < needed) continue
    if (!rules.completesOthers() && candidate.committers.size < needed) continue
    if (best === undefined || isBefore(candidate, best, needed)) best = candidate
  }
  if (best === undefined) return undefined
  const { version, digest, vouchers, committers } = best
  return {
    version,
    digest,
    committed: rules.mayBuildOn(committers.size, liars),
    vouchers: [...vouchers],
    rank: rankOf(best, needed),
  }
}

function candidates(replies: ReadonlyMap<NodeId, Voucher>, rules: OrderingRules): Iterable<Candidate> {
  const all = new Map<string, Candidate>()
  for (const [server, { committed, proposed }] of replies) {
    if (proposed !== undefined) {
      const candidate = candidateOf(all, proposed)
      candidate.vouchers.add(server)
      candidate.ranks.set(server, proposed.rank)
    }
    const candidate = candidateOf(all, committed)
    candidate.committers.add(server)
    if (rules.committedVouches() || proposed === undefined) candidate.vouchers.add(server)
  }
  return all.values()
}

function candidateOf(all: Map<string, Candidate>, { version, digest }: Head): Candidate {
  const key = `${version} ${digestKey(digest)}`
  let candidate = all.get(key)
  if (candidate === undefined) {
    candidate = { version, digest, vouchers: new Set(), committers: new Set(), ranks: new Map() }
    all.set(key, candidate)
  }
  return candidate
}

/** By version, then by how many say committed where that is enough, then by rank. */
function isBefore(a: Candidate, b: Candidate, needed: number): boolean {
  if (a.version !== b.version) return a.version > b.version
  return compareRanks(rankOf(a, needed), rankOf(b, needed)) > 0
}

const HIGHEST_RANK: Rank = { counter: Number.POSITIVE_INFINITY, client: '' }

/** The (b+1)-th largest rank of those who vouch, where committed counts as the highest. Each counts once. */
function rankOf({ vouchers, committers, ranks }: Candidate, needed: number): Rank {
  const all: Rank[] = []
  for (const server of vouchers) all.push(committers.has(server) ? HIGHEST_RANK : (ranks.get(server) ?? LOWEST_RANK))
  return all.sort((a, b) => compareRanks(b, a))[needed - 1] ?? LOWEST_RANK
}
