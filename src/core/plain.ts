// Plain data, copied and told apart: what machine states are made of.
// Used by the explorer, which keeps many states and must know when it has seen one before.

export type Plain =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Plain[]
  | ReadonlyMap<Plain, Plain>
  | ReadonlySet<Plain>
  | { readonly [field: string]: Plain }

/** A deep copy of plain data. */
export function copy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copy) as T
  // Not `slice`, which in a Node Buffer is a view.
  if (value instanceof Uint8Array) return new Uint8Array(value) as T
  if (value instanceof Map) {
    const out = new Map()
    for (const [key, item] of value) out.set(copy(key), copy(item))
    return out as T
  }
  if (value instanceof Set) return new Set([...value].map(copy)) as T
  const out: Record<string, unknown> = {}
  for (const field in value) out[field] = copy((value as Record<string, unknown>)[field])
  return out as T
}

/** A text that is equal exactly for equal values. Maps and Sets are told apart by content, not by the order of insertion. */
export function fingerprint(value: unknown): string {
  switch (typeof value) {
    case 'number':
      return `${value}`
    case 'string':
      return JSON.stringify(value)
    case 'boolean':
      return value ? 'T' : 'F'
    case 'bigint':
      return `${value}n`
    case 'undefined':
      return 'U'
    case 'object':
      return fingerprintObject(value)
    default:
      throw new TypeError(`not plain data: ${typeof value}`)
  }
}

function fingerprintObject(value: object | null): string {
  if (value === null) return 'N'
  if (Array.isArray(value)) return `[${value.map(fingerprint).join()}]`
  if (value instanceof Uint8Array) return `b${value.join('.')}`
  if (value instanceof Map) {
    return `m{${[...value]
      .map(([key, item]) => `${fingerprint(key)}:${fingerprint(item)}`)
      .sort()
      .join()}}`
  }
  if (value instanceof Set) return `s{${[...value].map(fingerprint).sort().join()}}`
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError('not plain data: a class instance')
  const fields = Object.keys(value).sort()
  return `{${fields.map(field => `${fieldName(field)}:${fingerprint((value as Record<string, unknown>)[field])}`).join()}}`
}

// Fields are nearly always plain words, which need no quotes; { a: 1, b: 2 } is not { 'a:1,b': 2 }.
function fieldName(field: string): string {
  return /^\w+$/.test(field) ? field : JSON.stringify(field)
}
