// What must hold between two inputs of a server. Of one object only: a server may have a hundred thousand.

import { assert } from '../../core/index.ts'
import { compareRanks } from '../rules.ts'
import { COMPLAINTS_SHOWN_MAX } from '../wire.ts'
import type { ServerObject, ServerState } from './state.ts'

export function checkServer({ touched, rejoin, rejoins, complaints }: ServerState): void {
  assert(rejoin === undefined || rejoins !== 'done', 'rejoins, and has its state back')
  assert(complaints.lines.size <= COMPLAINTS_SHOWN_MAX, 'keeps more complaints than it shows')
  if (touched !== undefined) checkObject(touched)
}

function checkObject(object: ServerObject): void {
  const { name, committed, content, proposed, promised, recent, unapplied, doubtful, pending } = object
  const holds = (condition: boolean, what: string) => assert(condition, `object '${name}': ${what}`)
  const { version } = content
  holds(version <= committed.version, `has version ${version} and committed ${committed.version}`)
  holds(proposed === undefined || compareRanks(proposed.rank, promised) <= 0, 'took a rank above its promise')
  const newest = recent.at(-1)
  holds(newest === undefined || newest.version === version, 'its changes do not lead to its content')
  holds(object.recentBytes >= 0 && (recent.length > 0 || object.recentBytes === 0), 'miscounts its recent changes')
  holds(!unapplied.has(version) && !doubtful.has(version), 'keeps a change that it has applied')
  holds(object.pendingBytes >= 0 && (pending.size > 0 || object.pendingBytes === 0), 'miscounts what waits')
  holds(object.pendingOf.size <= pending.size, 'counts clients for whom nothing waits')
  holds(object.fetching === undefined || object.copying === undefined, 'fetches changes and copies at once')
  holds(object.holdsUntil >= object.spokeAt, 'gave a turn that was over before it began')
  holds(!object.blank, 'has a table of no version')
}
