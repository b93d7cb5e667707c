// One member of a group: config, store, keys, transport and the node, started and stopped in order. Its peers dial it
// and it dials them; whom it does not know from its settings, it learns of by gossip, address included.

import { createPrivateKey, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type BanditKeys, type BanditTools, banditRules } from '../bandits/index.ts'
import { FileError, type Millis, type NodeId, type Saved } from '../core/index.ts'
import { type Group, ristretto, x25519Sealing } from '../crypto/index.ts'
import {
  type Attribute,
  type Counting,
  countingKey,
  electionDefaults,
  firstElectorate,
  type Newcomer,
} from '../election/index.ts'
import { interestBasics } from '../events/interest/settings.ts'
import { routingBasics } from '../events/routing/settings.ts'
import { isOperator } from '../lock/index.ts'
import { type MemberView, membershipDefaults, type NamedKey, type NamedValue } from '../membership/index.ts'
import {
  type MemberCommand,
  type MemberEvent,
  type MemberNode,
  type MemberSettings,
  memberFirstStart,
  memberNode,
  memberVocabulary,
} from '../node/member.ts'
import { treesFor } from '../node/routing.ts'
import { opensslBanditTools } from './bandit-tools.ts'
import { type Admits, admission, identityBytes } from './certificates/admission.ts'
import { bytesOf, countingOf } from './certificates/counting-keys.ts'
import { opensslSignatures, opensslSigner } from './certificates/signatures.ts'
import { granterClock } from './clock.ts'
import { memberSettings } from './config/agreed.ts'
import { COUNT_KEY_FILE, type MemberAddress, type MemberConfig } from './config/config.ts'
import { type Disguise, Driver, type DriverOf } from './driver.ts'
import { openNodeStore } from './first-start.ts'
import { sha256 } from './hash.ts'
import type { Book } from './metrics/book.ts'
import type { memberMetrics } from './metrics/names.ts'
import { measureTraffic } from './metrics/traffic.ts'
import { openWorkshop, takeWork } from './slots-work.ts'
import { createLogStorage } from './storage/log.ts'
import type { Storage, Store } from './storage/storage.ts'
import { createTlsTransport, type Log, portInUse, type TlsTransport } from './transport/index.ts'

export interface RunningMember {
  /** What its group agreed on, and every slots group of it begins with. */
  readonly terms: { readonly drift: number; readonly liars: number }
  /** Where it keeps what is not in its store. */
  readonly folder?: string
  command(body: MemberCommand): void
  now(): Millis
  isOperator(client: NodeId): boolean
  /** Says goodbye, so that nobody waits for it, and stops. */
  stop(): Promise<void>
}

type MemberKeys = Omit<Newcomer, 'id'>

export interface MemberOptions {
  readonly config: MemberConfig
  readonly log: Log
  /** Told about this member from the start. */
  readonly attributes: readonly NamedValue[]
  /** What coordinators are chosen by. */
  readonly ranking: readonly Attribute[]
  /** Wraps the node before it runs, as that of `ServerOptions` does: no command and no config sets it. */
  readonly disguise?: (settings: MemberSettings) => Disguise<MemberNode>
  /** Where its numbers go; closed when it stops. */
  readonly meter?: { readonly book: Book<typeof memberMetrics>; event(event: MemberEvent): void }
  event(event: MemberEvent): void
  /** The node ended by itself: its disk failed, or a bug stopped it. */
  failed(error: Error): void
}

/** Under this name a member announces the key that ballots are sealed to. */
export const SEAL_KEY = 'seal'
const SEAL_KEY_BYTES = 32
/** Under these, where ballots are secret, its key for counting and the proof that it knows the secret. */
const COUNT_KEY = 'count'
const POSSESSION = 'possession'
/** Enough notices for a certificate that no b liars make alone; more would only be slower. */
const CERTIFY_LEAST = 2

/** After how long without news something of a private run is said again. */
const BANDIT_REPEAT_MS: Millis = 500

/** A lane of no part: it has a record where the store was once found empty. */
const LOST_LANE = 'lost'

