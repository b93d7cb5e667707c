// Members that gossip by interest, while some die and come back, and some lie. After twenty rounds nearly everything that is wanted
// comes.

import type { NodeId, Random } from '../../../core/index.ts'
import { idealSignatures } from '../../../crypto/index.ts'
import {
  type Micros,
  overheard,
  type Plan,
  pick,
  type Scenario,
  ScenarioStage,
  type SimulatedNode,
  type World,
} from '../../../simulator/index.ts'
import { eventsDefaults } from '../../defaults.ts'
import { type Attributes, parseFilter } from '../../filter.ts'
import { hashedPlace } from '../../interest/gossiping.ts'
import { interest } from '../../interest/machine.ts'
import type { InterestRules } from '../../interest/rules.ts'
import { type InterestSettings, interestBasics } from '../../interest/settings.ts'
import type { InterestEvent, InterestState } from '../../interest/state.ts'
import { type InterestMessage, interestVocabulary } from '../../interest/wire.ts'
import { InterestChecker } from './checker.ts'
import { interestLiars } from './liars.ts'

export type InterestAct =
  | { kind: 'publish'; node: NodeId; attributes: Attributes }
  /** A member dies; others notice by its silence alone. With `lasts` it comes back. */
  | { kind: 'die'; node: NodeId; lasts?: Micros }

/** Everything that is drawn for one run. */
export interface InterestPlan extends Plan<InterestAct> {
  readonly members: readonly NodeId[]
  readonly filters: ReadonlyMap<NodeId, unknown>
  readonly liars: ReadonlyMap<NodeId, number>
}

/** What a run is about. */
export interface InterestOptions {
  readonly members?: number
  readonly liars?: number
  readonly rules: InterestRules
}

const SECOND: Micros = 1_000_000
const GROUP = 'shop'
const ROUND_MS = 200
/** Twenty rounds. */
const SETTLED = 20 * ROUND_MS * 1_000
const SAFETY = 14 * SECOND
const ENDS = 17 * SECOND
const WINDOW_MS = 2_000
/** Of what is wanted so much comes. A member that swallows costs a little more than one that dies. */
const RATIO = { honest: 0.99, lied: 0.97 }
const SPAN = 1_000
/** Who dies for good does so early, and by then it is forgotten: its age goes on from hand to hand, and each loses part of a round. */
const DIES_WITHIN = 2 * SECOND
const FORGOTTEN = 40 * ROUND_MS * 1_000
/** Membership tells so long after a death those who know of the member. */
const NOTICED = 2 * SECOND
/** Whom a member knows of when it begins. */
const STEPS = [1, 2, 5]

/** Members that gossip by interest, for the simulator. */
export function interestScenario(options: InterestOptions): Scenario<InterestPlan, InterestAct> {
  return {
    name: 'interest',
    plan: random => drawPlan(random, options),
    stage: (world, plan) => new InterestStage(world, plan, options.rules).begin(),
  }
}

function drawPlan(random: Random, options: InterestOptions): InterestPlan {
  const count = options.members ?? 20 + random.below(11)
  const members = Array.from({ length: count }, (_, place) => `member-${place + 1}`)
  const kinds = interestLiars()
  const liars = new Map<NodeId, number>()
  while (liars.size < (options.liars ?? 1)) liars.set(pick(random, members), random.below(kinds.length))
  const wide = random.chance(0.3)
  const filters = new Map(members.map(id => [id, drawFilter(random, wide)]))
  const deaths = random.below(Math.floor(count / 5) + 1)
  return {
    members,
    filters,
    liars,
    network: {
      delayMin: 300,
      delaySpread: 1 + random.below(20_000),
      tailChance: 0,
      tailMax: 1,
      loss: 0,
      duplication: 0,
      inOrder: true,
    },
    faults: [],
    acts: drawActs(random, members, liars, deaths),
    healsAt: SAFETY,
    ends: ENDS,
    drawn: {
      members: count,
      attributes: wide ? 2 : 1,
      deaths,
      liars: [...liars].map(([name, kind]) => `${name} ${kinds[kind]!.name}`).join(', ') || 'none',
    },
  }
}

function drawFilter(random: Random, wide: boolean): unknown {
  const between = (width: number) => {
    const from = random.below(SPAN)
    return { gte: from, lte: from + random.below(width) }
  }
  return wide ? { price: between(500), volume: between(700) } : { price: between(300) }
}

function drawActs(
  random: Random,
  members: readonly NodeId[],
  liars: ReadonlyMap<NodeId, number>,
  deaths: number,
): InterestPlan['acts'] {
  const acts: InterestPlan['acts'][number][] = []
  for (const node of members) {
    for (let i = 6 + random.below(10); i > 0; i--) {
      const attributes = { price: random.below(SPAN + 200), volume: random.below(SPAN + 400) }
      acts.push({ kind: 'publish', node, attributes, at: random.below(SAFETY) })
    }
  }
  for (let i = 0; i < deaths; i++) {
    const node = pick(random, members)
    if (liars.has(node)) continue
    const lasts = 1 + random.below(3 * SECOND)
    if (random.chance(0.5)) acts.push({ kind: 'die', node, lasts, at: SETTLED + random.below(SAFETY - SETTLED) })
    else acts.push({ kind: 'die', node, at: SETTLED + random.below(DIES_WITHIN) })
  }
  return acts
}

