// Mirrored states are one state. Servers that run the same code from the same start can be exchanged without anybody
// noticing, so of all the states that differ only by such an exchange the explorer keeps one.
//
// The key of a state is a text made of what belongs to nobody in particular, and, for each symmetric node, of all
// that concerns it: its own state, the messages from and to it, and what the others remember under its name. Those
// parts are sorted, and their owners' names are left out. This is right as long as the others keep what they know of
// a symmetric node only in Maps under its name; a name anywhere else stops the explorer.

import { assert, fingerprint, type NodeId } from '../../core/index.ts'
import type { Moment, System } from './system.ts'

export interface Fingerprints {
  readonly own: string
  /** What this node remembers under each symmetric node's name. */
  readonly about: readonly string[]
}

export function nodeFingerprints(
  system: System,
  place: number,
  state: unknown,
  timers: ReadonlyMap<string, number>,
  records: readonly Uint8Array[],
): Fingerprints {
  const names = system.nodes.filter(node => node.symmetric).map(node => node.id)
  const { symmetric, peers } = system.nodes[place]!
  const about = new Map<NodeId, string[]>(names.map(name => [name, []]))
  const own = split(state, peers, about, '') + fingerprint(timers) + fingerprint(records)
  if (!symmetric) for (const name of names) assert(!mentions(own, name), `${name} is named outside a Map of its own`)
  return { own, about: names.map(name => about.get(name)!.sort().join()) }
}

function mentions(text: string, name: NodeId): boolean {
  return text.includes(`"${name}"`)
}

// The text of a value without what is kept under symmetric names; that goes to `about`.
function split(value: unknown, peers: readonly NodeId[], about: Map<NodeId, string[]>, path: string): string {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return fingerprint(value)
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

/** Equal for states that are equal or mirrored. */
export function keyOf(system: System, moment: Moment): string {
  const symmetric: number[] = []
  const common: string[] = [`${moment.tick} ${moment.done} ${moment.crashesLeft} ${moment.duplicatesLeft}`]
  for (const [place, node] of system.nodes.entries()) {
    if (node.symmetric) symmetric.push(place)
    else common.push(moment.nodes[place]!.fingerprints.own)
  }
  const views = symmetric.map((place, rank) => viewOf(moment, place, rank))
  const between = moment.bag
    .filter(flight => !symmetric.includes(flight.from) && !symmetric.includes(flight.to))
    .map(flight => `${flight.from}>${flight.to}${flight.text}`)
  return `${common.join('|')}#${views.sort().join('|')}#${between.sort().join('|')}`
}

function viewOf(moment: Moment, place: number, rank: number): string {
  const flights: string[] = []
  for (const flight of moment.bag) {
    if (flight.to === place) flights.push(`${flight.from}>${flight.text}`)
    else if (flight.from === place) flights.push(`<${flight.to}${flight.text}`)
  }
  const remembered = moment.nodes.map(node => node.fingerprints.about[rank])
  return `${moment.nodes[place]!.fingerprints.own};${flights.sort().join(';')};${remembered.join(';')}`
}

/** Two 53-bit hashes of a text: enough that two of a hundred million states meet with a chance below 10^-15. */
export function shortKey(text: string): string {
  return `${hash(text, 1)}.${hash(text, 2)}`
}

// cyrb53 (bryc, public domain idea): two multiply-xor lanes of 32 bits.
function hash(text: string, seed: number): string {
  let high = 0xdeadbeef ^ seed
  let low = 0x41c6ce57 ^ seed
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}
