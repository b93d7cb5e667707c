// Bytes compared. In constant time for equal lengths, so that it may also stand where one side is a secret.

/** Whether both hold the same bytes. Equal lengths are compared in constant time. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  let difference = 0
  for (let at = 0; at < one.length; at++) difference |= one[at]! ^ other[at]!
  return difference === 0
}

/** The order of byte strings, a prefix before what it begins: for sorting. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const shared = Math.min(one.length, other.length)
  for (let at = 0; at < shared; at++) if (one[at] !== other[at]) return one[at]! - other[at]!
  return one.length - other.length
}
