// One server with one object, and its log, cut wherever a crash may cut it: at every place since the last save that
// somebody waited for (protocols/ordering, "durable"). Each beginning of the log must be read as a server that can be: its table
// is the one of its version, what it calls committed is decided, and nothing is forgotten of what it has told.
//
// What is decided is made up here. The server hears of a part of it, late and with gaps, from clients who come one after
// the other, and from two other servers. All of them are played, and none lies.

import { describe, expect, it } from 'vitest'
import { get, rank, SERVERS, settings, utf8 } from '../../../test/support/ordering-group.ts'
import { decode, type Effect, type Input, KeptLane, type Random, sameBytes, seededRandom } from '../../core/index.ts'
import { brokenOrderingRules } from '../proof/planted.ts'
import { compareRanks, LOWEST_RANK } from '../rules.ts'
import { applyWrites, type Content, emptyContent, encodeChange } from '../versions/content.ts'
import { FIRST_DIGEST, nextDigest } from '../versions/digest.ts'
import { keysOf, page } from '../versions/pages.ts'
import type { ClientMessage, Head, OrderingMessage, Rank, Write } from '../wire.ts'
import { type OrderingServer, orderingServer } from './machine.ts'
import { serverRecord } from './records.ts'
import type { OrderingServerEvent, ServerObject, ServerState } from './state.ts'

const SEEDS = 20
const STEPS = 250

interface Version extends Head {
  readonly parent: Uint8Array
  readonly change: Uint8Array
  readonly writes: readonly Write[]
}

/** What is decided, version by version. */
class Decisions {
  readonly versions: Version[] = []
  readonly contents: Content[] = [emptyContent()]

  get newest(): number {
    return this.versions.length
  }

  head(version: number): Head {
    return { version, digest: this.contents[version]!.digest }
  }

  has({ version, digest }: Head): boolean {
    return version <= this.newest && sameBytes(digest, this.head(version).digest)
  }

  /** One that might be decided next. */
  draw(random: Random): Version {
    const writes = Array.from({ length: 1 + random.below(3) }, (): Write => {
      const key = `key ${random.below(7)}`
      return { key, value: random.below(3) === 0 ? undefined : utf8.encode(`${random.below(1_000)}`) }
    })
    const version = this.newest + 1
    const parent = this.head(this.newest).digest
    const change = encodeChange(writes)
    return { version, parent, digest: nextDigest(settings.hash, parent, version, change), change, writes }
  }

  decide(version: Version): void {
    this.versions.push(version)
    const content = emptyContent()
    for (const { version: number, digest, writes } of this.versions) applyWrites(content, number, digest, writes)
    this.contents.push(content)
  }
}

type ServerEffect = Effect<OrderingMessage, OrderingServerEvent>
type Kept = Extract<ServerEffect, { kind: 'save' | 'forget' }>

/** What one life after the other saves. */
class Log {
  private found: readonly Uint8Array[] = []
  private kept: Kept[] = []
  /** So much of it is there after every crash. */
  durable = 0

  get length(): number {
    return this.kept.length
  }

  add(effect: Kept): void {
    this.kept.push(effect)
  }

  /** What is read after a crash that left so much. */
  cut(length: number): readonly Uint8Array[] {
    const lane = new KeptLane(this.found)
    for (const effect of this.kept.slice(0, length)) {
      if (effect.kind === 'forget') lane.forget()
      else lane.save(effect.record, effect.begins ? 'begin' : 'append')
    }
    return lane.records
  }

  crash(length: number): void {
    this.found = [...this.cut(length)]
    this.kept = []
    this.durable = 0
  }
}

/** The highest of what was told, after which nothing lower may be. */
interface Told {
  readonly promised: Rank
  readonly taken: { readonly rank: Rank; readonly version: number } | undefined
}

function toldBy(effects: readonly ServerEffect[], before: Told): Told {
  let told = before
  for (const effect of effects) {
    if (effect.kind !== 'send') continue
    const { body } = effect
    if (body.kind === 'got') told = { ...told, promised: body.rank }
    if (body.kind === 'accepted') told = { promised: body.rank, taken: { rank: body.rank, version: body.version } }
  }
  return told
}

const shown = ({ table }: Content) => JSON.stringify([...table].map(([key, value]) => [key, ...value]).sort())

function keepsTaken({ proposed, committed }: ServerObject, { taken }: Told): boolean {
  if (taken === undefined) return true
  if (proposed === undefined || committed.version < taken.version - 1) return false
  const order = compareRanks(proposed.rank, taken.rank)
  return order > 0 || (order === 0 && proposed.version >= taken.version)
}

