// Members that route events to each other, while the trees change under load and as many as may be faulty are: they lie, are
// cut off, stand still, or die and come back.

import type { NodeId, Random } from '../../../core/index.ts'
import { idealSignatures } from '../../../crypto/index.ts'
import {
  type Fault,
  type Micros,
  overheard,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type Timed,
  type World,
} from '../../../simulator/index.ts'
import { eventsDefaults } from '../../defaults.ts'
import { type Attributes, parseFilter } from '../../filter.ts'
import { routing } from '../../routing/machine.ts'
import type { RoutingRules } from '../../routing/rules.ts'
import { type RoutingSettings, routingBasics } from '../../routing/settings.ts'
import type { RoutingEvent, RoutingState } from '../../routing/state.ts'
import { type RoutingMessage, routingVocabulary } from '../../routing/wire.ts'
import { RoutingChecker } from './checker.ts'
import { routingLiars } from './liars.ts'

export type RoutingAct =
  | { kind: 'subscribe'; node: NodeId; wish: number; filter: unknown; channel: string }
  | { kind: 'unsubscribe'; node: NodeId; wish: number }
  | { kind: 'publish'; node: NodeId; attributes: Attributes; channel: string }
  /** A newer list; each member hears of it within so long. */
  | { kind: 'overlay'; members: readonly NodeId[]; spread: Micros }
  /** A member that is faulty and honest dies, and is started again. */
  | { kind: 'die'; node: NodeId; lasts: Micros }

/** Everything that is drawn for one run. */
export interface RoutingPlan extends Plan<RoutingAct> {
  readonly members: readonly NodeId[]
  readonly trees: number
  readonly clausesMax: number
  /** How long events go out in both, in milliseconds. Where all are ready, none is needed. */
  readonly grace: number
  /** Which faulty members lie, and how. */
  readonly liars: ReadonlyMap<NodeId, number>
  /** Members on which nothing is demanded. */
  readonly faulty: readonly NodeId[]
}

/** What a run is about. */
export interface RoutingOptions {
  readonly members?: number
  /** Faulty members of any kind; there is one tree more. */
  readonly liars?: number
  /** Among its lists are two of which the second overtakes the first on the way to some. */
  readonly hasty?: boolean
  readonly rules: RoutingRules
}

const SECOND: Micros = 1_000_000
const SAFETY = 16 * SECOND
const ENDS = 28 * SECOND
/** How long the first list takes to be known. */
const FIRST_SPREAD = SECOND / 10
/** After this long a wish has reached everybody, and an event all who want it. */
const SETTLES = 3 * SECOND
/** From then on those that were cut off, stood still or died are as good as any. */
const HEALED = SAFETY + 5 * SECOND
/** Of so many events one is published with receipts. */
const RECEIPTS_EVERY = 4
const CHANNELS = ['prices', 'orders']
const SYMBOLS = ['AA', 'AB', 'B']

/** Members that route events to each other, for the simulator. */
export function routingScenario(options: RoutingOptions): Scenario<RoutingPlan, RoutingAct> {
  return {
    name: 'routing',
    plan: random => drawPlan(random, options),
    stage: (world, plan) => new RoutingStage(world, plan, options.rules).begin(),
  }
}

function drawPlan(random: Random, options: RoutingOptions): RoutingPlan {
  const count = options.members ?? 4 + random.below(7)
  const members = Array.from({ length: count }, (_, place) => `member-${place + 1}`)
  const most = options.liars ?? 1
  const faulty = [...members].sort(() => (random.chance(0.5) ? 1 : -1)).slice(0, most)
  const kinds = routingLiars()
  const liars = new Map<NodeId, number>()
  for (const id of faulty) if (random.chance(0.7)) liars.set(id, random.below(kinds.length))
  const clausesMax = pick(random, [2, 3, 6, 32])
  const grace = pick(random, [0, 1_500])
  const acts = [...drawActs(random, members, faulty), ...(options.hasty ? drawHasty(random, members, faulty) : [])]
  return {
    members,
    trees: most + 1,
    clausesMax,
    grace,
    liars,
    faulty,
    network: {
      delayMin: 300,
      delaySpread: 1 + random.below(60_000),
      tailChance: 0,
      tailMax: 1,
      loss: 0,
      duplication: 0,
      // Members are linked by connections: what is said comes in order, or not at all.
      inOrder: true,
    },
    faults: drawCuts(random, faulty),
    acts,
    healsAt: SAFETY,
    ends: ENDS,
    drawn: {
      members: count,
      trees: most + 1,
      clausesMax,
      liars: [...liars].map(([name, kind]) => `${name} ${kinds[kind]!.name}`).join(', ') || 'none',
    },
  }
}