export async function startMember(options: MemberOptions): Promise<RunningMember> {
  const { config, log, meter } = options
  let driver: DriverOf<MemberNode> | undefined
  const { storage, saved } = await openNodeStore({
    store: storeOf(options),
    folder: config.folder,
    owner: config.identity,
    first: memberFirstStart(firstElectorate(config.group.membership.members.map(voterOf))),
    failed(error) {
      driver?.end()
      options.failed(error)
    },
  })
  try {
    const admits = admission(config.group.id, config.authority)
    const group = await ristretto()
    const workshop = openWorkshop(group, log)
    const storeLost = isStoreLost(storage, saved)
    const settings = await settingsOf(options, admits, group, storeLost)
    let transport: TlsTransport | undefined
    const known = knownAddresses(config)
    driver = new Driver({
      ...(options.disguise?.(settings) ?? { protocol: memberNode(settings), vocabulary: memberVocabulary }),
      self: config.name,
      peers: config.group.membership.members.map(member => member.name),
      clock: granterClock,
      log,
      storage,
      saved,
      event(event) {
        if (transport !== undefined) learn(event, known, transport)
        if (!takeWork(event, workshop, body => driver?.command({ part: 'slots', body }))) options.event(event)
      },
      failed: options.failed,
      ...(meter && { meter }),
      up: peer => log('debug', 'connected', { peer }),
      down: (peer, why) => log('debug', 'disconnected', { peer, why }),
    })
    const running = driver
    transport = await listen(config, log, running)
    running.start(transport)
    const opened = transport
    if (meter) measureTraffic(meter.book, 'member_', running, () => opened)
    return {
      ...termsOf(config),
      command: body => running.command(body),
      now: granterClock,
      isOperator: client => isOperator(config.group.operators, client),
      async stop() {
        await running.stop()
        await workshop.close()
        await opened.close()
        await storage.close().finally(() => meter?.book.close())
      },
    }
  } catch (error) {
    await storage.close()
    throw explain(error, config)
  }
}

function termsOf({ group, folder }: MemberConfig): Pick<RunningMember, 'terms' | 'folder'> {
  return { terms: { drift: group.lock.drift, liars: group.membership.liars }, folder }
}

function storeOf({ config, log, meter }: MemberOptions): Store {
  const synced = (seconds: number) => meter?.book.observe('member_store_sync_seconds', seconds)
  return createLogStorage({ folder: config.storeFolder, log: sentence => log('info', sentence, {}), synced })
}

async function listen(config: MemberConfig, log: Log, driver: DriverOf<MemberNode>): Promise<TlsTransport> {
  const { members } = config.group.membership
  return createTlsTransport(
    {
      credentials: config,
      authority: config.authority,
      log,
      settings: memberSettings(config.group),
      listen: { host: config.listen, port: config.address.port },
      addresses: new Map(members.map(({ name, host, port }) => [name, { host, port }])),
    },
    driver.events,
  )
}

function knownAddresses(config: MemberConfig): Map<NodeId, string> {
  const known = new Map(config.group.membership.members.map(member => [member.name, formatAddress(member)]))
  return known.set(config.name, formatAddress(config.address))
}

/** Addresses that a member signed for itself. */
function learn(event: MemberEvent, known: Map<NodeId, string>, transport: TlsTransport): void {
  if (event.part !== 'membership' || event.body.kind !== 'changed') return
  const { member, address, status } = event.body.member
  const place = parseAddress(address)
  if (place === undefined || status === 'left' || known.get(member) === address) return
  known.set(member, address)
  transport.learn(member, place)
}

/** "host:port", with brackets around an IPv6 host. */
export function parseAddress(address: string): { host: string; port: number } | undefined {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):(\d{1,5})$/i.exec(address)
  const port = Number(parts?.[3])
  if (parts === null || port < 1 || port > 65_535) return undefined
  return { host: parts[1] ?? parts[2]!, port }
}

export function formatAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

async function settingsOf(
  { config, attributes, ranking }: MemberOptions,
  admits: Admits,
  slotsGroup: Group,
  storeLost: boolean,
): Promise<MemberSettings> {
  const { group } = config
  const { liars, lease } = group.membership
  const signer = opensslSigner(secretOf(config.key))
  const signatures = opensslSignatures()
  const sealing = (await x25519Sealing()).of(secretOf(config.sealKey))
  const counting = countingFor(config, slotsGroup)
  return {
    membership: {
      ...membershipDefaults,
      group: group.id,
      address: formatAddress(config.address),
      identity: identityBytes(config.certificate),
      signer,
      signatures,
      admits,
      keys: [{ name: SEAL_KEY, key: sealing.publicKey }, ...countingKeys(config.name, counting)],
      attributes,
      certifyAt: Math.max(CERTIFY_LEAST, liars + 1),
    },
    election: {
      ...electionDefaults,
      liars,
      promise: lease,
      drift: group.lock.drift,
      attributes: ranking,
      mode: group.membership.ballots,
    },
    keys: { signer, signatures, sealing, ...(counting && { counting }) },
    slots: {
      members: group.membership.members.map(voterOf).map(({ id, key }) => ({ name: id, identity: key })),
      group: slotsGroup,
      signer,
      signatures,
      storeLost,
    },
    keysOf: view => keysOf(view, admits),
    bandits: {
      keys: banditTools(await opensslBanditTools(), config, signer),
      repeat: BANDIT_REPEAT_MS,
      rules: banditRules,
    },
    ...eventsOf(config, admits, { signer, signatures }),
  }
}

