// How long a height takes where its leader proposes one thing to some and another to the others: whole servers in the
// simulator, with the times of a group that sets nothing, on a calm network.

import { ledgerClient } from '../../src/ledger/client/machine.ts'
import { encodeDescriptor } from '../../src/ledger/index.ts'
import { leaderOf } from '../../src/ledger/leaders.ts'
import {
  firstDisk,
  ideals,
  makeLedger,
  serverSettings,
  signed,
  type VotingGroup,
} from '../../src/ledger/proof/index.ts'
import { ledgerServer } from '../../src/ledger/server/machine.ts'
import { ledgerDefaults } from '../../src/ledger/settings.ts'
import { ledgerVocabulary } from '../../src/ledger/wire.ts'
import { calm, type Liar, twisting, World } from '../../src/simulator/index.ts'

/** What one height took. */
export interface Height {
  /** That certified it. */
  readonly attempt: number
  /** From the payment's being handed in to the first certificate. */
  readonly millis: number
}

const MILLISECOND = 1_000
const LONGEST = 30_000 * MILLISECOND

/** Payments one after the other, each a height of its own, while the liar leads: with that liar, or with none. */
export function heightsOf(group: VotingGroup, lies: boolean, heights: number, seed: number): readonly Height[] {
  const servers = Array.from({ length: group.servers }, (_, place) => `server-${place + 1}`)
  const liar = lies ? servers[leaderOf(1, 1, group.servers)] : undefined
  const actors = ideals()
  const world = new World({ seed, network: calm })
  const coins = makeLedger(actors, { ...group, name: 'coins', servers, balances: { alice: 1_000n, liar: 1_000n } })
  const pay = (owner: string, sequence: number): Uint8Array => {
    const fields = { register: 0, sequence, asset: coins.id, amount: 1n, until: 10_000, memo: '' }
    const to = actors.signer('bob').publicKey
    return signed(actors, coins, owner, { kind: 'transfer', ...fields, to })
  }
  const spec = { peers: servers, vocabulary: ledgerVocabulary }
  for (const id of servers) {
    const honest = ledgerServer({ ...serverSettings(actors, id), ...ledgerDefaults })
    const protocol = id === liar ? twoFaced(pay('liar', 0)).corrupt(honest) : honest
    world.add({ id, protocol, saved: firstDisk(id), ...spec })
    world.start(id)
  }
  const trust = { liars: group.liars, crashes: group.crashes }
  world.add({ id: 'client', protocol: ledgerClient({ ...ledgerDefaults, suite: actors.suite, ...trust }), ...spec })
  world.start('client')
  const certified = new Map<number, Height>()
  let began = 0
  world.listen((node, event) => {
    const { kind, checkpoint } = event as { kind: string; checkpoint?: { height: number; attempt: number } }
    if (kind !== 'certified' || checkpoint === undefined || node.spec.id === liar) return
    const { height, attempt } = checkpoint
    if (!certified.has(height)) certified.set(height, { attempt, millis: (world.now - began) / MILLISECOND })
  })
  world.command('client', { kind: 'create', id: 1, genesis: encodeDescriptor(coins) })
  world.command('client', { kind: 'open', genesis: encodeDescriptor(coins) })
  world.run(world.now + 1_000 * MILLISECOND)
  for (let height = 1; height <= heights; height++) {
    began = world.now
    world.command('client', { kind: 'submit', id: 1 + height, ledger: coins.hex, leaf: pay('alice', height - 1) })
    while (!certified.has(height) && world.now < began + LONGEST) world.run(world.now + MILLISECOND)
    // All have it before the next begins.
    world.run(world.now + 500 * MILLISECOND)
  }
  return [...certified.values()]
}

/** Proposes what it should to every second server, and a payment of its own to the others. */
function twoFaced(own: Uint8Array): Liar {
  return twisting('two-faced', (send, turn) => {
    const { kind } = send.body
    const other = kind === 'propose' && Number(send.to.split('-')[1]) % 2 === 0
    turn.do({ ...send, body: other ? { ...send.body, leaves: [own] } : send.body })
  })
}

/** How long a first attempt lasts, in milliseconds. */
export const FIRST_ATTEMPT = ledgerDefaults.attemptMax
