// Who watches the elections of a simulated run, from outside: they see events and nothing of any state.
// Their arithmetic is their own, and dumb on purpose: it sorts where the machine keeps heaps.

import type { NodeId } from '../../core/index.ts'
import type { Group, Signatures } from '../../crypto/index.ts'
import type { Checker, Micros, Violation } from '../../simulator/index.ts'
import { isBallotOf } from '../count/ballot.ts'
import { digestOf, memberOf } from '../count/electorate.ts'
import { ballotKey, hiddenTotals, isOpening, openedTotals, tallyDigest } from '../count/secret.ts'
import { viewDigest } from '../count/view.ts'
import { electionRules } from '../rules.ts'
import type { ElectionSettings } from '../settings.ts'
import type { Claim, Electorate, Poll, View } from '../wire.ts'

abstract class Watcher implements Checker {
  abstract readonly name: string
  private readonly broken: Violation[] = []

  violations(): readonly Violation[] {
    return this.broken
  }

  protected violation(what: string, at: Micros): void {
    this.broken.push({ what, at })
  }
}

/** Never two coordinators in a term, by anybody's account. */
export class TermChecker extends Watcher {
  readonly name = 'terms'
  private readonly coordinators = new Map<string, NodeId>()

  seen(name: string, term: number, coordinator: NodeId, at: Micros): void {
    const key = `${name} ${term}`
    const other = this.coordinators.get(key)
    if (other !== undefined && other !== coordinator) {
      this.violation(`term ${term} of '${name}' has two coordinators: ${other} and ${coordinator}`, at)
    }
    this.coordinators.set(key, coordinator)
  }
}

/** What honest members grant to liars, who show it: never a term that the lists before may have used up. */
export class GrantChecker extends Watcher {
  readonly name = 'grants'
  granted = 0

  heard(granter: NodeId, term: number, floor: number, at: Micros): void {
    this.granted++
    if (term <= floor) this.violation(`${granter} granted term ${term}, and its list begins above ${floor}`, at)
  }
}

/** A number of the electorate has one list. */
export class ElectorateChecker extends Watcher {
  readonly name = 'electorate'
  readonly lists = new Map<number, Electorate>()

  seen(electorate: Electorate, at: Micros): void {
    const other = this.lists.get(electorate.number)
    if (other !== undefined && digestOf(other).join() !== digestOf(electorate).join()) {
      this.violation(`electorate ${electorate.number} has two lists: ${ids(other)} and ${ids(electorate)}`, at)
    }
    this.lists.set(electorate.number, electorate)
  }
}

function ids(electorate: Electorate): string {
  return electorate.members.map(({ id }) => id).join(' ')
}

function pollOf({ name, term, view }: Claim, electorate: Electorate): Poll {
  return { name, term, electorate: digestOf(electorate), view: viewDigest(view) }
}

function openVotes({ ballots }: Claim, candidates: number): number[] {
  const votes = (place: number) => ballots.reduce((sum, { order }) => sum + ([3, 2, 1][order.indexOf(place)] ?? 0), 0)
  return Array.from({ length: candidates }, (_, place) => votes(place))
}

/** Never a term without a count that can be checked. */
export class CountChecker extends Watcher {
  readonly name = 'count'
  counted = 0
  private readonly settings: ElectionSettings
  private readonly signatures: Signatures
  private readonly group: Group | undefined

  constructor(settings: ElectionSettings, signatures: Signatures, group?: Group) {
    super()
    this.settings = settings
    this.signatures = signatures
    this.group = group
  }

  elected(coordinator: NodeId, claim: Claim, electorate: Electorate | undefined, at: Micros): void {
    this.counted++
    const fault = electorate === undefined ? 'nobody knows the list' : this.fault(coordinator, claim, electorate)
    if (fault === undefined) return
    this.violation(`the count of term ${claim.term} of '${claim.name}', led by ${coordinator}: ${fault}`, at)
  }

  private fault(coordinator: NodeId, claim: Claim, electorate: Electorate): string | undefined {
    const candidates = this.candidates(claim.view, electorate)
    if (!candidates.includes(coordinator)) return `the candidates are ${candidates.join(' ')}`
    if (candidates.length === 1) return undefined
    const voters = new Set(claim.ballots.map(({ voter }) => voter))
    if (voters.size < claim.ballots.length) return 'a voter has two ballots'
    const needed = Math.floor((electorate.members.length + this.settings.liars) / 2) + 1
    if (voters.size < needed) return `${voters.size} ballots of ${needed}`
    const secret = this.group && ballotKey(this.group, electorate, candidates, electionRules)
    if (this.group !== undefined && secret === undefined) return 'a candidate did not prove its key'
    const poll = pollOf(claim, electorate)
    const { signatures } = this
    const check = { poll, electorate, candidates: candidates.length, signatures, rules: electionRules, secret }
    if (!claim.ballots.every(ballot => isBallotOf(check, ballot))) return 'a ballot is not valid'
    const votes =
      secret === undefined ? openVotes(claim, candidates.length) : this.opened(claim, electorate, candidates)
    if (votes === undefined) return 'the totals are not opened'
    const best = candidates
      .map((id, place) => ({ id, sum: votes[place]! }))
      .sort((one, other) => other.sum - one.sum || (one.id < other.id ? -1 : 1))[0]!
    return best.id === coordinator ? undefined : `${best.id} has ${best.sum} votes`
  }

  private opened(claim: Claim, electorate: Electorate, candidates: readonly NodeId[]): number[] | undefined {
    const group = this.group!
    const sums = hiddenTotals(group, claim.ballots, candidates.length)
    const digest = tallyDigest(pollOf(claim, electorate), claim.ballots)
    const holds = candidates.every((id, place) => {
      const { countKey: publicKey } = memberOf(electorate, id)!
      const opening = claim.openings[place]
      return opening !== undefined && isOpening(group, { publicKey, sums, digest }, opening, electionRules)
    })
    return holds ? openedTotals(group, sums, claim.openings, 3 * claim.ballots.length) : undefined
  }

  private candidates(view: View, electorate: Electorate): NodeId[] {
    const standing = view.rows.filter(({ member }) => memberOf(electorate, member) && !view.leftOut.includes(member))
    const best = this.settings.attributes.map(({ name, best: direction }, place) => {
      const value = ({ member, values }: (typeof standing)[number]) => {
        const voter = memberOf(electorate, member)!
        const given = name === 'joined' ? voter.admitted : name === 'failures' ? voter.failures : values[place]!
        return direction === 'small' ? given : -given
      }
      return [...standing].sort((one, other) => value(one) - value(other) || (one.member < other.member ? -1 : 1))[0]
    })
    return [...new Set(best.flatMap(row => (row === undefined ? [] : [row.member])))]
  }
}
