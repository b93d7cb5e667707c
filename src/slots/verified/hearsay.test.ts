// A liar speaks of a round that nobody opened, or asks for one behind the back of who leads it: no honest member is late for that.

import { describe, expect, it } from 'vitest'
import { honest, LIAR, names, settings, Table, TICK, type Word } from '../../../test/support/slots-table.ts'
import { leaderOf } from './proofs.ts'
import { type SlotsRules, slotsRules } from './rules.ts'
import type { SlotsMessage } from './wire.ts'

const UNSIGNED = new Uint8Array()
const next = (table: Table) => table.states.get('a')!.epoch.next
const leader = (table: Table) => names[leaderOf(table.states.get('a')!.epoch.record, next(table))]
const silentIn = (table: Table) =>
  table.events.flatMap(event => (event.kind === 'silent' ? event.members.map(who => `${event.who}: ${who}`) : []))
const everybodys = (broken: Partial<SlotsRules>) => Object.fromEntries(names.map(name => [name, broken]))
/** For twice as long as anything may be owed. */
const wait = (table: Table) => table.run((2 * settings.patience) / TICK, () => false)

/** A word of the liar's own. */
function own(table: Table, words: Record<string, unknown>): SlotsMessage {
  const { hash } = table.states.get('a')!.epoch
  return table.forge({ ...words, author: LIAR, epoch: hash, signature: UNSIGNED } as unknown as SlotsMessage, {})
}

/** All slots are held, and the next round is another's to open. */
function held(broken: Partial<SlotsRules> = {}): Table {
  const table = new Table(said => [said], { holds: true, rules: everybodys(broken), settings: { lease: 5_000 } })
  table.run(400, () => table.events.filter(({ kind }) => kind === 'seat').length > 1)
  expect(leader(table)).toBe('c')
  return table
}

describe('a word of a round that nobody opened', () => {
  const speaksOfIt = (table: Table) => {
    table.says(own(table, { kind: 'seal', round: next(table), passes: [] }))
    wait(table)
    return silentIn(table)
  }
  it('makes nobody silent: its leader has nothing to open', () => {
    expect(speaksOfIt(held())).toEqual([])
  })
  it('is a reason to ask for the header: a true one may be lost, and it be heard of from one member first', () => {
    const table = held()
    speaksOfIt(table)
    const asks = table.said.filter(({ by, body }) => by === 'a' && body.kind === 'ask')
    expect(asks.some(({ body }) => (body as Word<'ask'>).needs.some(({ kind }) => kind === 'header'))).toBe(true)
  })
  it('planted: all wait for the header of an honest member, and call it silent', () => {
    expect(speaksOfIt(held({ hasBegun: others => others > 0 }))).toEqual(['a: c', 'd: c'])
  })
  it('is not held against its leader when there is something to open: the time is counted from there', () => {
    const table = held()
    table.says(own(table, { kind: 'seal', round: next(table), passes: [] }))
    const round = next(table)
    table.run(6_000 / TICK, () => next(table) > round)
    expect(next(table)).toBe(round + 1)
    expect(silentIn(table)).toEqual([])
  })
  it('makes its leader late where more than can lie have said one', () => {
    expect([0, 1, 2].map(others => slotsRules.hasBegun(others, 1))).toEqual([false, false, true])
    expect([0, 1].map(others => slotsRules.hasBegun(others, 0))).toEqual([false, true])
  })
})

describe('a header that its leader shows to one', () => {
  it('is asked for: the others go on, and nobody honest is silent', () => {
    const hidden = new Set<number>()
    const table = new Table(said => {
      if (said.kind !== 'header' || !hidden.has(said.round)) {
        if (said.kind === 'header') hidden.add(said.round)
        return [said]
      }
      return []
    })
    table.run(400, () => hidden.size > 0 && next(table) > Math.max(...hidden) + 1)
    expect(hidden.size).toBeGreaterThan(0)
    expect(silentIn(table).filter(text => !text.endsWith(`: ${LIAR}`))).toEqual([])
  })
})

describe('on demand, a liar that wants a round from all but who leads it', () => {
  const asks = (broken: Partial<SlotsRules> = {}) => {
    const table = new Table(said => [said], { holds: true, settings: { onDemand: true }, rules: everybodys(broken) })
    // One round, and then nobody wants a seat any more.
    table.run(400, () => table.events.filter(({ kind }) => kind === 'seat').length > 1)
    for (const [id, name] of names.entries()) table.command(name, { kind: 'cancel', id })
    const isIdle = (name: string) => table.states.get(name)!.epoch.rounds.get(1)!.phase === 'over'
    table.run(400, () => honest.every(isIdle))
    for (const name of names) table.states.get(name)!.epoch.wanted = undefined
    const left = leader(table)!
    expect(left).toBe('c')
    table.says(
      own(table, { kind: 'want', round: next(table) }),
      names.filter(name => name !== left),
    )
    const before = next(table)
    wait(table)
    return { silent: silentIn(table), opened: next(table) - before }
  }
  it('gets it: the others tell its leader', () => {
    expect(asks()).toEqual({ silent: [], opened: 1 })
  })
  it('planted: nobody tells it, and all call it silent', () => {
    expect(asks({ passesOnWants: () => false }).silent.length).toBeGreaterThan(0)
  })
})
