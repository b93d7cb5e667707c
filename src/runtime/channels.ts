// The files of secret channels. Where the group was made, channels/NAME holds the keeper's key and the newest record; in
// each party's folder channels/NAME.json says whose records it believes, and which is the newest it knows.
//
// No key of an epoch is ever in a file: a record has them sealed to each party.

import { createPrivateKey, randomBytes as nodeRandom, X509Certificate } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { FileError, SettingsError } from '../core/index.ts'
import { type AgreeingSealing, framed, type Sealing, type Signer, x25519Sealing } from '../crypto/index.ts'
import { mclEngine } from '../crypto/peks/index.ts'
import {
  type ChannelName,
  decodeRecords,
  EPOCH_MS,
  type EpochRecord,
  encodeRecords,
  isKeepers,
  issueRecord,
  NO_RECORD,
  NOTICE_MS,
  PARTIES_MAX,
  type Party,
  recordHash,
  type Searchable,
  type SearchTools,
  type SecretMode,
  searchSecret,
  searchTools,
  secretRules,
  whyNotApart,
  whyNotSearchable,
} from '../events/secret/index.ts'
import { opensslSignatures, opensslSigner } from './certificates/signatures.ts'
import { type ClientConfig, credentialFiles, loadGroup, readCertificate, readKey } from './config/config.ts'
import { cannot, exists, KEY_MODE, readText, replaceText, writeNew } from './files.ts'
import { sha256 } from './hash.ts'
import { randomBytes } from './platform.ts'

/** What a party knows of a channel. */
export interface ChannelCard {
  readonly channel: ChannelName
  readonly keeper: Uint8Array
  /** Those that are still of use; the last one is the newest. */
  readonly records: readonly EpochRecord[]
}

/** A record of a thousand parties in base 64, and its names. */
const CARD_BYTES_MAX = 16 << 20
const CHANNEL_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/
const KEEPER_FILE = 'keeper.key'
const CARD_FILE = 'channel.json'
const SEALING_FILE = 'sealing.pub'
const SEARCH_FILE = 'search.pub'
/** The longest epoch: a key that lasts longer is a key that leaks. */
const EPOCH_MAX_MS = 30 * 24 * 3_600_000

function checkName(name: string): void {
  if (CHANNEL_NAME.test(name)) return
  throw new SettingsError(
    `the channel's name is ${JSON.stringify(name)}; it must be lower-case letters, digits and hyphens, at most 63.`,
  )
}

/** The keys of a party. */
export interface PartyKeys {
  readonly signer: Signer
  readonly sealing: AgreeingSealing
  /** From which its search key is made, in peks mode. */
  readonly searchSeed: Uint8Array
}

/** Of a client, from its private key: keys of which none gives another. */
export function clientKeys(key: string): Promise<PartyKeys> {
  const { d } = createPrivateKey(key).export({ format: 'jwk' })
  return partyKeys(new Uint8Array(Buffer.from(d!, 'base64url')))
}

/** From the seed of a signing key. */
export async function partyKeys(seed: Uint8Array): Promise<PartyKeys> {
  const scheme = await x25519Sealing()
  return {
    signer: opensslSigner(seed),
    sealing: scheme.of(sha256(framed('coterie/events sealing key', seed))),
    searchSeed: sha256(framed('coterie/events search seed', seed)),
  }
}

