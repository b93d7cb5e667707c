import { describe, expect, it } from 'vitest'
import { checkTerms, readTerms, type TermLine } from './terms.ts'

const leads = (who: string, term: number, at: number, until: number): TermLine => {
  return { at, who, boot: 1, what: 'leads', term, until }
}
const stopped = (who: string, term: number, at: number): TermLine => ({ at, who, boot: 1, what: 'stopped', term })
const sees = (who: string, term: number, coordinator: string | null): TermLine => {
  return { at: 9, who, boot: 1, what: 'sees', term, coordinator }
}

describe('the check of the journal', () => {
  it('is content with one after the other', () => {
    const lines = [leads('a', 1, 0, 10), leads('a', 1, 5, 15), stopped('a', 1, 12), leads('b', 2, 13, 20)]
    const { reigns, problems } = checkTerms([...lines, sees('c', 2, 'b'), sees('c', 2, null)])
    expect(problems).toEqual([])
    expect(reigns.map(({ who, from, until }) => [who, from, until])).toEqual([
      ['a', 0, 12],
      ['b', 13, 20],
    ])
  })
  it.each([
    ['two at once', [leads('a', 1, 0, 10), leads('b', 2, 9, 20)], /two lead at once, by 1.0 ms/],
    ['two in a term', [leads('a', 1, 0, 10), leads('b', 1, 11, 20)], /two coordinators of a term/],
    ['a term that is not new', [leads('a', 2, 0, 10), leads('b', 1, 11, 20)], /terms go back/],
    ['members that see different ones', [sees('c', 2, 'a'), sees('d', 2, 'b')], /d sees b, others a/],
    ['one seen that is not the one', [leads('a', 1, 0, 10), sees('c', 1, 'b')], /c sees b, others a/],
  ])('finds %s', (_, lines, what) => {
    expect(checkTerms(lines).problems.join()).toMatch(what)
  })
  it('reads what a killed process left', () => {
    expect(readTerms(`${JSON.stringify(leads('a', 1, 0, 10))}\n{"at":1,"wh`)).toHaveLength(1)
  })
})