/** Events among members: in trees, and by gossip. */
function eventsOf(
  { group }: MemberConfig,
  admits: Admits,
  keys: Pick<MemberSettings['routing'], 'signer' | 'signatures'>,
): Pick<MemberSettings, 'routing' | 'interest'> {
  const { liars } = group.membership
  const keyOf: MemberSettings['routing']['keyOf'] = ({ member, identity }) => admits(member, identity)
  const common = { group: group.id, hash: sha256, ...keys, keyOf }
  return {
    routing: { ...routingBasics, ...common, trees: treesFor(liars) },
    interest: {
      ...interestBasics,
      ...common,
      // By the wall clock: what is said after a restart is newer than what was said before.
      since: Date.now() - granterClock(),
      ...(liars === 0 && { entries: 1, fans: 1 }),
    },
  }
}

/** The same keys as elsewhere, by quicker arithmetic. */
function banditTools(tools: BanditTools, { sealKey }: MemberConfig, signer: BanditKeys['signer']): BanditKeys {
  return { tools, signer, sealing: tools.sealing.of(secretOf(sealKey)) }
}

function keysOf(
  { member, identity, keys }: Pick<MemberView, 'member' | 'identity' | 'keys'>,
  admits: Admits,
): MemberKeys | undefined {
  const key = admits(member, identity)
  const announced = new Map(keys.map(named => [named.name, named.key]))
  const sealKey = announced.get(SEAL_KEY)
  if (key === undefined || sealKey?.length !== SEAL_KEY_BYTES) return undefined
  const [countKey, possession] = [announced.get(COUNT_KEY), announced.get(POSSESSION)]
  return countKey === undefined || possession === undefined ? { key, sealKey } : { key, sealKey, countKey, possession }
}

function countingFor({ countSecret, folder, name, group }: MemberConfig, ristrettoGroup: Group): Counting | undefined {
  if (countSecret === undefined) return undefined
  const file = join(folder, COUNT_KEY_FILE)
  const counting = countingOf(ristrettoGroup, countSecret, file)
  const listed = group.membership.members.find(member => member.name === name)
  if (listed === undefined || ristrettoGroup.equal(bytesOf(listed.countKey), counting.keys.publicKey)) return counting
  throw new FileError(`${file} is not the key that stands for ${name} in its settings. Copy its folder again.`)
}

/** A guest is not in the settings of the others: what it would count with comes with its word that it lives. */
function countingKeys(name: NodeId, counting: Counting | undefined): NamedKey[] {
  if (counting === undefined) return []
  const random = (length: number) => new Uint8Array(randomBytes(length))
  const { countKey, possession } = countingKey(counting.group, counting.keys, name, random)
  return [
    { name: COUNT_KEY, key: countKey },
    { name: POSSESSION, key: possession },
  ]
}

/** The 32 secret bytes of an Ed25519 or X25519 key. */
function secretOf(pem: string): Uint8Array {
  const { d } = createPrivateKey(pem).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(d!, 'base64url'))
}

/**
 * A member whose store is empty may have promised what it no longer knows of. It saves other things in this life, and
 * must not pass in the next for one that never promised: what it lost is said in the store, ahead of all else.
 */
function isStoreLost(storage: Storage, saved: Saved): boolean {
  if (saved.size === 0) storage.save(LOST_LANE, new Uint8Array(0), 'replace')
  return saved.size === 0 || saved.has(LOST_LANE)
}

function voterOf({ name, publicKey, sealKey, countKey, possession }: MemberAddress): Newcomer {
  return {
    id: name,
    key: bytesOf(publicKey),
    sealKey: bytesOf(sealKey),
    countKey: bytesOf(countKey),
    possession: bytesOf(possession),
  }
}

function explain(error: unknown, config: MemberConfig): unknown {
  const taken = portInUse(error)
  if (taken === undefined) return error
  return new FileError(
    `${config.name} cannot listen: port ${taken} is in use. Is this member running already? ` +
      `Its port is set in ${config.file}; coterie doctor ${config.folder} says who has it.`,
  )
}
