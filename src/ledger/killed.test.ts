// A server is killed between execution, saving and voting (protocols/ledger, A height), each server at each moment of a height: what
// it promised it keeps, the payment ends all the same, and nobody finds two votes of one attempt.

import { describe, expect, it } from 'vitest'
import { decode, toHex } from '../core/index.ts'
import { calm, World } from '../simulator/index.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import { encodeDescriptor } from './light.ts'
import { firstDisk, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { verifyReceipt } from './receipt.ts'
import { ledgerServer } from './server/machine.ts'
import type { LedgerServerEvent, LedgerServerState } from './server/state.ts'
import { ledgerDefaults } from './settings.ts'
import { ledgerRecord, ledgerVocabulary } from './wire.ts'

const SERVERS = ['server-1', 'server-2', 'server-3', 'server-4']
const SECOND = 1_000_000
/** A disk that takes its time: most of a height is spent between execution and the end of saving. */
const DISK_MAX = 4_000
/** From when the payment is handed in until every server has voted. */
const MOMENTS = Array.from({ length: 45 }, (_, at) => 200 * (at + 1))

/** How far it was: it has the proposal and has executed it; its vote is on its disk as well; others may have heard it. */
type Moment = 'executed' | 'saved' | 'voted'

function killed(id: string, after: number) {
  const actors = ideals()
  const world = new World({ seed: after, network: calm, record: true })
  const spec = { peers: SERVERS, vocabulary: ledgerVocabulary }
  for (const server of SERVERS) {
    const protocol = ledgerServer(serverSettings(actors, server))
    world.add({ id: server, protocol, saved: firstDisk(server), diskMax: DISK_MAX, ...spec })
  }
  world.add({ id: 'client', protocol: ledgerClient({ ...ledgerDefaults, suite: actors.suite }), ...spec })
  const events: LedgerEvent[] = []
  const lied: string[] = []
  world.listen((node, event) => {
    if (node.spec.id === 'client') events.push(event as LedgerEvent)
    else if ((event as LedgerServerEvent).kind === 'lied') lied.push(node.spec.id)
  })
  for (const each of [...SERVERS, 'client']) world.start(each)
  const coins = makeLedger(actors, { name: 'coins', servers: SERVERS, crashes: 1, liars: 0, balances: { alice: 9n } })
  world.command('client', { kind: 'create', id: 1, genesis: encodeDescriptor(coins) })
  world.command('client', { kind: 'open', genesis: encodeDescriptor(coins) })
  world.run(world.now + SECOND)
  const pay = (sequence: number) => {
    const to = actors.signer('bob').publicKey
    const fields = { register: 0, sequence, asset: coins.id, to, amount: 1n, until: 1_000, memo: '' }
    const leaf = signed(actors, coins, 'alice', { kind: 'transfer', ...fields })
    world.command('client', { kind: 'submit', id: 10 + sequence, ledger: coins.hex, leaf })
  }
  const held = (server: string) => (world.node(server).host!.state as LedgerServerState).ledgers.get(coins.hex)!
  pay(0)
  world.run(world.now + after)
  const at = world.now
  const isExecuted = held(id).round.proposals.size > 0
  world.crash(id)
  const isSaved = [...world.node(id).disk.read().values()].flat().some(record => {
    const read = decode(ledgerRecord, record)
    return read.ok && read.value.kind === 'voted'
  })
  world.run(world.now + SECOND / 20)
  world.start(id)
  world.run(world.now + 5 * SECOND)
  pay(1)
  world.run(world.now + 10 * SECOND)
  const isHeard = world.trace.some(
    one => one.kind === 'deliver' && one.from === id && one.what.startsWith('vote ') && (one.sentAt ?? 0) <= at,
  )
  const moment: Moment | undefined = isHeard ? 'voted' : isSaved ? 'saved' : isExecuted ? 'executed' : undefined
  const receipts = events.flatMap(event => (event.kind === 'receipt' ? [event.receipt] : []))
  const roots = SERVERS.map(server => toHex(held(server).head.root))
  return { moment, isKept: isSaved || !isHeard, receipts, roots, lied, coins, suite: actors.suite }
}

describe.each(SERVERS)('%s, killed at each moment of a height', id => {
  it('keeps what it promised; both payments end, once', () => {
    const seen = new Map<Moment, number>()
    for (const after of MOMENTS) {
      const { moment, isKept, receipts, roots, lied, coins, suite } = killed(id, after)
      expect(isKept, `others heard a vote that is on no disk, after ${after} µs`).toBe(true)
      if (moment !== undefined) seen.set(moment, (seen.get(moment) ?? 0) + 1)
      expect(receipts.map(({ index }) => index).sort(), `after ${after} µs`).toEqual([0, 1])
      for (const receipt of receipts) expect(verifyReceipt(receipt, coins, suite).kind).toBe('transfer')
      expect(new Set(roots).size, `after ${after} µs`).toBe(1)
      expect(lied).toEqual([])
    }
    expect([...seen.keys()].sort()).toEqual(['executed', 'saved', 'voted'])
  })
})
