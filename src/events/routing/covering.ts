// When one clause covers another: whatever the second wants, the first wants too, so that only the first has to be told.
//
// C covers D if each predicate of C follows from one of D on the same attribute. It is sound and not complete: what is not
// seen costs a message, and never an event. A "none" of C follows only from a "none" of D that forbids as much: of a list
// ['a', 'b'], "some item is b" holds, and "no item is a" does not.

import type { Clause, Predicate } from '../canonical.ts'
import { passes, type Test } from '../tests.ts'
import { covering as patternCovers } from './patterns.ts'

/** Whether everything that `narrow` matches, `wide` matches too. */
export function covers(wide: Clause, narrow: Clause): boolean {
  for (const predicate of wide) if (!narrow.some(one => implies(one, predicate))) return false
  return true
}

/** Whether the second holds wherever the first does. */
function implies(from: Predicate, to: Predicate): boolean {
  if (from.attribute !== to.attribute || from.some !== to.some) return false
  // Some item passes all these tests: it passes those. No item passes these: none passes those, which ask more.
  return from.some ? allFollow(from.tests, to.tests) : allFollow(to.tests, from.tests)
}

/** Whether an item that passes all of `given` passes all of `asked`. */
function allFollow(given: readonly Test[], asked: readonly Test[]): boolean {
  return asked.every(test => given.some(one => follows(one, test)))
}

/** Whether every item that passes the first test passes the second. */
export function follows(given: Test, asked: Test): boolean {
  if (given === asked) return true
  if (given.op === 'in' && !given.not) return given.values.every(value => passes(asked, value))
  if (given.not) return asked.not && follows({ ...asked, not: false }, { ...given, not: false })
  return asked.not ? excludes(given, { ...asked, not: false }) : within(given, asked)
}

/** Both are plain: every item of the first is one of the second. */
function within(given: Test, asked: Test): boolean {
  if (given.op === 'range') return asked.op === 'range' && given.from >= asked.from && given.to <= asked.to
  if (given.op === 'prefix' && asked.op === 'prefix')
    return given.fold === asked.fold && given.text.startsWith(asked.text)
  if (given.op === 'suffix' && asked.op === 'suffix')
    return given.fold === asked.fold && given.text.endsWith(asked.text)
  if (given.op === 'topic' && asked.op === 'topic')
    return (
      given.dialect === asked.dialect &&
      (given.text === asked.text || patternCovers(given.dialect, asked.text, given.text))
    )
  return given.op === asked.op && 'text' in given && 'text' in asked && given.text === asked.text
}

/** Both are plain: no item is of both. */
function excludes(given: Test, other: Test): boolean {
  if (other.op === 'in') return other.values.every(value => !passes(given, value))
  if (given.op === 'range' && other.op === 'range') return given.to < other.from || given.from > other.to
  // One is about numbers, the other about texts.
  return (given.op === 'range') !== (other.op === 'range')
}