class InterestStage extends ScenarioStage<InterestPlan, InterestAct, InterestEvent> {
  private readonly checker = new InterestChecker()
  readonly checkers = [this.checker]
  private readonly rules: InterestRules
  private readonly signatures = idealSignatures()
  /** Who died for good, and when. */
  private readonly buried = new Map<NodeId, Micros>()

  constructor(world: World, plan: InterestPlan, rules: InterestRules) {
    super(world, plan)
    this.rules = rules
  }

  private settings(name: NodeId): InterestSettings {
    const { signatures } = this
    return {
      ...interestBasics,
      rules: this.rules,
      group: GROUP,
      hash: eventsDefaults.hash,
      signatures,
      signer: signatures.signer(name),
      keyOf: ({ member }) => signatures.signer(member).publicKey,
      keyFor: member => signatures.signer(member).publicKey,
      round: ROUND_MS,
      patience: 100,
      window: WINDOW_MS,
      ...(this.plan.liars.size === 0 && { entries: 1, fans: 1 }),
    }
  }

  protected populate(): void {
    const kinds = interestLiars()
    for (const id of this.plan.members) {
      const kind = this.plan.liars.get(id)
      const spec = {
        id,
        protocol: overheard<InterestState, InterestMessage, InterestEvent>(interest(this.settings(id)), effect => {
          if (effect.kind === 'send') this.watch(id, effect.to)
          return true
        }),
        peers: this.plan.members,
        vocabulary: interestVocabulary,
      }
      this.addNode(spec, kind === undefined ? undefined : one => kinds[kind]!.corrupt(one))
      this.begins(id)
    }
  }

  /** Its user begins: it knows three others, and wants what it wants. */
  private begins(id: NodeId): void {
    const { world, plan } = this
    world.start(id)
    const at = plan.members.indexOf(id)
    for (const step of STEPS) {
      const member = plan.members[(at + step) % plan.members.length]!
      if (this.buried.has(member)) continue
      world.command(id, { kind: 'changed', view: { member, identity: new Uint8Array(), here: true } })
    }
    const filter = parseFilter(plan.filters.get(id))
    world.command(id, { kind: 'subscribe', id: 1, channel: 'prices', filter })
    if (plan.liars.has(id)) return
    const { now: since } = world
    const until = Number.POSITIVE_INFINITY
    const reader = { member: id, filter, since, until, handed: new Set<number>() }
    this.checker.readers.set(`${id} ${world.node(id).life}`, reader)
  }

  protected act(act: InterestAct): void {
    const { world } = this
    const { node } = act
    if (world.node(node).host === undefined) return
    if (act.kind === 'die') {
      const reader = this.checker.readers.get(`${node} ${world.node(node).life}`)
      if (reader !== undefined) reader.until = world.now
      world.crash(node)
      if (act.lasts === undefined) return this.buries(node)
      return world.at(world.now + act.lasts, () => this.begins(node))
    }
    const number = this.nextCommand()
    const { attributes } = act
    // What a liar publishes may reach some.
    const at = this.plan.liars.has(node) ? Number.NEGATIVE_INFINITY : world.now
    this.checker.published.set(number, { author: node, number, attributes, at })
    const payload = new TextEncoder().encode(String(number))
    world.command(node, { kind: 'publish', id: number, channel: 'prices', content: { attributes, payload, time: 0 } })
  }

  /** It does not come back, and membership says so to those whom it told of the member. */
  private buries(node: NodeId): void {
    const { world, plan } = this
    this.buried.set(node, world.now)
    const view = { member: node, identity: new Uint8Array(), here: false }
    const at = plan.members.indexOf(node)
    world.at(world.now + NOTICED, () => {
      for (const step of STEPS) {
        const id = plan.members[(at - step + plan.members.length) % plan.members.length]!
        if (world.node(id).host !== undefined) world.command(id, { kind: 'changed', view })
      }
    })
  }

  /** A member that chooses where it stands can sit down on both sides of another. */
  private lookAtPlaces(id: NodeId): void {
    const settings = { hash: eventsDefaults.hash, group: GROUP }
    for (const [member, { place }] of this.stateOf<InterestState>(id)?.links ?? []) {
      if (place !== hashedPlace(settings, member)) this.checker.chosePlace(member, id, this.world.now)
    }
  }

  private watch(from: NodeId, to: NodeId): void {
    const since = this.buried.get(to)
    // A liar can keep the dead alive: then they cost a message now and then, and no more.
    if (since === undefined || this.plan.liars.size > 0 || this.world.now - since < FORGOTTEN) return
    this.checker.spokeToDead(from, to, this.world.now)
  }

  protected observe(node: SimulatedNode, event: InterestEvent): void {
    const { id } = node.spec
    if (event.kind !== 'handed' || this.plan.liars.has(id)) return
    const number = Number(new TextDecoder().decode(event.content.payload))
    this.checker.handed(`${id} ${node.life}`, event.source.author, number, this.world.now)
  }

  protected override finish(): void {
    for (const id of this.plan.members) this.lookAtPlaces(id)
    const ratio = this.plan.liars.size === 0 ? RATIO.honest : RATIO.lied
    this.checker.aim({ from: SETTLED, settles: SETTLED / 2, ratio }, this.world.now)
  }
}
