// choose (BACKOFF figure 2, lines 33-48; protocols/ordering 3, 4), against a dumb twin and against everything that may have
// been decided.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choose, type Voucher } from './choose.ts'
import { brokenOrderingRules } from './proof/planted.ts'
import { compareRanks, orderingRules } from './rules.ts'
import type { Head, ProposedHead, Rank } from './wire.ts'

const digest = (name: number) => new Uint8Array(32).fill(name)
const head = (version: number, name = version): Head => ({ version, digest: digest(name) })
const proposed = (version: number, counter: number, name = version): ProposedHead => ({
  ...head(version, name),
  parent: digest(version - 1),
  rank: { counter, client: 'c' },
})
const replies = (...list: Voucher[]) => new Map(list.map((voucher, place) => [`server-${place}`, voucher]))

describe('choose', () => {
  it('builds on what b + 1 call committed', () => {
    const all = replies({ committed: head(3), proposed: proposed(3, 1) }, { committed: head(3), proposed: undefined })
    expect(choose(all, 1, orderingRules)).toMatchObject({ version: 3, committed: true })
  })
  it('proposes again what b + 1 vouch for and fewer call committed (protocols/ordering 4)', () => {
    const all = replies({ committed: head(3), proposed: proposed(4, 2) }, { committed: head(4), proposed: undefined })
    expect(choose(all, 1, orderingRules)).toMatchObject({ version: 4, committed: false })
  })
  it('does not believe b: neither a version nor a rank', () => {
    const liar = { committed: head(9), proposed: proposed(10, 99) }
    const honest = { committed: head(3), proposed: proposed(3, 1) }
    expect(choose(replies(liar, honest, honest), 1, orderingRules)).toMatchObject({ version: 3 })
    const lifted = [proposed(4, 99, 40), proposed(4, 1, 40), proposed(4, 2, 41), proposed(4, 2, 41)]
    const all = replies(...lifted.map(one => ({ committed: head(3), proposed: one })))
    expect(choose(all, 1, orderingRules)?.digest).toEqual(digest(41))
  })
  // One took 40 in rank 1. Five took 41 in rank 5: it is decided. The liar says that 40 is committed, and that it took 40
  // in a rank that nobody ever had. Its word that 40 is committed counts; its rank must not count beside it, as another's.
  it('a liar counts once: as one who has it committed, or as one who took it', () => {
    const liar = { committed: head(4, 40), proposed: proposed(4, 99, 40) }
    const honest = [proposed(4, 1, 40), proposed(4, 5, 41), proposed(4, 5, 41), proposed(4, 5, 41)]
    const all = replies(liar, ...honest.map(one => ({ committed: head(3), proposed: one })))
    expect(choose(all, 1, orderingRules)?.digest).toEqual(digest(41))
  })
  it('believes b where b is planted to be enough', () => {
    const liar = { committed: head(9), proposed: proposed(10, 99) }
    const honest = { committed: head(3), proposed: proposed(3, 1) }
    expect(choose(replies(liar, honest, honest), 1, brokenOrderingRules('liars-are-enough'))).toMatchObject({
      version: 10,
    })
  })
  // v is decided at five of seven; v + 1 came to one of them, another has not heard of a commit, a third lies.
  it('F 3: what is committed at one and proposed at another has two who vouch; by proposals alone v is lost', () => {
    const before = { committed: head(2), proposed: proposed(2, 4) }
    const [further, behind] = [
      { committed: head(3), proposed: proposed(4, 6) },
      { committed: head(2), proposed: proposed(3, 5) },
    ]
    const all = replies(further, behind, before, before, before)
    expect(choose(all, 1, orderingRules)).toMatchObject({ version: 3, committed: false })
    expect(choose(all, 1, brokenOrderingRules('only-proposed-vouches'))).toMatchObject({ version: 2 })
  })
  it('chooses nothing where nobody is vouched for', () => {
    expect(choose(replies({ committed: head(1), proposed: undefined }), 1, orderingRules)).toBeUndefined()
  })
})

const LIARS = 1
const rank = fc.record({ counter: fc.integer({ min: 1, max: 4 }), client: fc.constantFrom('c', 'd') })
const anyHead = fc.record({ version: fc.integer({ min: 0, max: 3 }), name: fc.integer({ min: 0, max: 2 }) })
const voucher = fc
  .record({ committed: anyHead, proposed: fc.option(fc.record({ at: anyHead, rank }), { nil: undefined }) })
  .map(
    ({ committed, proposed: taken }): Voucher => ({
      committed: head(committed.version, committed.name),
      proposed:
        taken === undefined
          ? undefined
          : { ...head(taken.at.version, taken.at.name), parent: digest(0), rank: taken.rank },
    }),
  )

const same = (a: Head, b: Head) => a.version === b.version && a.digest[0] === b.digest[0]

/** The rank that b + 1 vouch for, or undefined where fewer vouch for this state at all. */
function rankOf(all: ReadonlyMap<string, Voucher>, state: Head): Rank | undefined {
  return [...all.values()]
    .filter(({ committed, proposed: taken }) => same(committed, state) || (taken !== undefined && same(taken, state)))
    .map(({ committed, proposed: taken }) => (same(committed, state) ? { counter: Infinity, client: '' } : taken!.rank))
    .sort((a, b) => compareRanks(b, a))[LIARS]
}

/** Every state that is named at all, in the plainest words. */
function twin(all: ReadonlyMap<string, Voucher>): Head | undefined {
  return [...all.values()]
    .flatMap(({ committed, proposed: taken }) => (taken ? [committed, taken] : [committed]))
    .filter(state => rankOf(all, state) !== undefined)
    .sort((a, b) => b.version - a.version || compareRanks(rankOf(all, b)!, rankOf(all, a)!))[0]
}

describe('choose and its twin', () => {
  it('agree on version and rank', () => {
    fc.assert(
      fc.property(fc.array(voucher, { minLength: 1, maxLength: 7 }), list => {
        const all = replies(...list)
        const [ours, theirs] = [choose(all, LIARS, orderingRules), twin(all)]
        expect(ours?.version).toBe(theirs?.version)
        expect(ours && rankOf(all, ours)).toEqual(theirs && rankOf(all, theirs))
      }),
      { numRuns: 500 },
    )
  })
  it('a version that q took in one rank is always chosen, or one that was built on it', () => {
    // n = 7, b = f = 1, q = 5: two quorums share 3, of which 2 are honest.
    const rest = fc.array(voucher, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(rest, fc.boolean(), fc.boolean(), (others, first, second) => {
        const decided = proposed(3, 5, 9)
        const taken = (further: boolean): Voucher =>
          further ? { committed: decided, proposed: proposed(4, 6, 8) } : { committed: head(2), proposed: decided }
        // The others are older or lie: honest ones have taken nothing of a higher rank that is not built on it.
        const older = others
          .slice(1)
          .map(({ committed }) => ({ committed: { ...committed, version: 1 }, proposed: undefined }))
        const all = replies(taken(first), taken(second), others[0]!, ...older)
        const chosen = choose(all, LIARS, orderingRules)!
        expect(chosen.version === 3 || chosen.version === 4).toBe(true)
        expect([8, 9]).toContain(chosen.digest[0])
      }),
      { numRuns: 500 },
    )
  })
})
