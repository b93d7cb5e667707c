// What equal things are found by: their texts, each made once. Clauses and predicates are never changed, so a text stays true.

import { fingerprint } from '../../core/index.ts'

const texts = new WeakMap<object, string>()

/** The same text for equal things, and only for them. */
export function keyOf(thing: object): string {
  const known = texts.get(thing)
  if (known !== undefined) return known
  const text = fingerprint(thing)
  texts.set(thing, text)
  return text
}
