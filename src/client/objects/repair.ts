// What came of repairing an object, as its operator is told.

import { type NodeId, Refused, type Trust, Unavailable } from '../../core/index.ts'
import type { RepairOutcome } from '../../ordering/index.ts'
import { saidBy } from '../questions.ts'

/** What became of an object that an operator repaired. */
export interface RepairedObject {
  readonly name: string
  /** The newest version that more servers have than can lie: the object goes on from there, or from a later one. */
  readonly version: number
  /** Servers that let go of something, and servers that had nothing to let go of. */
  readonly repaired: readonly NodeId[]
  readonly sound: readonly NodeId[]
}

interface Shape {
  readonly trust: Trust
  readonly servers: readonly NodeId[]
}

export function describeRepaired(
  name: string,
  version: number,
  outcomes: ReadonlyMap<NodeId, RepairOutcome>,
  { trust, servers }: Shape,
): RepairedObject {
  const those = (outcome: RepairOutcome) => servers.filter(server => outcomes.get(server) === outcome)
  const said = saidBy(servers, server => outcomes.get(server) ?? 'no answer')
  // More than can lie say so.
  if (those('not allowed').length > trust.liars) {
    throw new Refused(
      `object '${name}' was not repaired: this client is no operator of the group. Its certificate's name must be ` +
        `among the operators in the servers' coterie.toml. ${said.list}`,
      said.answers,
    )
  }
  const [repaired, sound] = [those('repaired'), those('sound')]
  if (repaired.length + sound.length < (trust.orderingQuorum ?? servers.length)) {
    throw new Unavailable(
      `object '${name}' may not be repaired: ${repaired.length + sound.length} of ${servers.length} servers answered, ` +
        `and ${trust.orderingQuorum} are needed. Try again when more of them answer (coterie status). ${said.list}`,
    )
  }
  return { name, version, repaired, sound }
}
