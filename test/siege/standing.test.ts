// Elections of the siege have something to vote on, and the liar takes part in them; and what is made of the events that members
// tell each other.

import { describe, expect, it } from 'vitest'
import { firstElectorate } from '../../src/election/count/electorate.ts'
import { candidatesOf, ranking } from '../../src/election/count/view.ts'
import { electionDefaults } from '../../src/election/settings.ts'
import { RANKING, worthOf } from './programs/standing.ts'
import { problemsOfTold, type ToldLine } from './told-journal.ts'

const MEMBERS = ['member-1', 'member-2', 'member-3', 'member-4']
const LIAR = 'member-4'
const settings = { ...electionDefaults, attributes: RANKING }
const NO_KEY = new Uint8Array(32)
const electorate = firstElectorate(MEMBERS.map(id => ({ id, key: NO_KEY, sealKey: NO_KEY })))

/** Whoever is a candidate while these stand, the one that everybody votes for first. */
function candidates(standing: readonly string[]): string[] {
  const rows = standing.map(member => {
    const { near, busy } = worthOf(`/group/members/${member}`)
    return { member, values: [near, busy] }
  })
  const view = { rows, leftOut: [] }
  const found = candidatesOf(electorate, view, settings)
  return ranking(electorate, view, found, settings).map(place => found[place]!)
}
const without = (...gone: readonly string[]) => candidates(MEMBERS.filter(member => !gone.includes(member)))

describe('who is a candidate', () => {
  it('are two of those that stand, so that ballots are cast, whoever stands aside', () => {
    expect(without()).toEqual(['member-1', 'member-3'])
    for (const gone of MEMBERS) expect(without(gone), `without ${gone}`).toHaveLength(2)
  })
  it('is the liar when the first of them has led: it wins, and what only a winner can lie about is told', () => {
    expect(without('member-1')).toEqual([LIAR, 'member-3'])
    expect(without(LIAR)).toEqual(['member-1', 'member-3'])
  })
})

describe('events that members told each other', () => {
  const handed = (id: string, text: string, author = 'member-1'): ToldLine => {
    return { what: 'handed', who: 'member-2 7', via: 'trees', id, author, text }
  }
  const told: ToldLine = { what: 'told', who: 'member-1', text: 'a' }

  it('came as they were told, each once, and some did not come', () => {
    expect(problemsOfTold([told, handed('1', 'a')], LIAR)).toEqual([])
    expect(problemsOfTold([told], LIAR)).toEqual([])
    const elsewhere = { ...handed('1', 'a'), via: 'gossip' } as ToldLine
    expect(problemsOfTold([told, handed('1', 'a'), elsewhere], LIAR)).toEqual([])
  })
  it('that nobody told, or somebody else, are seen, and what came twice; the liar may tell what it likes', () => {
    expect(problemsOfTold([told, handed('1', 'b')], LIAR)).toEqual([
      'member-2 7 was handed 1, which member-1 never told: b',
    ])
    expect(problemsOfTold([told, handed('1', 'a', 'member-3')], LIAR)).toHaveLength(1)
    expect(problemsOfTold([told, handed('1', 'a'), handed('1', 'a')], LIAR)).toEqual(['member-2 7 was handed 1 twice'])
    expect(problemsOfTold([handed('1', '', LIAR)], LIAR)).toEqual([])
  })
})