/** What is wrong with a server, if anything is. */
function faultOf(object: ServerObject | undefined, decisions: Decisions, told: Told): string | undefined {
  if (object === undefined) return told.promised === LOWEST_RANK ? undefined : 'it has forgotten the object'
  const { content, committed, promised, proposed, recent, unapplied } = object
  if (!decisions.has(content)) return `its version ${content.version} is not decided`
  if (shown(content) !== shown(decisions.contents[content.version]!)) return `its table is not of ${content.version}`
  if (!decisions.has(committed)) return `it calls ${committed.version} committed`
  if (content.version > committed.version) return 'its content is past what it calls committed'
  if (
    recent.some((kept, place) => kept.version !== content.version - recent.length + 1 + place || !decisions.has(kept))
  )
    return 'its last changes are others'
  if ([...unapplied.values()].some(kept => kept.version <= content.version || !decisions.has(kept)))
    return 'what it has for later was never decided, or is not later'
  if (proposed !== undefined && compareRanks(proposed.rank, promised) > 0) return 'it took a rank above its promise'
  if (compareRanks(promised, told.promised) < 0) return `it has forgotten rank ${told.promised.counter}`
  return keepsTaken(object, told) ? undefined : `it has forgotten that it took ${told.taken?.version}`
}

/** What the whole log has lost of the life that wrote it. */
function lossOf(lived: ServerObject | undefined, read: ServerObject | undefined): string | undefined {
  if (lived === undefined || read === undefined) return undefined
  if (compareRanks(lived.promised, read.promised) !== 0) return 'another promise'
  if (lived.proposed?.version !== read.proposed?.version) return 'another proposal'
  // The log would lead past entries of a checkpoint that are of an older version.
  if (read.content.version > lived.content.version) return 'the server stands behind its log'
  const has = (version: number) =>
    read.unapplied.has(version) || read.doubtful.has(version) || read.proposed?.version === version
  return [...lived.unapplied.keys(), ...lived.doubtful.keys()].every(has)
    ? undefined
    : 'a change that may be the only one'
}

type Question = ClientMessage & { kind: 'fetch' | 'page' }

class Story {
  cuts = 0
  readonly kinds = new Set<string>()
  fault: string | undefined
  private readonly random: Random
  private readonly server: OrderingServer
  private state: ServerState
  private readonly decisions = new Decisions()
  private readonly log = new Log()
  private told: Told = { promised: LOWEST_RANK, taken: undefined }
  private now = 0
  private questions: { readonly to: string; readonly body: Question }[] = []
  private timers = new Set<string>()
  /** Of the present client: its rank, and what it proposed last. */
  private counter = 0
  private proposed = 0
  /** What a client left half done: the next one may find it or not. */
  private half: Version | undefined

  constructor(seed: number) {
    this.random = seededRandom(seed)
    const checkpointBytesMin = 200 + this.random.below(1_500)
    const checkpointPageBytes = 10 + this.random.below(60)
    this.server = orderingServer({
      ...settings,
      // What it is told is true, and nobody else is here to ask.
      rules: brokenOrderingRules('any-version-is-committed'),
      ...{
        checkpointBytesMin: checkpointBytesMin,
        checkpointPageBytes: checkpointPageBytes,
        recentChangesMax: 1 + this.random.below(6),
      },
    })
    this.state = this.read(0)
  }

  run(): void {
    this.step({ kind: 'start' })
    for (let count = 0; count < STEPS && this.fault === undefined; count++) this.act(this.random.below(100))
  }

  private act(chance: number): void {
    if (chance < 12) this.nextClient()
    else if (chance < 45) this.propose()
    else if (chance < 60) this.commit()
    else if (chance < 85) this.answer()
    else if (chance < 97) this.fire()
    else this.crash()
  }

  private read(length: number): ServerState {
    return this.server.init(SERVERS[0]!, SERVERS.slice(1), new Map([['', this.log.cut(length)]]))
  }

  private step(input: Input<OrderingMessage, never>): void {
    const effects: ServerEffect[] = []
    this.now += 1 + this.random.below(50)
    const { below, bytes } = this.random
    this.server.step(this.state, input, { now: this.now, below, bytes, do: effect => void effects.push(effect) })
    let { durable } = this.log
    for (const effect of effects) {
      this.perform(effect)
      if (effect.kind === 'save' && !effect.lazy) durable = this.log.length
    }
    const told = toldBy(effects, this.told)
    this.fault ??= faultOf(this.state.objects.get('o'), this.decisions, told)
    for (let length = this.log.durable; length <= this.log.length; length++) {
      this.check(length, length < durable ? this.told : told)
    }
    this.log.durable = durable
    this.told = told
  }

  private perform(effect: ServerEffect): void {
    if (effect.kind === 'save' || effect.kind === 'forget') this.log.add(effect)
    if (effect.kind === 'timer') this.timers.add(effect.name)
    if (effect.kind === 'cancel') this.timers.delete(effect.name)
    if (effect.kind !== 'send' || (effect.body.kind !== 'fetch' && effect.body.kind !== 'page')) return
    this.questions.push({ to: effect.to, body: effect.body })
  }

