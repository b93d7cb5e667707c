// A server of ours that says yes to everybody, over the real transport and under its own certificate: also to those
// who wait in its list, at once and as often as they ask.

import { type AnyProtocol, compose, NOTHING_SAVED, SettingsError } from '../../src/core/index.ts'
import { type LockMessage, lockDefaults, lockServer } from '../../src/lock/index.ts'
import { alwaysYes } from '../../src/lock/proof/index.ts'
import { nodeVocabulary } from '../../src/node/index.ts'
import { granterClock } from '../../src/runtime/clock.ts'
import { serverSettings } from '../../src/runtime/config/agreed.ts'
import { loadNodeConfig } from '../../src/runtime/config/config.ts'
import { Driver } from '../../src/runtime/driver.ts'
import { silence } from '../../src/runtime/log.ts'
import { createTlsTransport } from '../../src/runtime/transport/index.ts'

type Parts = { readonly lock: AnyProtocol; readonly ordering?: AnyProtocol }

/** `folder` is a server's, as `coterie init` made it. */
export async function startLyingServer(folder: string): Promise<{ stop(): Promise<void> }> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'server') throw new SettingsError(`${config.file} is not a server's`)
  const { group } = config
  const honest = lockServer({ ...lockDefaults, ...group.lock, liars: group.trust.liars })
  const driver = new Driver({
    protocol: compose<Parts>('server', { lock: givingToAll(alwaysYes.corrupt(honest)) }),
    self: config.name,
    peers: group.servers.map(server => server.name),
    vocabulary: nodeVocabulary,
    clock: granterClock,
    log: silence,
    saved: NOTHING_SAVED,
    event: () => {},
    failed: error => {
      throw error
    },
  })
  const listen = { host: config.listen, port: config.address.port }
  const transport = await createTlsTransport(
    { credentials: config, authority: config.authority, log: silence, settings: serverSettings(config.group), listen },
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

function givingToAll(liar: AnyProtocol): AnyProtocol {
  return {
    name: `${liar.name}, giving to all`,
    init: liar.init,
    step(state, input, turn) {
      const body = input.kind === 'message' ? (input.body as LockMessage) : undefined
      if (input.kind !== 'message' || body?.kind !== 'wait') return liar.step(state, input, turn)
      const { name, attempt, token, ping, ttl } = body
      const given: LockMessage = { kind: 'given', name, attempt, token, grant: 1, ping, held: ttl }
      turn.do({ kind: 'send', to: input.from, body: given })
    },
  }
}
