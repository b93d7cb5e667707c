// A server that is behind, one word at a time: whom it asks for what it missed, and when. A liar that says at each moment
// that it is ahead and gives nothing takes a second of it now and then, and no more.

import { describe, expect, it } from 'vitest'
import { Puppet } from '../../test/support/machine.ts'
import type { NodeId } from '../core/index.ts'
import { firstHead } from './checkpoint.ts'
import { encodeDescriptor } from './light.ts'
import { firstDisk, ideals, makeLedger, serverSettings } from './proof/actors.ts'
import { PAGE_WAIT, PASSED_OVER } from './server/catching-up.ts'
import { ledgerServer } from './server/machine.ts'
import type { LedgerMessage } from './wire.ts'

const servers = ['s1', 's2', 's3', 's4', 's5', 's6']
const actors = ideals()
const coins = makeLedger(actors, { name: 'coins', servers, crashes: 1, liars: 1, balances: { alice: 100n } })
const { repeatEvery } = serverSettings(actors, 's1')

function server() {
  const puppet = new Puppet(ledgerServer(serverSettings(actors, 's1')), servers, firstDisk('s1'), 's1')
  puppet.start()
  puppet.hear('client', { kind: 'create', query: 1, genesis: encodeDescriptor(coins) })
  /** Whom it asked for pages. */
  const asked: NodeId[] = []
  const note = (effects: ReturnType<typeof puppet.hear>) => {
    for (const one of effects) if (one.kind === 'send' && one.body.kind === 'page') asked.push(one.to)
  }
  const hear = (from: NodeId, body: LedgerMessage) => note(puppet.hear(from, body))
  const pass = (millis: number) => note(puppet.pass(millis))
  return { puppet, asked, hear, pass }
}

/** It is at height 0 here, and that server speaks of the one after the next. */
function ahead(server: number): LedgerMessage {
  const said = { server, height: 2, attempt: 2, vote: undefined, signature: new Uint8Array(64) }
  return { kind: 'report', ledger: coins.id, report: said, opened: [] }
}

const certified = (height: number): LedgerMessage => ({
  kind: 'certified',
  ledger: coins.id,
  checkpoint: { ...firstHead(actors.suite), height },
  leaves: [],
})

const nothing = (query: number): LedgerMessage => ({
  kind: 'paged',
  query,
  from: 0,
  frontier: [],
  leaves: [],
  checkpoint: firstHead(actors.suite),
})

describe('a server that is one height behind', () => {
  it('asks who was ahead for a whole beat, and not before: the votes are under way as a rule', () => {
    const { asked, hear, pass } = server()
    hear('s3', ahead(2))
    pass(repeatEvery - 1)
    expect(asked).toEqual([])
    pass(1)
    expect(asked).toEqual(['s3'])
  })

  it('also where it is said again before each beat', () => {
    const { asked, hear, pass } = server()
    for (let said = 0; said < 6; said++) {
      hear('s3', ahead(2))
      pass(repeatEvery / 2)
    }
    expect(asked).toContain('s3')
  })
})

describe('who says that it is ahead and gives nothing', () => {
  it.each([
    ['says no more', PAGE_WAIT, undefined],
    ['shows an empty page', 0, nothing(0)],
  ])('is asked once and then passed over for a while: it %s', (_how, noticedAfter, answer) => {
    const { puppet, asked, hear } = server()
    hear('s2', certified(9))
    if (answer !== undefined) hear('s2', answer)
    puppet.now += noticedAfter
    const noticed = puppet.now
    for (; puppet.now < noticed + PASSED_OVER; puppet.now += 100) hear('s2', certified(9))
    expect(asked).toEqual(['s2'])
    puppet.now = noticed + PASSED_OVER
    hear('s2', certified(9))
    expect(asked).toEqual(['s2', 's2'])
  })

  it('does not keep the others from being asked, however fast it speaks', () => {
    const { puppet, asked, hear } = server()
    for (let said = 0; said < 60; said++) {
      hear('s2', certified(9))
      if (said % 10 === 5) hear('s3', certified(9))
      puppet.now += 100
    }
    expect(asked.slice(0, 2)).toEqual(['s2', 's3'])
  })
})
