// What can be asked of one item of an attribute.

import { fold } from './fold.ts'
import { isWithin, networkOf } from './networks.ts'
import { patternOf, type TopicDialect, topicFits } from './topics.ts'
import type { Scalar } from './values.ts'

/** One question to one item. With `not`, the item passes where the answer is no: an item of another kind passes, too. */
export type Test =
  /** One of these values. */
  | { readonly op: 'in'; readonly not: boolean; readonly values: readonly Scalar[] }
  /** A number from `from` to `to`, both included. */
  | { readonly op: 'range'; readonly not: boolean; readonly from: number; readonly to: number }
  /** Text that begins so; with `fold`, whatever the case. */
  | { readonly op: 'prefix'; readonly not: boolean; readonly text: string; readonly fold: boolean }
  /** Text that ends so. */
  | { readonly op: 'suffix'; readonly not: boolean; readonly text: string; readonly fold: boolean }
  /** This text, whatever the case; `text` is folded. */
  | { readonly op: 'same'; readonly not: boolean; readonly text: string }
  /** Text in which `*` stands for anything; `\*` and `\\` are those characters themselves. */
  | { readonly op: 'wildcard'; readonly not: boolean; readonly text: string }
  /** An internet address in this block. */
  | { readonly op: 'cidr'; readonly not: boolean; readonly text: string }
  /** A topic that fits this pattern. */
  | { readonly op: 'topic'; readonly not: boolean; readonly dialect: TopicDialect; readonly text: string }

/** The lowest and highest a number can be: what an open range ends at. */
export const LOWEST = -Number.MAX_VALUE
/** The highest finite number. */
export const HIGHEST = Number.MAX_VALUE

/** Whether one item passes all tests. */
export function passesAll(tests: readonly Test[], item: Scalar): boolean {
  for (const test of tests) if (!passes(test, item)) return false
  return true
}

/** Whether one item passes a test. */
export function passes(test: Test, item: Scalar): boolean {
  return answer(test, item) !== test.not
}

function answer(test: Test, item: Scalar): boolean {
  switch (test.op) {
    case 'in':
      return test.values.includes(item)
    case 'range':
      return typeof item === 'number' && item >= test.from && item <= test.to
    default:
      return typeof item === 'string' && textAnswer(test, item)
  }
}

type TextTest = Exclude<Test, { op: 'in' } | { op: 'range' }>

function textAnswer(test: TextTest, item: string): boolean {
  switch (test.op) {
    case 'prefix':
      return (test.fold ? fold(item) : item).startsWith(test.text)
    case 'suffix':
      return (test.fold ? fold(item) : item).endsWith(test.text)
    case 'same':
      return fold(item) === test.text
    case 'wildcard':
      return wildcardFits(test.text, item)
    case 'cidr':
      return isWithin(networkOf(test.text)!, item)
    case 'topic':
      return topicFits(patternOf(test.dialect, test.text), item)
  }
}

/** The fixed texts between the stars: `a*b\*` → ['a', 'b*']. Undefined where a backslash stands before another character. */
export function piecesOf(pattern: string): readonly string[] | undefined {
  const pieces = ['']
  for (let at = 0; at < pattern.length; at++) {
    let letter = pattern[at]!
    if (letter === '*') {
      pieces.push('')
      continue
    }
    if (letter === '\\') {
      letter = pattern[++at] ?? ''
      if (letter !== '*' && letter !== '\\') return undefined
    }
    pieces[pieces.length - 1] += letter
  }
  return pieces
}

/** Each piece at the first place where it fits: if any choice fits, this one does, and no text is read twice. */
function wildcardFits(pattern: string, text: string): boolean {
  const pieces = piecesOf(pattern)!
  const first = pieces[0]!
  if (pieces.length === 1) return text === first
  const last = pieces.at(-1)!
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  const end = text.length - last.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
