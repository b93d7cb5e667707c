// Secret channels on carriers that lie: records are issued, parties removed, processes die and come back, insiders turn bad.

import { sha256 } from '@noble/hashes/sha2.js'
import type { NodeId } from '../../../core/index.ts'
import { idealCiphers, idealSealing, idealSignatures } from '../../../crypto/index.ts'
import { idealPairing } from '../../../crypto/peks/index.ts'
import {
  type Micros,
  overheard,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../../simulator/index.ts'
import { parseFilter } from '../../filter.ts'
import type { ChannelName } from '../../secret/keys.ts'
import type { Searchable } from '../../secret/keywords.ts'
import { secretMatcher } from '../../secret/matcher/machine.ts'
import { secretMember } from '../../secret/member/machine.ts'
import type { MemberEvent } from '../../secret/member/state.ts'
import { type EpochRecord, encodeRecord, issueRecord, NO_RECORD, type Party, recordHash } from '../../secret/record.ts'
import type { SecretRules } from '../../secret/rules.ts'
import type { Sealed } from '../../secret/sealed.ts'
import { matchTools, type SearchTools, searchSecret, searchTools } from '../../secret/searching.ts'
import { type SecretSettings, secretBasics } from '../../secret/settings.ts'
import { type CarrierMessage, carrierVocabulary, decodeFrame } from '../../secret/wire.ts'
import { carrier, carrierLiars } from './carrier.ts'
import { type Listener, SecretChecker } from './checker.ts'
import { forged, type Known, mouth, moved, overread } from './mole.ts'
import {
  CHANNELS,
  drawPlan,
  nodeOf,
  READERS,
  SECOND,
  type SecretAct,
  type SecretOptions,
  type SecretPlan,
  WRITERS,
} from './plan.ts'

const EPOCH_MS = 9_000
const NOTICE_MS = 1_500
const START_MS = 1_000_000
const SEARCHABLE: readonly Searchable[] = [{ attribute: 'symbol', search: { kind: 'equal' } }]
const FILTER = parseFilter({ symbol: 'A' })
const KEEPER = 'keeper'
const MOLE = 'mole'
/** So long after it has subscribed, within an epoch, a reader knows how many events were before. */
const ASKED: Micros = 700_000
/** Above the numbers of all events. */
const SUBSCRIPTION = 1_000_000

/** Secret channels on carriers that lie, for the simulator. */
export function secretScenario(options: SecretOptions): Scenario<SecretPlan, SecretAct> {
  return {
    name: 'secret',
    plan: random => drawPlan(random, options),
    stage: (world, plan) => new SecretStage(world, plan, options.rules).begin(),
  }
}

class SecretStage extends ScenarioStage<SecretPlan, SecretAct, MemberEvent> {
  private readonly checker = new SecretChecker()
  readonly checkers = [this.checker]
  private readonly rules: SecretRules
  private readonly signatures = idealSignatures()
  private readonly sealings = idealSealing()
  private readonly ciphers = idealCiphers()
  private readonly records: EpochRecord[][] = CHANNELS.map(() => [])
  private readonly listeners = new Map<string, Listener>()
  private readonly said: Sealed[] = []
  private readonly pairing = idealPairing()
  /** Each party's search key, and pairings with it. */
  private readonly searches = new Map<string, SearchTools>()
  private removed: string | undefined
  private removedAt = Number.POSITIVE_INFINITY
  private lies = 0
  /** The record without the removed one, and what that one said since. */
  private removal = 0
  private readonly afterwards = new Set<number>()
  /** The newest record that each node ever took. */
  private readonly taken = new Map<NodeId, number>()
  /** The records that each node has saved, and when it took them. */
  private readonly held = new Map<NodeId, Map<number, Micros>>()

  constructor(world: World, plan: SecretPlan, rules: SecretRules) {
    super(world, plan)
    this.rules = rules
  }

  private get carriers(): string[] {
    return Array.from({ length: this.plan.carriers }, (_, place) => `carrier-${place + 1}`)
  }

  private channel(place: number): ChannelName {
    return { group: 'shop', name: CHANNELS[place]!, id: new Uint8Array(16).fill(place + 1) }
  }

  private settings(name: string, channel: number): SecretSettings {
    return {
      ...secretBasics,
      rules: this.rules,
      channel: this.channel(channel),
      name,
      keeper: this.signatures.signer(KEEPER).publicKey,
      signer: this.signatures.signer(name),
      signatures: this.signatures,
      sealing: this.sealings(name),
      search: this.searchOf(name),
      ciphers: this.ciphers,
      hash: sha256,
      wall: now => START_MS + now,
      lap: 2_000,
      grace: 1_000,
      patience: 600,
      window: 2_500,
      tellAfter: 250,
    }
  }

  private searchOf(name: string): SearchTools {
    const known = this.searches.get(name)
    const tools = known ?? searchTools(this.pairing, searchSecret(sha256(new TextEncoder().encode(name))))
    this.searches.set(name, tools)
    return tools
  }

  protected populate(): void {
    const { world } = this
    const kinds = carrierLiars()
    for (const id of this.carriers) {
      const kind = this.plan.liars.get(id)
      const spec = { id, protocol: carrier(), peers: [], vocabulary: carrierVocabulary }
      this.addNode(spec, kind === undefined ? undefined : honest => kinds[kind]!.corrupt(honest))
      world.start(id)
    }
    for (const [place, id] of this.carriers.entries()) {
      const channels = CHANNELS.map((_, channel) => this.channel(channel).id)
      const match = matchTools(this.pairing)
      const settings = { ...this.settings(MOLE, 0), channels, match, forgetAfter: 120_000 }
      const protocol = secretMatcher(settings)
      this.addNode({ id: `matcher-${place + 1}`, protocol, peers: [id], vocabulary: carrierVocabulary })
      world.start(`matcher-${place + 1}`)
    }
    this.addNode({ id: MOLE, protocol: mouth(), peers: this.carriers, vocabulary: carrierVocabulary })
    world.start(MOLE)
    for (const [channel] of CHANNELS.entries()) {
      for (const name of [KEEPER, ...WRITERS, ...READERS]) this.addMember(name, channel)
      world.at(SECOND / 2, () => this.rotate(channel, {}))
    }
  }

  private addMember(name: string, channel: number): void {
    const id = nodeOf(name, channel)
    const protocol = overheard<unknown, CarrierMessage, MemberEvent>(
      secretMember(this.settings(name, channel)),
      effect => {
        if (effect.kind === 'send' && effect.body.kind === 'send') this.watch(name, channel, effect.body.body)
        return true
      },
    )
    this.addNode({ id, protocol, peers: this.carriers, vocabulary: carrierVocabulary })
    this.world.start(id)
  }

  /** What everybody on the way can see. */
  private watch(name: string, channel: number, body: Uint8Array): void {
    const decoded = decodeFrame(body)
    if (!decoded.ok) return
    const { world, checker } = this
    const frame = decoded.value
    if (frame.kind === 'search') return checker.searched(CHANNELS[channel]!, frame, world.now)
    if (frame.kind !== 'event' && frame.kind !== 'marked') return
    const record = this.records[channel]![frame.epoch - 1]!
    if (channel === 0) this.said.push(frame)
    checker.sent(CHANNELS[channel]!, record.mode, frame, world.now)
    if (START_MS + world.now / 1000 > record.until + 50) checker.wroteTooLate(name, world.now)
    // Another writer has the epoch's key too, where one may not read the other.
    const other = WRITERS.find(one => one !== name && record.parties.some(party => party.name === one))!
    if (overread({ settings: this.settings(other, channel), record }, frame, name)) checker.overread(other, world.now)
  }

  private parties(channel: number): Party[] {
    const names = [...WRITERS, ...READERS, MOLE].filter(name => channel !== 0 || name !== this.removed)
    return names.map(name => {
      const isWriter = WRITERS.includes(name)
      const { publicKey: signingKey } = this.signatures.signer(name)
      const searchKey = this.plan.mode === 'peks' && !isWriter ? this.searchOf(name).publicKey : undefined
      const { publicKey: sealingKey } = this.sealings(name)
      return { name, reads: !isWriter, writes: isWriter, signingKey, sealingKey, searchKey }
    })
  }

  private rotate(channel: number, { remove }: { remove?: string | undefined }): void {
    const { world } = this
    if (remove !== undefined) {
      this.removed = remove
      this.removedAt = world.now
    }
    const all = this.records[channel]!
    const last = all.at(-1)
    const issued = Math.floor(START_MS + world.now / 1000)
    const from = issued + (remove === undefined && last !== undefined ? NOTICE_MS : 0)
    const terms = {
      channel: this.channel(channel),
      number: all.length + 1,
      before: last === undefined ? NO_RECORD : recordHash(last),
      issued,
      from,
      until: from + EPOCH_MS,
      mode: this.plan.mode,
      searchable: SEARCHABLE,
    }
    const { random } = world.node(MOLE)
    const keeper = {
      signer: this.signatures.signer(KEEPER),
      sealing: this.sealings(KEEPER),
      random: (length: number) => Uint8Array.from({ length }, () => random.below(256)),
    }
    const record = issueRecord(keeper, terms, this.parties(channel))
    all.push(record)
    if (remove !== undefined) this.removal = record.number
    world.command(nodeOf(KEEPER, channel), { kind: 'record', record: encodeRecord(record), share: true })
  }

  protected act(act: SecretAct): void {
    if (act.kind === 'rotate') return this.rotate(act.channel, act)
    if (act.kind === 'lie') return this.lie(act.lie)
    const node = this.world.node(act.node)
    if (node.host === undefined) return
    if (act.kind === 'publish') return this.publish(act.node, act.symbol)
    this.world.crash(act.node)
    this.listeners.delete(act.node)
    this.world.at(this.world.now + act.lasts, () => {
      this.world.start(act.node)
      if (READERS.includes(nameOf(act.node))) this.subscribe(act.node)
    })
  }

  private publish(node: string, symbol: string): void {
    const number = this.nextCommand()
    const channel = channelOf(node)
    this.checker.published.set(number, {
      author: nameOf(node),
      channel,
      at: this.world.now,
      epoch: symbol === 'A' ? 0 : -1,
    })
    const payload = new TextEncoder().encode(String(number))
    const content = { attributes: { symbol }, payload, time: number, retained: false, expires: 0 }
    this.world.command(node, { kind: 'publish', id: number, content })
  }

  private subscribe(node: string): void {
    const { now } = this.world
    this.listeners.set(node, {
      channel: channelOf(node),
      since: now,
      handed: new Set(),
      missed: new Map(),
      unknown: new Set(),
      ended: new Set(),
      epochs: new Map(this.held.get(node)),
    })
    this.world.command(node, { kind: 'subscribe', id: SUBSCRIPTION, filter: FILTER })
  }

  private known(name: string, channel: number, back = 0): Known | undefined {
    const record = this.records[channel]!.at(-1 - back)
    return record && { settings: this.settings(name, channel), record }
  }

  private lie(lie: (SecretAct & { kind: 'lie' })['lie']): void {
    const { random } = this.world.node(MOLE)
    const nonce = Uint8Array.from({ length: 12 }, () => random.below(256))
    const told = { number: -++this.lies, nonce, lap: Math.floor((START_MS + this.world.now / 1000) / 2_000) }
    const here = this.known(MOLE, 0)
    if (here === undefined) return
    for (const body of this.bodies(lie, here, told)) this.world.command(MOLE, body)
  }

  private bodies(lie: string, here: Known, told: { number: number; nonce: Uint8Array; lap: number }): CarrierMessage[] {
    const signer = (name: string) => this.signatures.signer(name)
    if (lie === 'forge') return forged(here, 'writer-1', signer(MOLE), told)
    if (lie === 'own') return forged(here, MOLE, signer(MOLE), told)
    if (lie === 'removed') {
      this.afterwards.add(told.number)
      const [removed] = this.removed === undefined ? [] : [this.removed]
      // It has the key of the last epoch in which it was a party.
      const old = [0, 1, 2]
        .map(back => removed && this.known(removed, 0, back))
        .find(one => {
          return one !== undefined && one !== '' && one.record.parties.some(({ name }) => name === removed)
        })
      return removed !== undefined && old ? forged(old, removed, signer(removed), told) : []
    }
    if (lie === 'move') {
      const there = this.known(MOLE, 1)
      const frame = this.said.at(-1)
      return there && frame ? moved(here, frame, there, told) : []
    }
    return this.falseRecord(here)
  }

  /** A record of the mole's own, with a reader of its choice and signed by itself. */
  private falseRecord({ record }: Known): CarrierMessage[] {
    const { random } = this.world.node(MOLE)
    const keeper = {
      signer: this.signatures.signer(MOLE),
      sealing: this.sealings(MOLE),
      random: (length: number) => Uint8Array.from({ length }, () => random.below(256)),
    }
    const { signature: _, parties: __, ...terms } = record
    const writes = { ...this.parties(0).at(-1)!, writes: true }
    const mine = issueRecord(keeper, { ...terms, number: record.number + 1 }, [...this.parties(0).slice(0, -1), writes])
    this.world.command(nodeOf(READERS[0]!, 0), { kind: 'record', record: encodeRecord(mine), share: false })
    return []
  }

  protected observe(node: SimulatedNode, event: MemberEvent): void {
    const { id } = node.spec
    if (event.kind === 'published') {
      const said = this.checker.published.get(event.id)
      if (said?.epoch === 0) said.epoch = event.epoch
      return
    }
    if (event.kind === 'refused') {
      // Without a record there is nothing to listen on yet: again when one has come.
      if (event.id === SUBSCRIPTION) this.listeners.delete(id)
      else this.checker.published.delete(event.id)
      return
    }
    if (event.kind === 'epoch') return this.tookRecord(id, event.number)
    const listener = this.listeners.get(id)
    if (listener === undefined) return
    if (event.kind === 'missed') {
      const key = `${event.author} ${event.epoch}`
      listener.missed.set(key, (listener.missed.get(key) ?? 0) + event.to - event.from + 1)
    }
    if (event.kind === 'unknown') for (const author of event.authors) listener.unknown.add(`${author} ${event.epoch}`)
    if (event.kind === 'ended') listener.ended.add(event.epoch)
    if (event.kind === 'handed') this.took(id, listener, event)
  }

  private tookRecord(id: NodeId, number: number): void {
    this.taken.set(id, Math.max(number, this.taken.get(id) ?? 0))
    this.held.set(id, (this.held.get(id) ?? new Map()).set(number, this.world.now))
    if (READERS.includes(nameOf(id)) && !this.listeners.has(id)) this.subscribe(id)
    this.listeners.get(id)?.epochs.set(number, this.world.now)
  }

  private took(id: NodeId, listener: Listener, { life, content }: MemberEvent & { kind: 'handed' }): void {
    const { world } = this
    const number = Number(new TextDecoder().decode(content.payload))
    const channel = channelOf(id)
    // Until the record reaches it, a reader cannot know that somebody was removed.
    const knows = (this.taken.get(id) ?? 0) >= this.removal
    if (this.afterwards.has(number) && !knows) return
    this.checker.handed(id, listener, { author: life.author, channel, number }, world.now)
    const said = this.checker.published.get(number)
    const all = this.records[CHANNELS.indexOf(channel)]!
    const record = said && all[said.epoch - 1]
    if (record === undefined) return
    const end = Math.min(record.until, all[said!.epoch]?.from ?? record.until)
    // The reader may not know yet that the epoch was cut short: its own end counts for it.
    const known = listener.epochs.has(said!.epoch + 1) ? end : record.until
    if (START_MS + world.now / 1000 > known + 1_000 + 20) this.checker.tooLate(id, number, world.now)
  }

  protected override demand(): void {
    for (const [channel] of CHANNELS.entries()) {
      for (const name of WRITERS) for (let i = 0; i < 3; i++) this.publish(nodeOf(name, channel), 'A')
    }
  }

  protected override finish(): void {
    for (const [reader, listener] of this.listeners) {
      const all = this.records[CHANNELS.indexOf(channelOf(reader))]!
      for (const record of all) this.finishEpoch(reader, listener, record)
      const last = all[Math.max(...listener.epochs.keys()) - 1]
      if (last === undefined || micros(last.until) + 2 * SECOND > this.world.now) continue
      if (!listener.ended.has(last.number)) this.checker.unended(reader, last.number, this.world.now)
    }
  }

  private finishEpoch(reader: string, listener: Listener, record: EpochRecord): void {
    const { world } = this
    const { since, epochs } = listener
    const { number } = record
    const all = this.records[CHANNELS.indexOf(channelOf(reader))]!
    const next = all[number]
    const from = micros(record.from)
    const end = micros(Math.min(record.until, next?.from ?? record.until))
    // Only what is over for good, also for one who has not heard of what cut it short.
    const known = all[Math.max(0, ...[...epochs.keys()].filter(one => one <= number)) - 1]
    if (known === undefined || Math.max(end, micros(known.until)) + 4 * SECOND > world.now || since >= end) return
    // What a reader hears of too late, a removal's gap and the first moments of a subscription are told, and not masked.
    const isCut = record.from === record.issued || next?.from === next?.issued
    const isInTime = since <= from && (epochs.get(number) ?? Number.POSITIVE_INFINITY) <= from
    const isMasked = this.plan.carriers > this.plan.liars.size && !isCut && isInTime
    const after = since <= from ? 0 : since + ASKED
    for (const author of WRITERS) {
      // A removed writer's last words are not believed.
      if (author === this.removed && record.until > START_MS + this.removedAt / 1000) continue
      this.checker.complete(reader, listener, { author, epoch: number, after }, isMasked, world.now)
    }
  }
}

const micros = (ms: number): Micros => (ms - START_MS) * 1000
const nameOf = (node: string) => node.split('@')[0]!
const channelOf = (node: string) => node.split('@')[1] ?? CHANNELS[0]!
