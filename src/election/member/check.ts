// What must hold between inputs, whatever was heard. A break is a bug of ours, and stops the node.

import { assert } from '../../core/index.ts'
import { memberOf } from '../count/electorate.ts'
import { CANDIDATES_MAX, CHAIN_MAX, NAMES_MAX } from '../wire.ts'
import type { ElectionState, Race } from './state.ts'

export function check(state: ElectionState): void {
  const { self, electorate, floor, chain, signedSuccessor, proposal } = state
  const last = chain.at(-1)?.electorate.number
  assert(electorate?.number === last, `${self} acts by list ${electorate?.number}, the last of its chain is ${last}`)
  assert(chain.length <= CHAIN_MAX, `${self} remembers ${chain.length} lists`)
  assert(floor >= 0 && floor <= Number.MAX_SAFE_INTEGER, `${self} has its terms above ${floor}`)
  if (proposal !== undefined) {
    assert(signedSuccessor !== undefined, `${self} proposes a list that it did not sign`)
    assert(
      signedSuccessor.number === proposal.electorate.number,
      `${self} signed list ${signedSuccessor.number} and proposes another`,
    )
  }
  assert(state.races.size <= NAMES_MAX, `${self} knows ${state.races.size} elections`)
  for (const race of state.races.values()) checkRace(state, race)
}

function checkRace({ self, electorate }: ElectionState, race: Race): void {
  const { name, attempt, candidacy, leader } = race
  const of = `${self}, election '${name}':`
  assert(race.news.size === 0, `${of} news without consequences: ${[...race.news].join(', ')}`)
  assert(
    (race.grantedTerm === 0) === (race.grantedTo === ''),
    `${of} term ${race.grantedTerm} granted to '${race.grantedTo}'`,
  )
  if (attempt !== undefined) {
    assert(electorate !== undefined, `${of} votes without a list`)
    assert(attempt.term > race.grantedTerm, `${of} votes in term ${attempt.term}, and granted ${race.grantedTerm}`)
    assert(attempt.ownBallot === undefined || race.votedTerm >= attempt.term, `${of} voted before that was saved`)
    assert(attempt.candidates.length <= CANDIDATES_MAX, `${of} ${attempt.candidates.length} candidates`)
    for (const voter of attempt.voided.keys()) assert(!attempt.ballots.has(voter), `${of} counts a void ballot`)
  }
  if (candidacy?.phase === 'claiming') {
    assert(race.votedTerm >= candidacy.term, `${of} claims term ${candidacy.term} and did not save that`)
  }
  if (candidacy?.phase === 'leading') {
    assert(race.grantedTerm >= candidacy.term, `${of} leads a term that it did not grant`)
    assert(candidacy.grants.has(self), `${of} leads without its own grant`)
    assert(candidacy.asked >= candidacy.sent.length, `${of} sent more than it numbered`)
  }
  for (const id of [...race.saidTerms.keys(), ...race.followedAt.keys()]) {
    assert(memberOf(electorate, id) !== undefined, `${of} keeps a word of ${id}, who is not listed`)
  }
  if (leader !== undefined) {
    assert(race.hadCoordinator, `${of} knows who leads and never met anybody`)
    assert(leader.term <= (race.proof?.term ?? 0), `${of} knows who leads term ${leader.term}, without a proof`)
  }
}
