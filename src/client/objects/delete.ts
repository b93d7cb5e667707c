// An operator deletes an object: it is emptied, in one order with everything else, and then every server forgets it.

import { type NodeId, Refused, SettingsError, type Trust, Unavailable } from '../../core/index.ts'
import type { Applier, DeleteOutcome } from '../../ordering/index.ts'
import { saidBy } from '../questions.ts'
import { ObjectSession } from './object-session.ts'
import type { Orders } from './orders.ts'

/** What became of an object that an operator deleted. */
export interface DeletedObject {
  readonly name: string
  /** Servers that forgot it, and servers that had no such object. */
  readonly deleted: readonly NodeId[]
  readonly absent: readonly NodeId[]
}

interface Shape {
  readonly trust: Trust
  readonly servers: readonly NodeId[]
}

/** Entries that one version removes: a version takes no more. */
const ERASED_MAX = 40_000
/** Versions that it may take, and how often somebody may use it again meanwhile. */
const STEPS_MAX = 100
const ROUNDS_MAX = 5
const ERASE_MAX_MS = 10_000
const SESSION_TTL_MS = 30_000
const NOTHING = new Uint8Array(0)
const MORE = new Uint8Array([1])
/** How long servers may take to hear of the last version. */
const SETTLE_MS = 200

/** Removes entries, and tells whether there may be more. */
const eraser: Applier = {
  alone: true,
  apply(view) {
    let erased = 0
    for (const key of [...view.keys('')]) {
      if (++erased > ERASED_MAX) return MORE
      view.remove(key)
    }
    return NOTHING
  },
}

export async function deleteObject(orders: Orders, name: string, shape: Shape): Promise<DeletedObject> {
  if (orders.appliers.has(name)) {
    throw new SettingsError(`object '${name}' is open in this process: close it first, or delete it from another.`)
  }
  // Asked first: a client that is no operator changes nothing.
  let outcomes = await orders.delete(name)
  for (let round = 0; round < ROUNDS_MAX && isUsed(outcomes, name, shape); round++) {
    await erase(orders, name)
    await new Promise(resolve => setTimeout(resolve, SETTLE_MS))
    outcomes = await orders.delete(name)
  }
  return describeDeleted(name, outcomes, shape)
}

async function erase(orders: Orders, name: string): Promise<void> {
  const session = new ObjectSession(orders, name, SESSION_TTL_MS, eraser)
  try {
    for (let step = 0; step < STEPS_MAX; step++) {
      const more = await session.submit(MORE, { timeout: ERASE_MAX_MS })
      if (more.length === 0) break
    }
  } finally {
    await session.close()
  }
}

function isUsed(outcomes: ReadonlyMap<NodeId, DeleteOutcome>, name: string, { trust, servers }: Shape): boolean {
  const those = (outcome: DeleteOutcome) => servers.filter(server => outcomes.get(server) === outcome).length
  if (those('not allowed') > trust.liars) refuse(name, outcomes, servers)
  return those('in use') > 0
}

function refuse(name: string, outcomes: ReadonlyMap<NodeId, DeleteOutcome>, servers: readonly NodeId[]): never {
  const said = saidBy(servers, server => outcomes.get(server) ?? 'no answer')
  throw new Refused(
    `object '${name}' was not deleted: this client is no operator of the group. Its certificate's name must be ` +
      `among the operators in the servers' coterie.toml. ${said.list}`,
    said.answers,
  )
}

export function describeDeleted(
  name: string,
  outcomes: ReadonlyMap<NodeId, DeleteOutcome>,
  { trust, servers }: Shape,
): DeletedObject {
  const those = (outcome: DeleteOutcome) => servers.filter(server => outcomes.get(server) === outcome)
  const said = saidBy(servers, server => outcomes.get(server) ?? 'no answer')
  if (those('not allowed').length > trust.liars) refuse(name, outcomes, servers)
  const [deleted, absent, used] = [those('deleted'), those('absent'), those('in use')]
  if (used.length > trust.liars) {
    throw new Unavailable(
      `object '${name}' was emptied and is in use again: somebody opens it as soon as it is gone. Stop who uses it, and ` +
        `try again. ${said.list}`,
    )
  }
  if (deleted.length + absent.length < (trust.orderingQuorum ?? servers.length)) {
    throw new Unavailable(
      `object '${name}' may not be deleted everywhere: ${deleted.length + absent.length} of ${servers.length} servers ` +
        `answered so, and ${trust.orderingQuorum} are needed. Its content is gone. Try again when more of them answer ` +
        `(coterie status). ${said.list}`,
    )
  }
  return { name, deleted, absent }
}
