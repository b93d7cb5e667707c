// A liar that brings one member, and nobody else, what nobody signed: that member alone has a reason for another epoch. It must not
// be far from the others when they have one, too.

import { describe, expect, it } from 'vitest'
import { LIAR, names, settings, Table, TICK } from '../../../test/support/slots-table.ts'
import { recordHash } from './record.ts'
import type { SlotsRules } from './rules.ts'

/** Long enough for many ballots. */
const ALONE = 100 * settings.patience

/** b forges to these for so long, and then is silent to all; how long it takes to leave it out, in patiences. */
function leftOutAfter(forgesTo: readonly string[], alone: number, broken: Partial<SlotsRules> = {}, helps = false) {
  let silentFrom = Number.POSITIVE_INFINITY
  const rules = Object.fromEntries(names.map(name => [name, broken]))
  const table = new Table((said, { now }) => (now >= silentFrom ? [] : [said]), { rules, settings: { onDemand: true } })
  for (const [id, name] of names.entries()) table.command(name, { kind: 'cancel', id })
  table.run(100, () => names.every(name => table.states.get(name)!.epoch.live))
  const { epoch } = table.states.get('a')!
  const signature = new Uint8Array(64)
  table.says({ kind: 'want', author: LIAR, epoch: epoch.hash, round: epoch.next, signature }, forgesTo)
  const number = (name: string) => table.states.get(name)!.epoch.record.number
  const favours = () => {
    const said = table.heard('propose', 'a')
    if (!helps || said === undefined || favoured) return
    favoured = true
    const words = { kind: 'favour', round: 0, epoch: epoch.hash, ballot: said.ballot } as const
    table.says(table.forge({ ...words, author: LIAR, record: recordHash(said.record), signature }, {}), ['a'])
  }
  let favoured = false
  table.run(alone / TICK, () => {
    favours()
    return number('a') > 0
  })
  const ballot = epoch.succession.ballot
  const bound = epoch.succession.favouredIn
  const early = number('a')
  silentFrom = table.now
  const began = table.now
  table.command('c', { kind: 'request', id: 100 })
  table.run(4_000, () => ['a', 'c', 'd'].every(name => number(name) > 0))
  const { members } = table.states.get('a')!.epoch.record
  const left = !members.some(one => one.name === LIAR)
  return { early, ballot, bound, favoured, took: (table.now - began) / settings.patience, left }
}

describe('a member that alone was brought what nobody signed', () => {
  it('stays near the others, and binds itself to nothing', () => {
    const { early, ballot, bound } = leftOutAfter(['a'], ALONE)
    expect([early, bound]).toEqual([0, -1])
    expect(ballot).toBeLessThan(2 * names.length)
  })
  it('agrees with the others as soon as they have a reason', () => {
    const { took, left } = leftOutAfter(['a'], ALONE)
    expect(left).toBe(true)
    expect(took).toBeLessThan(leftOutAfter([], ALONE).took + 1)
  })
  it('binds itself to nothing either where the liar favours what it proposes', () => {
    const { bound, favoured } = leftOutAfter(['a'], ALONE / 4, {}, true)
    expect(favoured).toBe(true)
    expect(bound).toBe(-1)
  })
  it('planted: it has favoured what it proposed in ballots that the others reach much later', () => {
    const broken = { bindsAlone: () => true }
    expect(leftOutAfter(['a'], ALONE, broken).bound).toBeGreaterThan(4 * names.length)
    expect(leftOutAfter(['a'], ALONE, broken).took).toBeGreaterThan(leftOutAfter([], ALONE).took + 2)
  })
})

describe('where enough were brought it', () => {
  it.each([[['a', 'c', 'd']], [['c', 'd', 'a']]])('%s: it is left out at once', forgesTo => {
    expect(leftOutAfter(forgesTo, ALONE)).toMatchObject({ early: 1, left: true })
  })
})
