// Many payments at once: how many heights, words and looks at signatures they take. A server that is a moment behind must not
// be left behind, and what is in order must not be said again.

import { describe, expect, it } from 'vitest'
import type { AnyProtocol } from '../core/index.ts'
import { calm, World } from '../simulator/index.ts'
import { ledgerClient } from './client/machine.ts'
import type { LedgerEvent } from './client/state.ts'
import { encodeDescriptor } from './genesis.ts'
import { type Actors, firstDisk, ideals, makeLedger, serverSettings, signed } from './proof/actors.ts'
import { ledgerServer } from './server/machine.ts'
import type { LedgerServerState } from './server/state.ts'
import { ledgerDefaults } from './settings.ts'
import { ledgerVocabulary } from './wire.ts'

const OWNERS = Array.from({ length: 32 }, (_, place) => `owner ${place}`)
const EACH = 10
const PAID = OWNERS.length * EACH

/** Counts what a node says, by kind. */
function counted(protocol: AnyProtocol, counts: Map<string, number>): AnyProtocol {
  return {
    ...protocol,
    step: (state, input, turn) =>
      protocol.step(state, input, {
        get now() {
          return turn.now
        },
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          const kind = effect.kind === 'send' ? String((effect.body as { kind: string }).kind) : effect.kind
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
          turn.do(effect)
        },
      }),
  }
}

/** How often each server looks at a signature of an account. */
function looking(actors: Actors, looks: Map<string, number>, server: string) {
  const settings = serverSettings(actors, server)
  const owners = new Set(OWNERS.map(owner => String(actors.signer(owner).publicKey)))
  const verify: typeof settings.suite.verify = (key, message, signature) => {
    if (owners.has(String(key))) looks.set(server, (looks.get(server) ?? 0) + 1)
    return settings.suite.verify(key, message, signature)
  }
  return { ...settings, suite: { ...settings.suite, verify } }
}

function crowd(spread: number) {
  const actors = ideals()
  const servers = ['s1', 's2', 's3', 's4']
  const network = { ...calm, delaySpread: spread }
  const world = new World({ seed: 7, network })
  const counts = new Map<string, number>()
  const looks = new Map<string, number>()
  const spec = { peers: servers, vocabulary: ledgerVocabulary }
  for (const id of servers) {
    const protocol = counted(ledgerServer(looking(actors, looks, id)), counts)
    world.add({ id, protocol, saved: firstDisk(id), ...spec })
  }
  const settings = { ...ledgerDefaults, suite: actors.suite, liars: 0, crashes: 1 }
  world.add({ id: 'client', protocol: ledgerClient(settings), ...spec })
  for (const id of [...servers, 'client']) world.start(id)
  const balances = Object.fromEntries(OWNERS.map(owner => [owner, 1_000n]))
  const coins = makeLedger(actors, { name: 'coins', servers, crashes: 1, liars: 0, balances })
  world.command('client', { kind: 'create', id: 1, genesis: encodeDescriptor(coins) })
  world.command('client', { kind: 'open', genesis: encodeDescriptor(coins) })
  world.run(world.now + 1_000_000)
  const paid = OWNERS.map(() => 0)
  const pay = (owner: number) => {
    const leaf = signed(actors, coins, OWNERS[owner]!, {
      kind: 'transfer',
      register: 0,
      sequence: paid[owner]!,
      asset: coins.id,
      to: actors.signer(OWNERS[(owner + 1) % OWNERS.length]!).publicKey,
      amount: 1n,
      until: 10_000,
      memo: '',
    })
    world.command('client', { kind: 'submit', id: 100 + owner, ledger: coins.hex, leaf })
  }
  world.listen((node, event) => {
    const { kind, id } = event as LedgerEvent
    if (node.spec.id !== 'client' || kind !== 'receipt') return
    paid[id - 100]!++
    if (paid[id - 100]! < EACH) pay(id - 100)
  })
  counts.clear()
  for (const place of OWNERS.keys()) pay(place)
  world.run(world.now + 5_000_000)
  expect(paid).toEqual(OWNERS.map(() => EACH))
  const served = servers.map(id => (world.node(id).host!.state as LedgerServerState).ledgers.get(coins.hex)!)
  return { counts, looks, served }
}

describe('many payments at once', () => {
  it('share heights, and each server looks at each signature once', () => {
    const { looks, served } = crowd(3_000)
    expect([...looks.values()]).toEqual([PAID, PAID, PAID, PAID])
    for (const { head } of served) {
      expect(head.size).toBe(PAID)
      expect(head.height).toBeLessThan(PAID / 10)
    }
  })
  it('no server is left behind, and no certificate is shown to one that has it', () => {
    const { counts, served } = crowd(3_000)
    const [{ head }] = served as [(typeof served)[0]]
    const said = (kind: string) => counts.get(kind) ?? 0
    expect(said('page')).toBe(0)
    expect(said('certified')).toBe(0)
    expect(said('propose')).toBe(3 * head.height)
    expect(said('vote')).toBe(4 * 3 * head.height)
  })
  it('receipts of one height go to a client together', () => {
    const { counts, served } = crowd(3_000)
    const [{ head }] = served as [(typeof served)[0]]
    expect(counts.get('receipt') ?? 0).toBe(0)
    expect(counts.get('receipts')).toBeLessThanOrEqual(4 * head.height)
  })
})
