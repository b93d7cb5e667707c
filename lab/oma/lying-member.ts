// A member of ours that lies about slots, over the real transport and under its own certificate. It runs nothing but one
// slots group: the others hear no gossip of it, and need none.

import { createPrivateKey, randomBytes } from 'node:crypto'
import { type SlotsOptions, settingsOf } from '../../src/client/peers/slots-settings.ts'
import { type AnyProtocol, compose, type Effect, NOTHING_SAVED, SettingsError } from '../../src/core/index.ts'
import { type Group, ristretto } from '../../src/crypto/index.ts'
import type { ManySlotsMessage } from '../../src/node/many-slots.ts'
import { memberVocabulary } from '../../src/node/member.ts'
import { opensslSignatures, opensslSigner } from '../../src/runtime/certificates/signatures.ts'
import { granterClock } from '../../src/runtime/clock.ts'
import { memberSettings } from '../../src/runtime/config/agreed.ts'
import { loadNodeConfig, type MemberConfig } from '../../src/runtime/config/config.ts'
import { Driver } from '../../src/runtime/driver.ts'
import { silence } from '../../src/runtime/log.ts'
import { createMemoryStorage } from '../../src/runtime/storage/memory.ts'
import { createTlsTransport } from '../../src/runtime/transport/index.ts'
import { performShuffleWork, type SlotsEvent, type SlotsMessage, slotsMember } from '../../src/slots/index.ts'
import { slotsLiars } from '../../src/slots/proof/index.ts'

/** `folder` is a member's, as `coterie init --members` made it; name and options as the others have them. */
export async function startLyingMember(
  folder: string,
  name: string,
  options: SlotsOptions,
  lie: string,
): Promise<{ stop(): Promise<void> }> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'member') throw new SettingsError(`${config.file} is not a member's`)
  const group = await ristretto()
  const storage = await createMemoryStorage().open(() => {})
  const driver: Driver<unknown, unknown, unknown, unknown> = new Driver({
    protocol: compose('member', { slots: named(name, lyingMachine(config, group, name, options, lie)) }) as AnyProtocol,
    self: config.name,
    peers: config.group.membership.members.map(member => member.name),
    vocabulary: memberVocabulary as never,
    clock: granterClock,
    log: silence,
    storage,
    saved: NOTHING_SAVED,
    event(event) {
      const said = (event as { readonly body: SlotsEvent }).body
      if (said.kind !== 'work') return
      const answer = performShuffleWork(group, said.request, length => new Uint8Array(randomBytes(length)))
      driver.command({ part: 'slots', body: { kind: 'worked', id: said.id, answer } })
    },
    failed: error => {
      throw error
    },
  })
  const listen = { host: config.listen, port: config.address.port }
  const addresses = new Map(config.group.membership.members.map(({ name, host, port }) => [name, { host, port }]))
  const transport = await createTlsTransport(
    {
      credentials: config,
      authority: config.authority,
      log: silence,
      settings: memberSettings(config.group),
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

function lyingMachine(config: MemberConfig, group: Group, name: string, options: SlotsOptions, lie: string) {
  const { membership, lock } = config.group
  const settings = settingsOf(name, options, { drift: lock.drift, liars: membership.liars })
  const signer = opensslSigner(secretOf(config.key))
  const liar = slotsLiars({ group, signer, known: [] }).find(one => one.name === lie)
  if (liar === undefined) throw new SettingsError(`there is no liar ${lie}`)
  const members = membership.members.map(member => ({
    name: member.name,
    identity: new Uint8Array(Buffer.from(member.publicKey, 'hex')),
  }))
  return liar.corrupt(slotsMember({ settings, members, group, signer, signatures: opensslSignatures() }))
}

function secretOf(pem: string): Uint8Array {
  const { d } = createPrivateKey(pem).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(d!, 'base64url'))
}

/** The machine of one name, with its words addressed as those of a whole member are. */
function named(name: string, machine: AnyProtocol): AnyProtocol {
  const address = (effect: Effect<SlotsMessage, SlotsEvent>): Effect<ManySlotsMessage, SlotsEvent> =>
    effect.kind === 'send' ? { ...effect, body: { kind: 'verified', name, body: effect.body } } : effect
  return {
    name: machine.name,
    init: machine.init,
    step(state, input, turn) {
      const told = input.kind === 'message' ? { ...input, body: (input.body as ManySlotsMessage).body } : input
      machine.step(state, told, {
        now: turn.now,
        below: bound => turn.below(bound),
        bytes: length => turn.bytes(length),
        do: effect => turn.do(address(effect)),
      })
    },
  }
}
