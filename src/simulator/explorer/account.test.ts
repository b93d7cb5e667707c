// What the explorer makes of lazy saves and of accounts: every way in which a crash may find the disk.

import { describe, expect, it } from 'vitest'
import { type Ledger, type LedgerRules, ledger } from '../../../test/support/ledger.ts'
import type { AnyProtocol } from '../../core/index.ts'
import { type Exploration, explore } from './explore.ts'
import type { Moment, System } from './system.ts'

/** Two counters, of which the account writes one with each save; crashes as many as asked. */
function small(rules: LedgerRules, crashes: number): System {
  const protocol = ledger(rules)
  const acts = [1, 2, 1, 2, 1].map((key, turn) => ({
    node: 'a',
    label: `count ${key}, ${turn}`,
    allowed: (state: Ledger) => turn === 0 || state.table.size > 0,
    command: () => ({ key, lazy: turn > 2 }),
  }))
  return { nodes: [{ id: 'a', protocol, peers: [], rate: 1, crashes: true }], acts, ticks: 0, crashes, duplicates: 0 }
}

const { init } = ledger({ page: 1 })
const show = (table: ReadonlyMap<number, number>) => [...table].sort().join(' ')
const state = (moment: Moment): Ledger => moment.nodes[0]!.state
const disk = (moment: Moment) => moment.nodes[0]!.records

function outcome(system: System): Exploration {
  return explore(system, {
    always: {
      'the log replays to the state': moment =>
        show(init('a', [], new Map([['', disk(moment)]])).table) === show(state(moment).table),
    },
    sometimes: {
      'the log was cut': moment => disk(moment).length < [...state(moment).table.values()].reduce((a, b) => a + b, 0),
      'an account was cut short': moment => disk(moment).length > 1 && state(moment).left === undefined,
    },
  })
}

describe('the explorer', () => {
  it('finds the log equal to the state after every crash, with what was forgotten and without', () => {
    expect(outcome(small({ page: 1 }, 2))).toMatchObject({
      complete: true,
      broken: undefined,
      sometimes: { 'the log was cut': true, 'an account was cut short': true },
    })
  })

  it('finds an account that was declared whole too soon, without any crash', () => {
    expect(outcome(small({ page: 1, hurry: 1 }, 0)).broken?.property).toBe('the log replays to the state')
  })
})

/** Counts, saves the count and tells it to b, who remembers the highest. */
const teller: AnyProtocol = {
  name: 'teller',
  init: (_self, _peers, saved) => ({ count: saved.get('')?.at(-1)?.[0] ?? 0 }),
  step(mine, input, turn) {
    if (input.kind === 'message') mine.count = Math.max(mine.count, input.body)
    if (input.kind !== 'command') return
    mine.count++
    turn.do({ kind: 'save', record: Uint8Array.of(mine.count), lazy: input.body !== 'awaited' })
    if (input.body !== 'silent') turn.do({ kind: 'send', to: 'b', body: mine.count })
  },
}

describe('a crash', () => {
  const forgotten = (...commands: readonly ('awaited' | 'silent' | 'loud')[]) => {
    const nodes = ['a', 'b'].map(id => ({ id, protocol: teller, peers: [], rate: 1, crashes: id === 'a' }))
    const acts = commands.map((command, turn) => ({
      node: 'a',
      label: `${command} ${turn}`,
      allowed: (mine: { count: number }) => mine.count === turn,
      command: () => command,
    }))
    const known = ({ nodes: [a, b] }: Moment) => a!.state.count >= b!.state.count
    return explore({ nodes, acts, ticks: 0, crashes: 1, duplicates: 0 }, { always: { known }, sometimes: {} })
  }

  it('loses a lazy record: whoever promised on it is found out', () => {
    expect(forgotten('awaited', 'loud').broken).toMatchObject({ property: 'known' })
  })

  it('loses several of them', () => {
    expect(forgotten('loud', 'silent').broken).toMatchObject({ property: 'known' })
  })

  it('loses none in front of an awaited one, nor any on which nothing was promised', () => {
    expect(forgotten('silent', 'awaited', 'silent')).toMatchObject({ complete: true, broken: undefined })
  })
})
