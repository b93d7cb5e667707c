// What must hold between inputs, whatever was heard. A break is a bug of ours, and stops the node.

import { assert } from '../../core/index.ts'
import { CANDIDATES_MAX, CHAIN_MAX, NAMES_MAX } from '../wire.ts'
import type { ElectionState, Race } from './state.ts'

export function check(state: ElectionState): void {
  const { self, electorate, floor, chain, signed, proposal } = state
  assert(electorate === chain.at(-1)?.electorate, `${self} acts by a list that is not the last of its chain`)
  assert(chain.length <= CHAIN_MAX, `${self} remembers ${chain.length} lists`)
  assert(floor >= 0 && floor <= Number.MAX_SAFE_INTEGER, `${self} has its terms above ${floor}`)
  if (proposal !== undefined) {
    assert(signed !== undefined, `${self} proposes a list that it did not sign`)
    assert(signed.number === proposal.electorate.number, `${self} signed list ${signed.number} and proposes another`)
  }
  assert(state.races.size <= NAMES_MAX, `${self} knows ${state.races.size} elections`)
  for (const race of state.races.values()) checkRace(state, race)
}

function checkRace({ self, electorate }: ElectionState, race: Race): void {
  const { name, attempt, candidacy, known } = race
  const of = `${self}, election '${name}':`
  assert(race.news.size === 0, `${of} news without consequences: ${[...race.news].join(', ')}`)
  assert((race.term === 0) === (race.coordinator === ''), `${of} term ${race.term} granted to '${race.coordinator}'`)
  if (attempt !== undefined) {
    assert(electorate !== undefined, `${of} votes without a list`)
    assert(
      attempt.term > race.term || race.coordinator !== self,
      `${of} votes in term ${attempt.term}, which it granted`,
    )
    assert(attempt.own === undefined || race.voted >= attempt.term, `${of} voted before that was saved`)
    assert(attempt.candidates.length <= CANDIDATES_MAX, `${of} ${attempt.candidates.length} candidates`)
    for (const voter of attempt.voided.keys()) assert(!attempt.ballots.has(voter), `${of} counts a void ballot`)
  }
  if (candidacy?.phase === 'claiming') {
    assert(race.voted >= candidacy.term, `${of} claims term ${candidacy.term} and did not save that`)
  }
  if (candidacy?.phase === 'leading') {
    assert(race.term >= candidacy.term, `${of} leads a term that it did not grant`)
    assert(candidacy.grants.has(self), `${of} leads without its own grant`)
    assert(candidacy.asked >= candidacy.sent.length, `${of} sent more than it numbered`)
  }
  if (known !== undefined) assert(race.met, `${of} knows who leads and never met anybody`)
}