/** Only the faulty ones are cut off, stand still or are slow. */
function drawCuts(random: Random, faulty: readonly NodeId[]): Timed<Fault>[] {
  const faults: Timed<Fault>[] = []
  for (const node of faulty) {
    for (let i = random.below(3); i > 0; i--) {
      const at = random.below(SAFETY)
      const lasts = 1 + random.below(4 * SECOND)
      const kind = pick(random, ['pause', 'partition', 'slow'] as const)
      if (kind === 'partition') faults.push({ kind, side: [node], lasts, oneWay: random.chance(0.3), at })
      else if (kind === 'pause') faults.push({ kind, node, lasts, at })
      else faults.push({ kind, node, lasts, factor: 2 + random.below(30), at })
    }
  }
  return faults
}

function drawFilter(random: Random): unknown {
  const from = random.below(10)
  const price = { gte: from, lte: from + random.below(10) }
  switch (random.below(5)) {
    case 0:
      return { price }
    case 1:
      return { symbol: pick(random, SYMBOLS), price }
    case 2:
      return { symbol: { prefix: 'A' } }
    case 3:
      return { $or: [{ symbol: 'B' }, { price: { lt: from } }] }
    default:
      return { price: { lte: from }, symbol: { not: 'B' } }
  }
}

function drawActs(random: Random, members: readonly NodeId[], faulty: readonly NodeId[]): RoutingPlan['acts'] {
  const acts: RoutingPlan['acts'][number][] = []
  let wish = 0
  for (const node of members) {
    for (let i = random.below(7); i > 0; i--) {
      const at = SECOND / 5 + random.below(random.chance(0.5) ? SECOND : SAFETY - SECOND)
      const channel = pick(random, CHANNELS)
      acts.push({ kind: 'subscribe', node, wish: ++wish, filter: drawFilter(random), channel, at })
      if (random.chance(0.5)) acts.push({ kind: 'unsubscribe', node, wish, at: at + 1 + random.below(SAFETY - at) })
    }
    for (let i = 5 + random.below(25); i > 0; i--) {
      const attributes = { price: random.below(20), symbol: pick(random, SYMBOLS) }
      const at = 3 * SECOND + random.below(SAFETY - 3 * SECOND)
      acts.push({ kind: 'publish', node, attributes, channel: pick(random, CHANNELS), at })
    }
  }
  for (let i = random.below(4); i > 0; i--) {
    const guests = members.filter(id => !faulty.includes(id) || random.chance(0.7))
    const at = 3 * SECOND + random.below(SAFETY - 5 * SECOND)
    acts.push({ kind: 'overlay', members: guests, spread: 1 + random.below(SECOND / 2), at })
  }
  for (const node of faulty) {
    if (random.chance(0.5))
      acts.push({
        kind: 'die',
        node,
        lasts: random.below(3 * SECOND),
        at: 2 * SECOND + random.below(SAFETY - 6 * SECOND),
      })
  }
  return acts
}

/**
 * Two lists, the second before the first is known everywhere: who hears of it sooner never makes the trees of the first. And the
 * faulty are gone meanwhile, so that the trees of the second take as long as patience lasts.
 */
function drawHasty(random: Random, members: readonly NodeId[], faulty: readonly NodeId[]): RoutingPlan['acts'] {
  const at = 3 * SECOND + random.below(SAFETY - 5 * SECOND)
  const spread = SECOND / 2
  return [
    ...faulty.map(node => ({ kind: 'die', node, lasts: 3 * SECOND, at: at - 1 }) as const),
    { kind: 'overlay', members, spread, at },
    { kind: 'overlay', members, spread: 1 + random.below(spread), at: at + 1 + random.below(spread) },
  ]
}

class RoutingStage extends ScenarioStage<RoutingPlan, RoutingAct, RoutingEvent> {
  private readonly checker = new RoutingChecker()
  readonly checkers = [this.checker]
  private readonly rules: RoutingRules
  private readonly signatures = idealSignatures()
  private records: { number: number; members: readonly NodeId[] }[] = []
  private readonly sound: ReadonlySet<NodeId>

  constructor(world: World, plan: RoutingPlan, rules: RoutingRules) {
    super(world, plan)
    this.rules = rules
    this.sound = new Set(plan.members.filter(id => !plan.faulty.includes(id)))
  }

  private settings(name: NodeId): RoutingSettings {
    const { hash } = eventsDefaults
    const { signatures } = this
    return {
      ...routingBasics,
      rules: this.rules,
      group: 'shop',
      trees: this.plan.trees,
      hash,
      signatures,
      signer: signatures.signer(name),
      keyOf: ({ member }) => signatures.signer(member).publicKey,
      clausesMax: this.plan.clausesMax,
      beat: 250,
      patience: 1_500,
      grace: this.plan.grace,
      retireAfter: 4_000,
      window: 1_000,
    }
  }

