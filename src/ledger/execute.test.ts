// The one switch (protocols/ledger J2, J4, J8, J9): what is taken, what is refused with which code, and that each rule has
// a story which goes wrong without it.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromHex } from '../core/index.ts'
import { openBook, supplyOf, type Undo, undoAll, whyUnbalanced } from './book.ts'
import { execute, whyNotNow } from './execute.ts'
import { encodeDescriptor } from './genesis.ts'
import { LeafMemory } from './memory.ts'
import { makeLedger, signed } from './proof/actors.ts'
import { brokenLedgerRules, plantedExecutionBugs } from './proof/planted.ts'
import { Stage, stories } from './proof/stories.ts'
import { ledgerRules } from './rules.ts'
import { readTransaction, signingBytes, type Transaction, writeTransaction } from './transactions.ts'

describe('each planted bug of execution has its story', () => {
  it('none is forgotten', () => expect(Object.keys(stories).sort()).toEqual(Object.keys(plantedExecutionBugs).sort()))

  it.each(Object.keys(stories))('%s', bug => {
    const story = stories[bug]!
    const right = story.play(new Stage(ledgerRules))
    const broken = story.play(new Stage(brokenLedgerRules(bug)))
    expect(right?.code ?? '').toBe(story.code)
    // What was refused is taken; where two burns look like one, what was to be taken is refused.
    expect(broken?.code).toBe(story.code === '' ? 'spent' : undefined)
  })
})

describe('moving', () => {
  it('there and back, and the sums hold at every step', () => {
    const stage = new Stage()
    const { a, b } = stage
    const check = () => expect([a, b].map(one => whyUnbalanced(one.book))).toEqual([undefined, undefined])
    const out = a.must(stage.burn(a, b, 30n, { to: 'alice' }))
    check()
    b.must(stage.mint(a.proof(out)))
    check()
    expect(supplyOf(a.book.registers[0]!)).toEqual({ held: 170n, outstanding: 30n })
    const back = b.must(stage.burn(b, a, 20n, { asset: a.descriptor.id, to: 'bob' }))
    check()
    a.must(stage.mint(b.proof(back)))
    check()
    expect(supplyOf(a.book.registers[0]!)).toEqual({ held: 190n, outstanding: 10n })
    expect(b.book.registers[0]!.foreign.get(a.descriptor.hex)).toBe(10n)
  })

  it('J-10: burn, void, refund, and then a forged burn of the peer releases nothing', () => {
    const stage = new Stage()
    const { a, b } = stage
    const index = a.must(stage.burn(a, b, 2n))
    const voided = b.must(stage.voiding(b, a.proof(index)))
    a.must(stage.refund(b.proof(voided)))
    expect(supplyOf(a.book.registers[0]!)).toEqual({ held: 200n, outstanding: 0n })
    const forged = stage.burn(b, a, 2n, { asset: a.descriptor.id })
    expect(a.submit(stage.mint(b.proof(0, forged)))).toMatchObject({ code: 'outstanding' })
  })

  it('J-10: burn, minted back by a forged burn, then a forged void: no more than went out comes back', () => {
    const stage = new Stage()
    const { a, b } = stage
    const index = a.must(stage.burn(a, b, 2n))
    a.must(stage.mint(b.proof(0, stage.burn(b, a, 2n, { asset: a.descriptor.id }))))
    expect(a.submit(stage.refund(b.proof(0, stage.voiding(b, a.proof(index)))))).toMatchObject({ code: 'outstanding' })
  })

  it('a frozen link lets a burn be made void, thaws by the next link only, and burns do not go there', () => {
    const stage = new Stage()
    const { a, b } = stage
    const index = a.must(stage.burn(a, b, 10n))
    const evidence = a.proof(index)
    b.must(stage.freeze(b, a))
    expect(b.submit(stage.burn(b, a, 1n))).toMatchObject({ code: 'frozen' })
    expect(b.submit(stage.link(b, a, 0))).toMatchObject({ code: 'number' })
    b.must(stage.voiding(b, evidence))
    b.must(stage.link(b, a, 1))
    expect(b.book.links.get(a.descriptor.hex)!.frozen).toBe(false)
  })

  it('evidence must be whole: path, place, certificate, link', () => {
    const stage = new Stage()
    const { a, b } = stage
    const good = a.proof(a.must(stage.burn(a, b, 10n)))
    if (good.kind !== 'proof') throw new Error('a proof')
    const votes = good.checkpoint.votes
    const bad = {
      path: { ...good, path: good.path.slice(1) },
      index: { ...good, index: good.index - 1 },
      short: { ...good, checkpoint: { ...good.checkpoint, votes: votes.slice(2) } },
      doubled: { ...good, checkpoint: { ...good.checkpoint, votes: [votes[0]!, votes[0]!, votes[1]!] } },
      size: { ...good, checkpoint: { ...good.checkpoint, size: good.checkpoint.size + 1 } },
      leaf: { ...good, leaf: stage.pay(a, 'bob', 1n) },
    }
    for (const [what, evidence] of Object.entries(bad))
      expect(b.submit(stage.mint(evidence)), what).toMatchObject({ code: 'evidence' })
    const stranger = { ...good, ledger: new Uint8Array(32) }
    expect(b.submit(stage.mint(stranger))).toMatchObject({ code: 'no link' })
    b.must(stage.mint(good))
  })

  it('an expired burn is not minted, and can be made void', () => {
    const stage = new Stage()
    const { a, b } = stage
    // B has two leaves, the links.
    const early = a.proof(a.must(stage.burn(a, b, 10n, { expires: 3 })))
    b.must(stage.mint(early))
    const late = a.proof(a.must(stage.burn(a, b, 10n, { expires: 3 })))
    expect(b.submit(stage.mint(late))).toMatchObject({ code: 'expired' })
    b.must(stage.voiding(b, late))
  })
})

