// Mirrored states are one state. Servers that run the same code from the same start can be exchanged without anybody
// noticing, so of all the states that differ only by such an exchange the explorer keeps one.
//
// A node's state is split: what it remembers under the name of a symmetric node, in Maps, and the rest. The key of
// the whole is made of what belongs to nobody in particular, and, for each symmetric node, of all that concerns it: its
// own state, the messages from and to it, and what the others remember under its name. Those parts are sorted, and
// their owners' names are left out.
//
// This is right only if no symmetric node is named anywhere else: then to exchange two of them in a state is to exchange
// their two parts. So a name outside such a Map, in a message, in a timer, or in the memory of another symmetric
// node stops the explorer, and so does a message between two of them.

import { assert, fingerprint, type NodeId } from '../../core/index.ts'
import type { System } from './system.ts'

export interface Split {
  readonly own: string
  /** What this node remembers under each symmetric node's name. */
  readonly about: readonly string[]
}

export function symmetricNames(system: System): NodeId[] {
  return system.nodes.filter(node => node.symmetric).map(node => node.id)
}

export function splitNode(
  system: System,
  place: number,
  state: unknown,
  timers: ReadonlyMap<string, number>,
  disk: unknown,
): Split {
  const names = symmetricNames(system)
  const { id, symmetric, peers } = system.nodes[place]!
  const about = new Map<NodeId, string[]>(names.map(name => [name, []]))
  const own = `${split(state, peers, about, '')} ${fingerprint(timers)} ${fingerprint(disk)}`
  const texts = names.map(name => about.get(name)!.sort().join())
  refuseNames(names, own, id)
  for (const text of texts) {
    refuseNames(names, text, id)
    assert(!symmetric || text === '', `${id} remembers another symmetric node`)
  }
  return { own, about: texts }
}

export function refuseNames(names: readonly NodeId[], text: string, where: string): void {
  for (const name of names) assert(!text.includes(name), `${where}: ${name} is named outside a Map of its own`)
}

// The text of a value without what is kept under symmetric names; that goes to `about`.
function split(value: unknown, peers: readonly NodeId[], about: Map<NodeId, string[]>, path: string): string {
  if (typeof value !== 'object' || value === null) return fingerprint(value)
  // A name in a Set is refused: only Maps are kept under names.
  if (value instanceof Uint8Array || value instanceof Set) return fingerprint(value)
  if (Array.isArray(value)) {
    // The list of all peers never changes.
    if (value.length === peers.length && value.every((item, place) => item === peers[place])) return 'peers'
    return `[${value.map((item, place) => split(item, peers, about, `${path}.${place}`)).join()}]`
  }
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  const parts: string[] = []
  for (const [key, item] of entries) {
    const theirs = value instanceof Map && typeof key === 'string' ? about.get(key) : undefined
    const text = split(item, peers, about, `${path}/${String(key)}`)
    if (theirs === undefined) parts.push(`${fingerprint(key)}:${text}`)
    else theirs.push(`${path}=${text}`)
  }
  return `{${parts.sort().join()}}`
}