  protected populate(): void {
    const { members, liars } = this.plan
    const kinds = routingLiars()
    for (const id of members) {
      const kind = liars.get(id)
      const honest = routing(this.settings(id))
      const watched = overheard<RoutingState, RoutingMessage, RoutingEvent>(honest, effect => {
        if (effect.kind === 'send' && effect.body.kind === 'event') this.watch(id, effect.to, effect.body)
        return true
      })
      const spec = {
        id,
        protocol: kind === undefined ? watched : honest,
        peers: members,
        vocabulary: routingVocabulary,
      }
      this.addNode(spec, kind === undefined ? undefined : one => kinds[kind]!.corrupt(one))
      this.world.start(id)
      this.tellMembers(id)
    }
    // No act: a run that is shrunk could leave it out, and without any list nothing reaches anybody.
    this.world.at(1, () => this.change({ members, spread: FIRST_SPREAD }))
  }

  private watch(from: NodeId, to: NodeId, { place, source, item }: RoutingMessage & { kind: 'event' }): void {
    const event = `${source.author}/${source.boot}/${item.counter}`
    this.checker.passed(event, `${place.overlay}/${place.tree}: ${from} → ${to}`, this.world.now)
  }

  private tellMembers(id: NodeId): void {
    for (const member of this.plan.members) {
      this.world.command(id, { kind: 'changed', view: { member, identity: new Uint8Array() } })
    }
  }

  protected act(act: RoutingAct): void {
    const { world } = this
    if (act.kind === 'overlay') return this.change(act)
    const { node } = act
    if (world.node(node).host === undefined) return
    if (act.kind === 'die') {
      world.crash(node)
      // It remembers nothing, and its user is gone with it.
      for (const wish of this.checker.wishes.values()) if (wish.member === node) wish.until = world.now
      return world.at(world.now + act.lasts, () => this.restart(node))
    }
    const key = act.kind === 'publish' ? '' : `${node} ${act.wish}`
    if (act.kind === 'publish') return this.publish(act)
    if (act.kind === 'unsubscribe') {
      const wish = this.checker.wishes.get(key)
      if (wish !== undefined) wish.until = world.now
      return world.command(node, { kind: 'unsubscribe', id: act.wish })
    }
    const filter = parseFilter(act.filter)
    const until = Number.POSITIVE_INFINITY
    const wish = { member: node, channel: act.channel, filter, since: world.now, until, handed: new Set<number>() }
    this.checker.wishes.set(key, wish)
    world.command(node, { kind: 'subscribe', id: act.wish, channel: act.channel, filter })
  }

  private publish({ node, attributes, channel }: Extract<RoutingAct, { kind: 'publish' }>): void {
    const number = this.nextCommand()
    this.checker.published.set(number, { author: node, number, channel, attributes, at: this.world.now })
    const payload = new TextEncoder().encode(String(number))
    const receipts = number % RECEIPTS_EVERY === 0
    const content = { attributes, payload, time: number }
    this.world.command(node, { kind: 'publish', id: number, channel, content, receipts })
  }

  private change({ members, spread }: Pick<Extract<RoutingAct, { kind: 'overlay' }>, 'members' | 'spread'>): void {
    const { world } = this
    const record = { number: this.records.length + 1, members }
    this.records.push(record)
    for (const [place, id] of this.plan.members.entries()) {
      const after = Math.floor((spread * ((place * 7) % this.plan.members.length)) / this.plan.members.length)
      world.at(world.now + after, () => {
        if (world.node(id).host !== undefined) world.command(id, { kind: 'overlay', record })
      })
    }
  }

  private restart(node: NodeId): void {
    this.world.start(node)
    this.tellMembers(node)
    const record = this.records.at(-1)
    if (record !== undefined) this.world.command(node, { kind: 'overlay', record })
  }

  protected observe(node: SimulatedNode, event: RoutingEvent): void {
    const { id } = node.spec
    if (event.kind === 'handed' && !this.plan.liars.has(id)) {
      const number = Number(new TextDecoder().decode(event.content.payload))
      this.checker.handed(`${id} ${event.id}`, event.source.author, number, this.world.now)
    }
    if (event.kind === 'received' && this.sound.has(id)) {
      const honest = event.members.filter(member => !this.plan.liars.has(member))
      this.checker.received(event.id, honest, this.world.now)
      this.checker.answered(event.id, { all: this.sound, silent: event.silent }, this.world.now)
    }
  }

  protected override demand(): void {
    this.world.at(HEALED, () => {
      for (const [place, node] of this.honest.entries()) {
        for (const channel of CHANNELS) {
          for (const symbol of SYMBOLS)
            this.publish({ kind: 'publish', node, attributes: { price: (place * 3) % 20, symbol }, channel })
        }
      }
    })
  }

  /** Those of the last list that never lied. */
  private get honest(): NodeId[] {
    return this.records.at(-1)!.members.filter(id => !this.plan.liars.has(id))
  }

  protected override finish(): void {
    const { now } = this.world
    this.checker.complete({ among: this.sound, from: 0, settles: SETTLES }, now)
    this.checker.complete({ among: new Set(this.honest), from: HEALED, settles: SETTLES }, now)
    if (this.plan.faulty.length > 0) return
    for (const id of this.plan.members) {
      if ((this.stateOf<RoutingState>(id)?.repeats ?? 0) > 0) this.checker.repeated(id, this.world.now)
    }
  }
}
