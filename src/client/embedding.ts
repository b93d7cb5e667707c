// A whole group inside the calling process: no configuration, no server, no file. The same machines, driven in
// memory. It coordinates the parts of one program, and is what examples and tests of users' code run on.
// It has no keeper: a program that blocks blocks its servers as well, and they are as late as it is.

import {
  between,
  type Millis,
  NOTHING_SAVED,
  optionsSchema,
  type TrustSettings,
  trust,
  trustRules,
  whole,
} from '../core/index.ts'
import { CONTENT_BYTES_MAX } from '../events/limits.ts'
import { clientNode } from '../node/client.ts'
import type { serverNode } from '../node/server.ts'
import type { ObjectParts } from '../node/settings.ts'
import { nodeVocabulary } from '../node/words.ts'
import type { Applier, Hash } from '../ordering/index.ts'
import { granterClock, holderClock, tellTime, wallMicros } from '../runtime/clock.ts'
import { Driver } from '../runtime/driver.ts'
import { silence } from '../runtime/log.ts'
import { createMemoryStorage } from '../runtime/storage/memory.ts'
import { instanceOf, newInstance } from '../runtime/transport/instance.ts'
import { createMemoryNetwork, type MemoryNetwork } from '../runtime/transport/memory.ts'
import type { Group, GroupDriver, GroupShape } from './group.ts'
import { openRecipes } from './objects/group-recipes.ts'

/** The group that `embedded` makes: how many servers, and what they mask. */
export interface EmbeddedOptions extends TrustSettings {
  /** The longest lease, in milliseconds. Default a minute. */
  readonly ttlMax?: Millis
  /** How far clock rates may differ from true. Default 0.01. */
  readonly drift?: number
  /** Bytes of events that each server keeps in memory. Default 64 MB. */
  readonly keepMax?: number
}

const TTL_MAX_DEFAULT_MS = 60_000
const DRIFT_DEFAULT = 0.01
const SELF = 'embedded'
/** As in a group's settings. */
const DRIFT_MAX = 0.2
const TTL_MIN_MS = 20
const TTL_MAX_MS = 3_600_000

const KEEP_MAX = 1_000_000_000_000

const checkOptions = optionsSchema<EmbeddedOptions>({
  ...trustRules,
  ttlMax: whole(TTL_MIN_MS, TTL_MAX_MS, 'milliseconds'),
  drift: between(0, DRIFT_MAX),
  keepMax: whole(CONTENT_BYTES_MAX, KEEP_MAX, 'bytes'),
})

/** What a group in one process is made with: OpenSSL's functions in Node, those in TypeScript in a tab. */
export interface EmbeddedParts {
  readonly hash: Hash
  /** Without these the group has no events. */
  readonly events?: {
    readonly brings: NonNullable<ObjectParts['events']>
    clientPart(settings: Parameters<typeof clientNode>[0]): Parameters<typeof clientNode>[1]['events']
    readonly open: NonNullable<GroupDriver['openEvents']>
  }
  /** Without these the group keeps no ledgers. */
  readonly ledgers?: {
    readonly crypto: NonNullable<ObjectParts['ledgerCrypto']>
    /** Undefined where the group is too small for ledgers. */
    clientPart(settings: Parameters<typeof clientNode>[0]): Parameters<typeof clientNode>[1]['ledger']
    readonly open: NonNullable<GroupDriver['openLedgers']>
    /** Of a new server. */
    newVoter(): NonNullable<ObjectParts['voter']>
  }
}

/** A whole group in this process or tab. */
export async function embed<G extends Group>(
  options: EmbeddedOptions,
  { hash, ledgers, events }: EmbeddedParts,
  create: (shape: GroupShape, driver: GroupDriver) => G,
): Promise<G> {
  checkOptions('embedded', options)
  const { ttlMax: _ttlMax, drift: _drift, keepMax, ...trustSettings } = options
  const settings = {
    trust: trust(trustSettings),
    // Who runs the process operates its group.
    operators: [SELF],
    lock: { ttlMax: options.ttlMax ?? TTL_MAX_DEFAULT_MS, drift: options.drift ?? DRIFT_DEFAULT },
    ...(keepMax !== undefined && { events: { keepMax, keepAllMax: keepMax } }),
  }
  const network = createMemoryNetwork()
  const servers = Array.from({ length: settings.trust.servers }, (_, place) => `server-${place + 1}`)
  const stops: (() => Promise<void>)[] = []
  for (const server of servers)
    stops.push(await startServer(server, { servers, settings, network, hash, ledgers, events }))
  const clock = holderClock()
  const appliers = new Map<string, Applier>()
  const self = instanceOf(SELF, newInstance())
  const driver = new Driver({
    protocol: clientNode(settings, {
      hash,
      findApplier: object => appliers.get(object),
      ledger: ledgers?.clientPart(settings),
      events: events?.clientPart(settings),
    }),
    self,
    peers: servers,
    vocabulary: nodeVocabulary,
    clock,
    log: silence,
    saved: NOTHING_SAVED,
    event: event => group.event(event),
    failed: error => group.ended(error),
  })
  const group: G = create(
    { trust: settings.trust, ...settings.lock, servers, ...(keepMax !== undefined && { keepMax }) },
    {
      command: body => driver.command(body),
      now: clock,
      wallMicros,
      appliers,
      openRecipes,
      ...(events && { openEvents: events.open }),
      ...(ledgers && { openLedgers: ledgers.open, keepsLedgers: true }),
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

interface Place {
  readonly servers: readonly string[]
  readonly settings: Parameters<typeof serverNode>[0]
  readonly network: MemoryNetwork
  readonly hash: Hash
  readonly ledgers: EmbeddedParts['ledgers']
  readonly events: EmbeddedParts['events']
}

async function startServer(self: string, place: Place): Promise<() => Promise<void>> {
  // Servers' machines are loaded by who runs servers.
  const { firstStart, serverNode } = await import('../node/server.ts')
  const { servers: peers, settings, network, hash, ledgers, events } = place
  const storage = await createMemoryStorage().open(error => {
    throw error
  })
  const driver = new Driver({
    protocol: serverNode(settings, {
      hash,
      ...(ledgers && { ledgerCrypto: ledgers.crypto, voter: ledgers.newVoter() }),
      ...(events && { events: events.brings }),
    }),
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
    if (events !== undefined) driver.command({ part: 'events', body: { kind: 'clock', micros } })
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
