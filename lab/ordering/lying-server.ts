// A server of ours that lies about objects, over the real transport and under its own certificate. For each thing that
// it is asked it chooses again how to lie: it shows every client another proposal, refuses ranks that nobody raised,
// invents operations, replays old words, or answers some clients only.

import { type AnyProtocol, compose, encode, SettingsError } from '../../src/core/index.ts'
import { lockDefaults, lockServer } from '../../src/lock/index.ts'
import { firstStart, nodeVocabulary } from '../../src/node/index.ts'
import { orderingDefaults, orderingServer, orderingVocabulary } from '../../src/ordering/index.ts'
import { orderingLiars } from '../../src/ordering/proof/index.ts'
import { granterClock } from '../../src/runtime/clock.ts'
import { serverSettings } from '../../src/runtime/config/agreed.ts'
import { loadNodeConfig, type ServerConfig } from '../../src/runtime/config/config.ts'
import { Driver } from '../../src/runtime/driver.ts'
import { sha256 } from '../../src/runtime/hash.ts'
import { silence } from '../../src/runtime/log.ts'
import { createMemoryStorage } from '../../src/runtime/storage/memory.ts'
import { createTlsTransport } from '../../src/runtime/transport/index.ts'
import type { Liar } from '../../src/simulator/index.ts'

/** `folder` is a server's, as `coterie init` made it; `lies` are names of liars, by default all of them. */
export async function startLyingObjects(
  folder: string,
  lies: readonly string[] = [],
): Promise<{ stop(): Promise<void> }> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'server') throw new SettingsError(`${config.file} is not a server's`)
  const storage = await createMemoryStorage().open(() => {})
  const driver = new Driver({
    protocol: lyingNode(config, lies),
    self: config.name,
    peers: config.group.servers.map(server => server.name),
    vocabulary: nodeVocabulary,
    clock: granterClock,
    log: silence,
    storage,
    saved: firstStart,
    event: () => {},
    failed: error => {
      throw error
    },
  })
  const listen = { host: config.listen, port: config.address.port }
  const addresses = new Map(config.group.servers.map(({ name, host, port }) => [name, { host, port }]))
  const transport = await createTlsTransport(
    {
      credentials: config,
      authority: config.authority,
      log: silence,
      settings: serverSettings(config.group),
      listen,
      addresses,
    },
    driver.events,
  )
  driver.start(transport)
  return {
    async stop() {
      await driver.stop()
      await transport.close()
    },
  }
}

function lyingNode({ group }: ServerConfig, lies: readonly string[]): AnyProtocol {
  const { liars, crashes } = group.trust
  const lock = lockServer({ ...lockDefaults, ...group.lock, liars })
  const honest = orderingServer({
    ...orderingDefaults,
    liars,
    crashes,
    ...group.objects,
    drift: group.lock.drift,
    hash: sha256,
  })
  const chosen = orderingLiars(sha256).filter(({ name }) => lies.length === 0 || lies.includes(name))
  if (chosen.length === 0) throw new SettingsError(`there is no liar ${lies.join(', ')}`)
  return compose('server', { lock, ordering: speakable(inTurn(chosen, honest)) })
}

/** One machine that lies now like this one, now like that one: they share the state of the honest machine. */
function inTurn(liars: readonly Liar[], honest: AnyProtocol): AnyProtocol {
  const machines = liars.map(liar => liar.corrupt(honest))
  return {
    name: `${honest.name}, lying`,
    init: honest.init,
    step(state, input, turn) {
      machines[turn.below(machines.length)]!.step(state, input, turn)
    },
  }
}

/** A lie that does not fit into its field cannot be put on the wire: it is left out. */
function speakable(liar: AnyProtocol): AnyProtocol {
  return {
    name: liar.name,
    init: liar.init,
    step(state, input, turn) {
      liar.step(state, input, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do(effect) {
          if (effect.kind !== 'send' || fits(effect.body)) turn.do(effect)
        },
      })
    },
  }
}

function fits(body: unknown): boolean {
  try {
    encode(orderingVocabulary, body as Parameters<typeof orderingVocabulary.write>[1])
    return true
  } catch {
    return false
  }
}