/** Pairings with a client's own search key; the package for them is loaded now. */
export async function searchToolsOf({ searchSeed }: PartyKeys): Promise<SearchTools> {
  return searchTools(await mclEngine(), searchSecret(searchSeed))
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function cardText({ channel, keeper, records }: ChannelCard): string {
  const { group, name, id } = channel
  const text = Buffer.from(encodeRecords(records)).toString('base64')
  return `${JSON.stringify({ group, name, id: hex(id), keeper: hex(keeper), records: text }, undefined, 2)}\n`
}

async function readCard(file: string): Promise<ChannelCard> {
  const text = await readText(file, CARD_BYTES_MAX)
  const wrong = () => new FileError(`${file} is no channel's. Copy it again from where the channel was made.`)
  let fields: Record<string, unknown>
  try {
    fields = JSON.parse(text) as Record<string, unknown>
  } catch {
    throw wrong()
  }
  const bytesIn = (name: string, encoding: 'hex' | 'base64') =>
    new Uint8Array(Buffer.from(typeof fields[name] === 'string' ? fields[name] : '', encoding))
  const records = decodeRecords(bytesIn('records', 'base64'))
  const [id, keeper] = [bytesIn('id', 'hex'), bytesIn('keeper', 'hex')]
  if (!records.ok || records.value.length === 0 || id.length !== 16 || keeper.length !== 32) throw wrong()
  const signatures = opensslSignatures()
  if (!records.value.every(one => isKeepers(secretRules, signatures, keeper, one))) throw wrong()
  const channel = { group: String(fields.group), name: String(fields.name), id }
  return { channel, keeper, records: records.value }
}

/** The newest record. */
export function newestOf({ records }: ChannelCard): EpochRecord {
  return records.at(-1)!
}

/** Where a client keeps what it knows of a channel. */
export function cardFile(folder: string, name: string): string {
  return join(folder, 'channels', `${name}.json`)
}

/** What a client knows of a channel. */
export async function loadCard({ folder }: Pick<ClientConfig, 'folder'>, name: string): Promise<ChannelCard> {
  checkName(name)
  const file = cardFile(folder, name)
  if (!(await exists(file))) {
    throw new SettingsError(
      `${file} is not there: this client is no party of the channel. Make it one: coterie channel add ${name} NAME.`,
    )
  }
  return readCard(file)
}

/** Keeps the newest record that a client has taken. */
export async function saveCard(folder: string, card: ChannelCard): Promise<void> {
  await replaceText(cardFile(folder, card.channel.name), cardText(card))
}

/** Who reads and who writes, by the names of clients. */
export interface Roles {
  readonly readers: readonly string[]
  readonly writers: readonly string[]
}

/** How a channel is searched, and how long its epochs last. */
export interface ChannelTerms {
  readonly mode: SecretMode
  readonly searchable: readonly Searchable[]
  /** In milliseconds. */
  readonly lasts?: number
}

const folderOf = (dir: string, name: string) => join(resolve(dir), 'channels', name)

/** Makes a channel: its keeper's key, its first record, and a file in the folder of each party. */
export async function newChannel(dir: string, name: string, roles: Roles, terms: ChannelTerms): Promise<EpochRecord> {
  checkName(name)
  const why = whyNotSearchable(terms.searchable)
  if (why !== undefined) throw new SettingsError(why)
  const group = await loadGroup(dir)
  const folder = folderOf(dir, name)
  if (await exists(folder))
    throw new SettingsError(`${folder} is already there. Choose another name, or delete that folder first.`)
  const parties = await partiesOf(dir, roles, terms.mode)
  const seed = new Uint8Array(nodeRandom(32))
  const keeper = opensslSigner(seed)
  const channel = { group: group.id, name, id: randomBytes(16) }
  const issued = Date.now()
  const until = issued + checkedLasts(terms.lasts)
  const { mode, searchable } = terms
  const first = { channel, number: 1, before: NO_RECORD, issued, from: issued, until, mode, searchable }
  const record = issueRecord({ signer: keeper, sealing: await anySealing(), random: randomBytes }, first, parties)
  await mkdir(folder, { recursive: true }).catch(error => {
    throw cannot('make', folder, error)
  })
  await writeNew(join(folder, KEEPER_FILE), `${hex(seed)}\n`, KEY_MODE)
  await writeCards(dir, { channel, keeper: keeper.publicKey, records: [record] })
  return record
}

function checkedLasts(lasts: number = EPOCH_MS): number {
  if (lasts >= 1_000 && lasts <= EPOCH_MAX_MS) return lasts
  throw new SettingsError(`an epoch lasts ${lasts} ms; it must last from a second to 30 days.`)
}

async function anySealing(): Promise<Sealing> {
  return (await x25519Sealing()).of(randomBytes(32))
}

/** The keys of clients whose folders are here. */
async function partiesOf(dir: string, { readers, writers }: Roles, mode: SecretMode): Promise<Party[]> {
  const names = [...new Set([...readers, ...writers])]
  if (names.length === 0 || names.length > PARTIES_MAX) {
    throw new SettingsError(`a channel has ${names.length} readers and writers; it must have from 1 to ${PARTIES_MAX}.`)
  }
  const parties = await Promise.all(
    names.map(name => partyOf(dir, name, { reads: readers.includes(name), writes: writers.includes(name) }, mode)),
  )
  const why = whyNotApart(mode, parties)
  if (why !== undefined) throw new SettingsError(why)
  return parties
}

interface Role {
  readonly reads: boolean
  readonly writes: boolean
}

async function partyOf(dir: string, name: string, { reads, writes }: Role, mode: SecretMode): Promise<Party> {
  const folder = join(resolve(dir), 'clients', name)
  const files = credentialFiles({ folder, role: 'client' })
  if (!(await exists(files.certificate))) {
    throw new SettingsError(
      `there is no client ${JSON.stringify(name)} in ${dir}. Make it first: coterie client add ${name} --group ${dir}.`,
    )
  }
  const { x } = new X509Certificate(await readCertificate(files.certificate)).publicKey.export({ format: 'jwk' })
  const signingKey = new Uint8Array(Buffer.from(x!, 'base64url'))
  const sealingKey = await sealingKeyOf(folder, files.key)
  const searchKey = mode === 'peks' && reads ? await searchKeyOf(folder, files.key) : undefined
  return { name, reads, writes, signingKey, sealingKey, searchKey }
}

/** Written once, so that the private key may leave this machine. */
async function publicKeyIn(file: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
  if (await exists(file)) return new Uint8Array(Buffer.from((await readText(file, 256)).trim(), 'hex'))
  const key = await make()
  await writeNew(file, `${hex(key)}\n`)
  return key
}

function sealingKeyOf(folder: string, keyFile: string): Promise<Uint8Array> {
  return publicKeyIn(
    join(folder, SEALING_FILE),
    async () => (await clientKeys(await readKey(keyFile))).sealing.publicKey,
  )
}

function searchKeyOf(folder: string, keyFile: string): Promise<Uint8Array> {
  return publicKeyIn(join(folder, SEARCH_FILE), async () => {
    return (await searchToolsOf(await clientKeys(await readKey(keyFile)))).publicKey
  })
}

async function writeCards(dir: string, card: ChannelCard): Promise<void> {
  await replaceText(join(folderOf(dir, card.channel.name), CARD_FILE), cardText(card))
  for (const { name } of newestOf(card).parties) {
    const folder = join(resolve(dir), 'clients', name)
    if (!(await exists(folder))) continue
    await mkdir(join(folder, 'channels'), { recursive: true })
    await replaceText(cardFile(folder, card.channel.name), cardText(card))
  }
}

/** What the keeper changes with the next epoch. */
export interface ChannelChange {
  readonly add?: Roles
  readonly remove?: string
  /** In milliseconds; as before where it is left out. */
  readonly lasts?: number
}

/** The next epoch: rotated, with somebody added, or without somebody. */
export async function nextEpoch(dir: string, name: string, change: ChannelChange = {}): Promise<ChannelCard> {
  checkName(name)
  const folder = folderOf(dir, name)
  if (!(await exists(folder)))
    throw new SettingsError(
      `there is no channel ${JSON.stringify(name)} in ${dir}. Make it: coterie channel new ${name}.`,
    )
  const card = await readCard(join(folder, CARD_FILE))
  const signer = opensslSigner(
    new Uint8Array(Buffer.from((await readText(join(folder, KEEPER_FILE), 256)).trim(), 'hex')),
  )
  const last = newestOf(card)
  const issued = Math.max(Date.now(), last.issued)
  // At a removal at once: every moment more is one in which the removed one reads.
  const from = issued + (change.remove === undefined ? NOTICE_MS : 0)
  const until = from + checkedLasts(change.lasts ?? last.until - last.from)
  const parties = await changed(dir, last, change)
  const terms = {
    channel: card.channel,
    number: last.number + 1,
    before: recordHash(last),
    issued,
    from,
    until,
    mode: last.mode,
    searchable: last.searchable,
  }
  const record = issueRecord({ signer, sealing: await anySealing(), random: randomBytes }, terms, parties)
  // A process that starts within the notice needs the epoch in use, too.
  const kept = card.records.filter(one => one.until + NOTICE_MS > issued)
  const next = { ...card, records: [...kept, record] }
  await writeCards(dir, next)
  return next
}

async function changed(dir: string, last: EpochRecord, { add, remove }: ChannelChange): Promise<Party[]> {
  const kept = last.parties.filter(({ name }) => name !== remove)
  if (remove !== undefined && kept.length === last.parties.length)
    throw new SettingsError(`${JSON.stringify(remove)} is no party of the channel.`)
  if (kept.length === 0 && add === undefined) throw new SettingsError('the last party of a channel cannot be removed.')
  if (add === undefined) return kept
  const fresh = await partiesOf(dir, add, last.mode)
  return [...kept.filter(({ name }) => !fresh.some(one => one.name === name)), ...fresh]
}
