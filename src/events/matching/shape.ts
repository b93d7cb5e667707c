// All clauses that are looked up alike: the same keys, ranges, attributes that must be there and that must not. An event
// asks a shape once: its keys lead through a tree of maps, one level a key, to the entries that have them.
//
// Of a list every item is followed. That stays within the entries that there are: a branch is followed only where a filter
// has made it.

import { Arena, type Extra } from './arena.ts'
import { type Attribute, type Gate, type KeySpace, NONE, SEVERAL } from './attribute.ts'
import { Leaf } from './leaf.ts'
import type { Range } from './plan.ts'
import type { Asked, Visit } from './visit.ts'

/** A map to the next level; at the end a leaf, or one entry alone, which most leaves of rare values are. */
type Node = Map<number, Node> | Leaf | number

/** What makes a shape. */
export interface ShapeParts {
  readonly keys: readonly KeySpace[]
  readonly gates: readonly Gate[]
  readonly ranges: readonly Attribute[]
  /** All that must be there. */
  readonly required: readonly Attribute[]
  readonly absent: readonly Attribute[]
  readonly vetoed: readonly Attribute[]
  /** Whether its clauses are tested at the end. */
  readonly tested: boolean
  /** Whether its subscriptions have other clauses, too. */
  readonly repeated: boolean
  /** Names of subscriptions by their number. */
  readonly names: readonly unknown[]
}

export class Shape implements Asked {
  readonly signature: string
  readonly parts: ShapeParts
  /** The attribute at which it is asked; none where nothing must be there. */
  readonly home: Attribute | undefined
  private readonly arena: Arena
  private root: Node | undefined

  constructor(signature: string, parts: ShapeParts) {
    this.signature = signature
    this.parts = parts
    this.home = parts.gates[0]?.attribute ?? [...parts.required].sort((a, b) => a.homed - b.homed)[0]
    this.arena = new Arena(parts)
  }

  get size(): number {
    return this.arena.size
  }

  /** An entry with these ids of its keys; its number. */
  add(owner: number, ids: readonly number[], ranges: readonly Range[], extra: Extra | undefined): number {
    const { arena } = this
    const entry = arena.add(owner, ids, extra)
    for (const [column, { from, to }] of ranges.entries()) {
      arena.from[column]![entry] = from
      arena.to[column]![entry] = to
      arena.ranges[column]!.axis.add(from, to)
    }
    this.root = this.added(this.root, 0, ids, entry)
    return entry
  }

  private added(node: Node | undefined, depth: number, ids: readonly number[], entry: number): Node {
    if (depth < ids.length) {
      const map = (node as Map<number, Node> | undefined) ?? new Map<number, Node>()
      const below = map.get(ids[depth]!)
      const now = this.added(below, depth + 1, ids, entry)
      if (now !== below) map.set(ids[depth]!, now)
      return map
    }
    if (node === undefined) return entry
    const leaf = typeof node === 'number' ? new Leaf(this.arena, this.parts.vetoed) : (node as Leaf)
    if (typeof node === 'number') leaf.add(node)
    leaf.add(entry)
    return leaf
  }

  remove(entry: number): void {
    const ids = this.arena.keys.map(column => column[entry]!)
    this.root = this.without(this.root!, 0, ids, entry)
    for (const [place, id] of ids.entries()) this.parts.keys[place]!.release(id)
    this.arena.remove(entry)
  }

  private without(node: Node, depth: number, ids: readonly number[], entry: number): Node | undefined {
    if (depth < ids.length) {
      const map = node as Map<number, Node>
      const below = this.without(map.get(ids[depth]!)!, depth + 1, ids, entry)
      if (below === undefined) map.delete(ids[depth]!)
      return map.size === 0 ? undefined : map
    }
    if (typeof node === 'number') return undefined
    const leaf = node as Leaf
    leaf.remove(entry)
    return leaf.size === 0 ? undefined : leaf
  }

  ask(visit: Visit): void {
    const { event } = visit
    const { required, absent, ranges, gates, keys } = this.parts
    for (let i = 0; i < required.length; i++) if (required[i]!.event !== event) return
    for (let i = 0; i < absent.length; i++) if (absent[i]!.event === event) return
    for (let i = 0; i < ranges.length; i++) if (!ranges[i]!.hasNumbers) return
    for (let i = 0; i < gates.length; i++) if (!gates[i]!.isOpen(event)) return
    let node = this.root
    for (let i = 0; i < keys.length; i++) {
      const id = keys[i]!.idOf(event)
      if (id === NONE) return
      if (id === SEVERAL) return this.follow(visit, node!, i)
      node = (node as Map<number, Node>).get(id)
      if (node === undefined) return
    }
    this.collect(visit, node)
  }

  /** Every item of every list, from this key on. */
  private follow(visit: Visit, node: Node, depth: number): void {
    const { keys } = this.parts
    if (depth === keys.length) return this.collect(visit, node)
    const id = keys[depth]!.idOf(visit.event)
    if (id === NONE) return
    for (const one of id === SEVERAL ? keys[depth]!.several : [id]) {
      const below = (node as Map<number, Node>).get(one)
      if (below !== undefined) this.follow(visit, below, depth + 1)
    }
  }

  private collect(visit: Visit, node: Node | undefined): void {
    if (node instanceof Leaf) node.collect(visit)
    else if (typeof node === 'number') {
      const { arena } = this
      if (arena.isInRanges(node) && (!arena.mustTest(visit, false) || arena.passes(node, visit, false)))
        arena.hit(node, visit)
    }
  }
}