  private check(length: number, told: Told): void {
    if (this.fault !== undefined) return
    this.cuts++
    const read = this.read(length).objects.get('o')
    const loss = length === this.log.length ? lossOf(this.state.objects.get('o'), read) : undefined
    const fault = faultOf(read, this.decisions, told) ?? loss
    if (fault !== undefined) this.fault = `${fault}, with ${this.names(length).join(', ')}`
    if (length === this.log.length) for (const kind of this.names(length)) this.kinds.add(kind)
  }

  private names(length: number): string[] {
    return this.log.cut(length).map(record => {
      const decoded = decode(serverRecord, record)
      return decoded.ok ? decoded.value.kind : decoded.refusal
    })
  }

  private hear(from: string, body: OrderingMessage): void {
    this.step({ kind: 'message', from, body })
  }

  private nextClient(): void {
    this.counter++
    this.proposed = 0
    if (this.random.below(2) === 0) this.half = undefined
    if (this.random.below(3) === 0) return
    this.now += 10 * settings.turnMs
    this.hear('c', get(this.counter))
  }

  /** Again the newest, or what was left half done, or something new; it is decided or not, and comes here or not. */
  private propose(): void {
    const { decisions, random } = this
    const again = this.proposed === 0 && random.below(3) === 0 ? decisions.versions.at(-1) : undefined
    const half = this.half?.version === decisions.newest + 1 ? this.half : undefined
    const chosen = again ?? half ?? decisions.draw(random)
    if (this.counter === 0 || chosen.version <= this.proposed) return
    this.proposed = chosen.version
    if (chosen !== again && random.below(4) === 0) {
      this.half = chosen
      this.proposed = Number.POSITIVE_INFINITY
    } else if (chosen !== again) decisions.decide(chosen)
    if (random.below(3) === 0) return
    const { version, parent, digest, change } = chosen
    this.hear('c', { kind: 'propose', object: 'o', rank: rank(this.counter), version, parent, digest, change })
  }

  private commit(): void {
    const { decisions, random, counter } = this
    if (decisions.newest === 0) return
    const head = decisions.head(Math.max(1, decisions.newest - random.below(4)))
    this.hear('c', { kind: 'commit', object: 'o', rank: rank(counter), ...head })
  }

  /** Another server answers what it was asked, some time or other. */
  private answer(): void {
    const place = this.random.below(this.questions.length + 1)
    const asked = this.questions[place]
    if (asked === undefined) return
    this.questions.splice(place, 1)
    const { to, body } = asked
    const { object, query } = body
    const version = Math.max(0, this.decisions.newest - this.random.below(3))
    if (body.kind === 'fetch') return this.hear(to, { ...this.changes(body.from, version), object, query })
    // Of whichever version: a source goes on between two pages, and one that crashes goes back.
    const content = this.decisions.contents[version]!
    const keys = keysOf(content)
      .sort()
      .filter(key => key > body.after)
    const { entries, next } = page(content, keys, 0, 12 + this.random.below(40))
    const applied = this.decisions.head(version)
    this.hear(to, { kind: 'entries', object, query, applied, entries, more: next < keys.length })
  }

  private changes(from: number, version: number) {
    const known = from >= version - this.random.below(8)
    const end = known ? Math.min(version, from + 1 + this.random.below(5)) : 0
    const changes = this.decisions.versions.slice(from, end)
    return {
      ...{ kind: 'changes' as const, from, base: FIRST_DIGEST, known, committed: this.decisions.head(version) },
      changes: changes.map(({ version: number, change }) => ({ version: number, change })),
    }
  }

  private fire(): void {
    const names = [...this.timers, 'sweep', 'sweep']
    const name = names[this.random.below(names.length)]!
    this.timers.delete(name)
    this.step({ kind: 'timer', name })
  }

  private crash(): void {
    const { log, random } = this
    log.crash(log.durable + random.below(log.length - log.durable + 1))
    this.state = this.read(0)
    this.timers.clear()
    // Of what was asked before, some answers are still on their way.
    this.questions = this.questions.filter(() => random.below(2) === 0)
    this.step({ kind: 'start' })
  }
}

describe('a log that is cut', () => {
  it('is read as it was lived', () => {
    const kinds = new Set<string>()
    let cuts = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const story = new Story(seed)
      story.run()
      expect(story.fault && `seed ${seed}: ${story.fault}`).toBeUndefined()
      for (const kind of story.kinds) kinds.add(kind)
      cuts += story.cuts
    }
    expect([...kinds].sort()).toEqual(['blank', 'caught', 'doubtful', 'entries', 'head', 'proposal', 'rank'])
    expect(cuts).toBeGreaterThan(SEEDS * STEPS)
  })
})
