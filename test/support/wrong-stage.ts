// What wrong uses are tried on: an embedded group, and a member, a ledger and a secret channel behind which nobody is. A wrong use
// is refused before anybody is asked.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ledger } from '../../src/client/ledger/ledger.ts'
import { MemberGroup } from '../../src/client/member-group.ts'
import { JoinedGroup } from '../../src/client/peers/joined-group.ts'
import { type Carrier, carried, embedded, newAccount, trust } from '../../src/index.ts'
import { describeGenesis, fromHex } from '../../src/ledger/index.ts'
import { newChannel } from '../../src/runtime/channels.ts'
import { ledgerCryptoOf } from '../../src/runtime/ledger.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import type { Stage } from './wrong-use.ts'

export interface WrongStage extends Stage, AsyncDisposable {
  /** The same, for one who entered: a member that is a client, too. */
  readonly entered: Stage
}

export async function wrongStage(): Promise<WrongStage> {
  const folder = await mkdtemp(join(tmpdir(), 'coterie-wrong-'))
  const group = await embedded({ crashes: 1 })
  const joined = unservedMember()
  const channel = await silentChannel(folder)
  const stage = { group, tree: group.tree(), joined, ledger: unservedLedger(), channel }
  const entered = new MemberGroup(
    { trust: trust({ servers: 1, crashes: 0 }), ttlMax: 60_000, drift: 0.01, servers: ['s1'] },
    { command() {}, now: () => 0, wallMicros: () => 0, async close() {} },
  )
  entered.become(joined)
  return {
    ...stage,
    // It has every method of a member.
    entered: { ...stage, joined: entered as unknown as JoinedGroup },
    async [Symbol.asyncDispose]() {
      await Promise.all([group.close(), joined.close(), channel.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function unservedMember(): JoinedGroup {
  const node = {
    terms: { drift: 0.01, liars: 0 },
    command() {},
    now: () => 0,
    isOperator: () => false,
    async stop() {},
  }
  return new JoinedGroup('anna', node, {})
}

function unservedLedger(): Ledger {
  const servers = ['s1', 's2', 's3', 's4'].map(name => {
    return { name, key: fromHex(newAccount().key)!, salt: new Uint8Array(16) }
  })
  const genesis = {
    name: 'coins',
    asset: 'coin',
    registers: ['coins'],
    balances: [],
    operators: [],
    operatorsNeeded: 0,
  }
  // Nobody is asked anything: all that is there is what it knows of itself.
  return new Ledger(
    { newest: <T>(descriptor: T) => descriptor } as never,
    describeGenesis({ ...genesis, servers, crashes: 1, liars: 0 }, ledgerCryptoOf()),
  )
}

const nowhere: Carrier = {
  url: 'nowhere',
  open: async () => ({ isConnected: true, listen() {}, leave() {}, send() {}, async flush() {}, async close() {} }),
}

async function silentChannel(folder: string) {
  const dir = join(folder, 'shop')
  await initGroup({ dir, servers: 1, liars: 0, crashes: 0, clients: ['till'] })
  const terms = { mode: 'tagged', searchable: [{ attribute: 'symbol', search: { kind: 'equal' } }] } as const
  await newChannel(dir, 'prices', { readers: ['till'], writers: ['till'] }, terms)
  return carried({ identity: join(dir, 'clients', 'till'), channel: 'prices', carriers: [nowhere] })
}
