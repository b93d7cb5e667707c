// Every bit of a statement and its proof, one at a time: a value made of bytes, lists and records is walked, and a copy
// is given back with one bit turned. For tests that say "no change is taken".

type Bytes = Uint8Array
type Node = Bytes | readonly Node[] | { readonly [name: string]: Node }

/** A place in the value: the names on the way to some bytes, and which bit of them. */
export interface BitPlace {
  readonly path: readonly (string | number)[]
  readonly bit: number
}

const isBytes = (node: Node): node is Bytes => node instanceof Uint8Array

export function bitPlaces(value: object): BitPlace[] {
  const places: BitPlace[] = []
  const walk = (node: Node, path: readonly (string | number)[]): void => {
    if (isBytes(node)) for (let bit = 0; bit < node.length * 8; bit++) places.push({ path, bit })
    else if (Array.isArray(node))
      for (const [at, item] of (node as readonly Node[]).entries()) walk(item, [...path, at])
    else for (const [name, item] of Object.entries(node)) walk(item as Node, [...path, name])
  }
  walk(value as Node, [])
  return places
}

export function withBitTurned<T extends object>(value: T, { path, bit }: BitPlace): T {
  const turn = (node: Node, depth: number): Node => {
    if (isBytes(node)) {
      const copy = node.slice()
      copy[bit >> 3]! ^= 1 << (bit & 7)
      return copy
    }
    const name = path[depth]!
    if (Array.isArray(node)) {
      return (node as readonly Node[]).map((item, at) => (at === name ? turn(item, depth + 1) : item))
    }
    const record = node as { readonly [name: string]: Node }
    return { ...record, [name]: turn(record[name]!, depth + 1) }
  }
  return turn(value as Node, 0) as T
}
