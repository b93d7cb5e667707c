// A whole group inside the calling process: no configuration, no server, no file. The same machines, driven in
// memory. It coordinates the parts of one program, and is what examples and tests of users' code run on.
// It has no keeper: a program that blocks blocks its servers as well, and they are as late as it is.

import { type Millis, NOTHING_SAVED, type TrustSettings, trust } from '../core/index.ts'
import { clientNode, firstStart, nodeVocabulary, serverNode } from '../node/index.ts'
import type { Applier } from '../ordering/index.ts'
import { granterClock, holderClock, tellTime, wallMicros } from '../runtime/clock.ts'
import { Driver } from '../runtime/driver.ts'
import { sha256 } from '../runtime/hash.ts'
import { ledgerCryptoOf, newVotingSeed, voterOf } from '../runtime/ledger.ts'
import { silence } from '../runtime/log.ts'
import { createMemoryStorage } from '../runtime/storage/memory.ts'
import { createMemoryNetwork, instanceOf, type MemoryNetwork, newInstance } from '../runtime/transport/index.ts'
import { Group } from './group.ts'

/** The group that `embedded` makes: how many servers, and what they mask. */
export interface EmbeddedOptions extends TrustSettings {
  /** The longest lease, in milliseconds. Default a minute. */
  readonly ttlMax?: Millis
  /** How far clock rates may differ from true. Default 0.01. */
  readonly drift?: number
}

const TTL_MAX_DEFAULT_MS = 60_000
const DRIFT_DEFAULT = 0.01
const SELF = 'embedded'

/** A whole group in this process, without network and disk: for tests, and to try things out. */
export async function embedded(options: EmbeddedOptions = {}): Promise<Group> {
  const settings = {
    trust: trust(options),
    // Who runs the process operates its group.
    operators: [SELF],
    lock: { ttlMax: options.ttlMax ?? TTL_MAX_DEFAULT_MS, drift: options.drift ?? DRIFT_DEFAULT },
  }
  const network = createMemoryNetwork()
  const servers = Array.from({ length: settings.trust.servers }, (_, place) => `server-${place + 1}`)
  const stops: (() => Promise<void>)[] = []
  for (const server of servers) stops.push(await startServer(server, servers, settings, network))
  const clock = holderClock()
  const ledgerCrypto = ledgerCryptoOf()
  const appliers = new Map<string, Applier>()
  const self = instanceOf(SELF, newInstance())
  const driver = new Driver({
    protocol: clientNode(settings, { hash: sha256, findApplier: object => appliers.get(object), ledgerCrypto }),
    self,
    peers: servers,
    vocabulary: nodeVocabulary,
    clock,
    log: silence,
    saved: NOTHING_SAVED,
    event: event => group.event(event),
    failed: error => group.ended(error),
  })
  const group: Group = new Group(
    { trust: settings.trust, ...settings.lock, servers },
    {
      command: body => driver.command(body),
      now: clock,
      wallMicros,
      appliers,
      async close() {
        await driver.stop()
        await transport.close()
        for (const stop of stops) await stop()
      },
    },
  )
  const transport = network.join(self, driver.events)
  driver.start(transport)
  return group
}

async function startServer(
  self: string,
  peers: readonly string[],
  settings: Parameters<typeof serverNode>[0],
  network: MemoryNetwork,
): Promise<() => Promise<void>> {
  const storage = await createMemoryStorage().open(error => {
    throw error
  })
  const driver = new Driver({
    protocol: serverNode(settings, { hash: sha256, ledgerCrypto: ledgerCryptoOf(), voter: voterOf(newVotingSeed()) }),
    self,
    peers,
    vocabulary: nodeVocabulary,
    clock: granterClock,
    log: silence,
    storage,
    saved: firstStart,
    background: true,
    event: () => {},
    // A machine that breaks its own invariant must not go on in silence inside somebody's program.
    failed: error => {
      throw error
    },
  })
  const transport = network.join(self, driver.events)
  driver.start(transport)
  const endTime = tellTime(micros => {
    driver.command({ part: 'lock', body: { kind: 'clock', micros } })
    if (settings.trust.orderingQuorum !== undefined)
      driver.command({ part: 'ordering', body: { kind: 'clock', micros } })
  })
  return async () => {
    endTime()
    await driver.stop()
    await transport.close()
    await storage.close()
  }
}