describe('limits', () => {
  it('rubbish is refused, whatever it is, and changes nothing', () => {
    const stage = new Stage()
    const before = supplyOf(stage.a.book.registers[0]!)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), leaf => {
        expect(stage.a.submit(leaf)).toBeDefined()
        expect(supplyOf(stage.a.book.registers[0]!)).toEqual(before)
      }),
    )
  })
  it('every turned bit of a signed transaction is refused', () => {
    const stage = new Stage()
    const leaf = stage.pay(stage.a, 'alice', 5n)
    for (let bit = 0; bit < leaf.length * 8; bit++) {
      const turned = leaf.slice()
      turned[bit >> 3]! ^= 1 << (bit & 7)
      expect(stage.a.submit(turned), `bit ${bit}`).toBeDefined()
    }
    stage.a.must(leaf)
  })
  it('`until` ends it; a link to oneself, a linked stranger and a tick out of turn are refused', () => {
    const stage = new Stage()
    const { a } = stage
    const late = stage.pay(a, 'alice', 1n)
    const read = readTransaction(late)
    if (!read.ok || read.value.kind !== 'transfer') throw new Error('a transfer')
    const expired = writeTransaction({ ...read.value, until: 1 })
    expect(
      execute(a.book, expired, { suite: stage.actors.suite, rules: brokenLedgerRules('signatures-unchecked') }),
    ).toMatchObject({ code: 'until' })
    expect(a.submit(stage.link(a, a, 0))).toMatchObject({ code: 'elsewhere' })
    expect(a.submit(writeTransaction({ kind: 'tick', number: 1, signatures: [] }))).toMatchObject({ code: 'unsigned' })
    expect(encodeDescriptor(a.descriptor).length).toBeGreaterThan(100)
  })
  it('what is tried is taken back to the last entry', () => {
    const stage = new Stage()
    const { a, b } = stage
    const how = { suite: stage.actors.suite, rules: ledgerRules }
    const leaves = [stage.burn(a, b, 10n), stage.pay(a, 'alice', 5n), stage.pay(a, 'bob', 7n, { to: 'carol' })]
    const plain = JSON.stringify(dump(a.book))
    const undo: Undo = []
    for (const leaf of leaves) expect(execute(a.book, leaf, { ...how, undo })).toBeUndefined()
    expect(JSON.stringify(dump(a.book))).not.toBe(plain)
    undoAll(undo)
    expect(JSON.stringify(dump(a.book))).toBe(plain)
    expect(whyNotNow(a.book, leaves[0]!, how)).toBeUndefined()
    expect(JSON.stringify(dump(a.book))).toBe(plain)
  })
})

function dump(book: ReturnType<typeof openBook>): unknown {
  return [
    book.size,
    book.ticks,
    ...book.registers.map(one => [
      ...entries(one.accounts),
      ...entries(one.outstanding),
      ...entries(one.foreign),
      ...entries(one.burns),
      ...entries(one.spent),
    ]),
  ]
}

function entries(map: ReadonlyMap<unknown, unknown>): string[] {
  const words = (value: unknown): string =>
    value instanceof Map
      ? `{${entries(value).join()}}`
      : typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
        ? `{${Object.entries(value).map(([k, v]) => `${k}:${words(v)}`)}}`
        : String(value)
  return [...map].map(([key, value]) => `${String(key)}=${words(value)}`).sort()
}

describe('signatures that were found good once', () => {
  it('a void is looked at again: which burn has an index depends on what became of other proposals', () => {
    const stage = new Stage()
    const { actors } = stage
    const made = { name: 'both', servers: ['s1', 's2', 's3', 's4'], crashes: 1, liars: 0 }
    const both = makeLedger(actors, { ...made, balances: { alice: 10n, mallory: 10n }, registers: ['a', 'b'] })
    const book = openBook(both)
    const how = { suite: actors.suite, rules: ledgerRules, memory: new LeafMemory(actors.suite.hash) }
    const [own, peer] = both.registerIds.map(id => fromHex(id)!) as [Uint8Array, Uint8Array]
    const burn = (owner: string) => {
      const fields = { register: 0, sequence: 0, asset: own, to: actors.signer(owner).publicKey, amount: 1n, until: 9 }
      return signed(actors, both, owner, { kind: 'burn', ...fields, peer, expires: 0 })
    }
    const unsigned: Transaction = {
      kind: 'void',
      register: 1,
      evidence: { kind: 'own', index: 0 },
      signature: new Uint8Array(0),
    }
    const voided = writeTransaction({
      ...unsigned,
      signature: actors.signer('mallory').sign(signingBytes(peer, unsigned)),
    })
    const undo: Undo = []
    expect(execute(book, burn('mallory'), { ...how, undo })).toBeUndefined()
    expect(execute(book, voided, { ...how, undo })).toBeUndefined()
    undoAll(undo)
    expect(execute(book, burn('alice'), how)).toBeUndefined()
    expect(execute(book, voided, how)).toMatchObject({ code: 'unsigned' })
  })
})
