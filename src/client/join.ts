// Becoming a member of a group: a process of its own name, that its peers dial and that dials them.

import { SettingsError } from '../core/index.ts'
import type { Attribute } from '../election/index.ts'
import { DISTANCE_TOLERANCE } from '../node/hints/standing.ts'
import type { MemberEvent } from '../node/member.ts'
import { loadNodeConfig } from '../runtime/config/config.ts'
import { silence } from '../runtime/log.ts'
import { type RunningMember, startMember } from '../runtime/member.ts'
import type { Log } from '../runtime/transport/index.ts'
import { MemberMeter, type MetricsOptions } from './metrics.ts'
import { type Attributes, numberOf } from './peers/attributes.ts'
import { JoinedGroup } from './peers/joined-group.ts'

/** Which member this process is, and what it says of itself. */
export interface JoinOptions {
  /** The member's folder, as `coterie init --members` or `coterie member add` made it. */
  readonly config: string
  /** What this member says of itself; a function is asked again every two seconds. */
  readonly attributes?: Attributes
  /** What coordinators are chosen by, the most important first, three at most. The same in the whole group. */
  readonly ranking?: readonly Attribute[]
  readonly log?: Log
  /** Where this member puts its numbers: a registry of prom-client. Default: nowhere. */
  readonly metrics?: MetricsOptions
}

/** SRCEA's attributes: near the centre, long in the group, seldom failed. */
const RANKING: readonly Attribute[] = [
  { name: 'distance', best: 'small', tolerance: DISTANCE_TOLERANCE },
  { name: 'joined', best: 'small', tolerance: 0 },
  { name: 'failures', best: 'small', tolerance: 0 },
]

/** Makes this process a member of a group: it is seen by the others, may lead, and may ask for seats. */
export async function join(options: JoinOptions): Promise<JoinedGroup> {
  const config = await loadNodeConfig(options.config)
  if (config.role !== 'member') {
    throw new SettingsError(
      `${config.file} is a ${config.role}'s; join with a member's folder (coterie member add NAME makes one).`,
    )
  }
  const { attributes = {}, log = silence, ranking = RANKING } = options
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
