// Lives of servers (src/node/lives), as their stores tell them: whether one was put back from an old copy, before it starts.

import { join } from 'node:path'
import { decode } from '../../core/index.ts'
import { type LivesRecord, livesRecord } from '../../node/lives/wire.ts'
import type { ServerSettings } from '../config/config.ts'
import { exists } from '../files.ts'
import { realFiles } from '../storage/files.ts'
import { LOG_NAME } from '../storage/log.ts'
import { newestOf } from '../storage/log-file.ts'
import type { Findings } from './finding.ts'

const LANE = 'lives'

/** The store's last word about lives; undefined where it has none, or cannot be read. */
export async function lifeOf({ storeFolder }: ServerSettings): Promise<LivesRecord | undefined> {
  const path = join(storeFolder, LOG_NAME)
  if (!(await exists(path))) return undefined
  const newest = await newestOf(realFiles, path, LANE).catch(() => undefined)
  const read = newest && decode(livesRecord, newest)
  return read?.ok ? read.value : undefined
}

/** What the server's own store says. */
export async function checkLife(findings: Findings, node: ServerSettings): Promise<void> {
  const own = await lifeOf(node)
  if (own === undefined) return
  const lagging = own.known ? '' : '; too few of the others had it written down yet'
  findings.ok(`this is life ${own.life} of the store${lagging}`)
}

/** The stores of a group that are in one place: of each, what the others know of it. One of them may lie, b of them. */
export async function checkLives(
  findings: Findings,
  node: ServerSettings,
  others: readonly LivesRecord[],
): Promise<void> {
  const own = await lifeOf(node)
  if (own === undefined) return
  const later = others
    .flatMap(({ seen }) => seen.filter(({ server }) => server === node.name))
    .filter(({ life, mark }) => life > own.life || (life === own.life && mark !== own.mark))
  if (later.length === 0) return
  const newest = Math.max(...later.map(({ life }) => life))
  const stores = later.length === 1 ? 'the store of another server knows' : `the stores of ${later.length} others know`
  const what = `its store is of life ${own.life}, and ${stores} life ${newest}`
  if (later.length <= node.group.trust.liars) {
    findings.warning(`${what}: it is an old copy, or that one lies`, 'Find out whether its store was put back.')
    return
  }
  findings.problem(
    `${what}: it is an old copy, and what it promised since is not in it`,
    node.group.trust.orderingQuorum === undefined
      ? 'Start it all the same: it counts its store as lost, and grants nothing until the others have told it enough.'
      : `Remove the store, and let coterie serve --rejoin ${node.folder} take its content from the others.`,
  )
}
