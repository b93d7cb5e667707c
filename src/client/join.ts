// Becoming a member of a group: a process of its own name, that its peers dial and that dials them.

import { optionsSchema, type Rule, type Rules, required, SettingsError, textOf } from '../core/index.ts'
import type { Attribute } from '../election/index.ts'
import { DISTANCE_TOLERANCE } from '../node/hints/standing.ts'
import type { MemberEvent } from '../node/member.ts'
import { loadNodeConfig } from '../runtime/config/config.ts'
import { type RunningMember, startMember } from '../runtime/member.ts'
import { type LogTarget, logRule, logTo } from './log.ts'
import { MemberMeter, type MetricsOptions } from './metrics.ts'
import { metricsRule } from './metrics-rule.ts'
import { type Attributes, attributesRule, numberOf } from './peers/attributes.ts'
import { JoinedGroup } from './peers/joined-group.ts'

/** Which member this process is, and what it says of itself. */
export interface JoinOptions {
  /** The member's folder, as `coterie init --members` or `coterie member add` made it. */
  readonly config: string
  /** What this member says of itself; a function is asked again every two seconds. */
  readonly attributes?: Attributes
  /** What coordinators are chosen by, the most important first, three at most. The same in the whole group. */
  readonly ranking?: readonly Attribute[]
  /** Where the member's log goes: a function, a logger such as pino, or `console`. Default: nowhere. */
  readonly log?: LogTarget
  /** Where this member puts its numbers: a registry of prom-client. Default: nowhere. */
  readonly metrics?: MetricsOptions
}

const RANKING_MAX = 3
const rankingRule: Rule = {
  must: `a list of 1 to ${RANKING_MAX} attributes, such as { name: 'joined', best: 'small', tolerance: 0 }`,
  fits: value => Array.isArray(value) && value.length >= 1 && value.length <= RANKING_MAX && value.every(isAttribute),
}

function isAttribute(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { name, best, tolerance } = value as Partial<Attribute>
  const isBest = best === 'small' || best === 'large'
  return typeof name === 'string' && name !== '' && isBest && Number.isFinite(tolerance) && (tolerance ?? -1) >= 0
}

export const joinRules: Rules<JoinOptions> = {
  config: required(textOf("the member's folder, as coterie init --members or coterie member add made it")),
  attributes: attributesRule,
  ranking: rankingRule,
  log: logRule,
  metrics: metricsRule,
}
const checkOptions = optionsSchema<JoinOptions>(joinRules)

/** SRCEA's attributes: near the centre, long in the group, seldom failed. */
const RANKING: readonly Attribute[] = [
  { name: 'distance', best: 'small', tolerance: DISTANCE_TOLERANCE },
  { name: 'joined', best: 'small', tolerance: 0 },
  { name: 'failures', best: 'small', tolerance: 0 },
]

/** Makes this process a member of a group: it is seen by the others, may lead, and may ask for seats. */
export async function join(options: JoinOptions): Promise<JoinedGroup> {
  checkOptions('join', options)
  const config = await loadNodeConfig(options.config)
  if (config.role !== 'member') {
    throw new SettingsError(
      `${config.file} is a ${config.role}'s; join with a member's folder (coterie member add NAME makes one).`,
    )
  }
  const { attributes = {}, ranking = RANKING } = options
  const log = logTo(options.log)
  const values = Object.entries(attributes).map(([name, value]) => ({
    name,
    value: numberOf(name, value),
  }))
  const meter = options.metrics === undefined ? undefined : new MemberMeter(options.metrics, config.name)
  let group: JoinedGroup | undefined
  // What the node says before there is anybody to hear it.
  const early: MemberEvent[] = []
  const node: RunningMember = await startMember({
    config,
    log,
    attributes: values,
    ranking,
    event: event => (group === undefined ? early.push(event) : group.event(event)),
    ...(meter && { meter }),
    failed: error => group?.ended(error),
  })
  group = new JoinedGroup(config.name, node, attributes, log)
  for (const event of early.splice(0)) group.event(event)
  return group
}
