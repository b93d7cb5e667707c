// Filters of Google Pub/Sub: attributes:a AND NOT hasPrefix(attributes.b, "x"). `!=` is NOT =: it holds where the
// attribute is absent. AND and OR on one level need parentheses. `-` is NOT.

import { attributeName, oneOfValues, prefix, textOf } from '../build.ts'
import { and, type Clause, exists, type Filter, not, or, some } from '../canonical.ts'
import { DEPTH_MAX } from '../filter.ts'
import { FILTER_BYTES_MAX } from '../limits.ts'
import { refuse, shown } from '../refusals.ts'
import { finished } from './finished.ts'
import type { Language } from './language.ts'
import { read } from './strangers.ts'

/** A filter of Google Pub/Sub as a filter of ours. Its limit of 256 bytes does not apply. */
export function pubSub(expression: unknown): Filter {
  return read('pubsub', expression, () => readExpression(expression))
}

function readExpression(expression: unknown): Filter {
  if (typeof expression !== 'string') return refuse(`a filter of Pub/Sub is text, and ${shown(expression)} is none.`)
  if (expression.length > FILTER_BYTES_MAX) refuse(`the expression has more than ${FILTER_BYTES_MAX} letters.`)
  const words = new Words(expression)
  if (words.ended) return finished([[]])
  const clauses = readJoined(words, 0)
  if (!words.ended) words.refuse('the end, AND or OR')
  return finished(clauses)
}

type Word = { readonly kind: 'sign' | 'name' | 'text'; readonly value: string; readonly at: number }

const SPACE = /\s*/y
const SIGN = /!=|[=:.,()-]/y
const NAME = /[A-Za-z_][A-Za-z0-9_-]*/y
const TEXT = /"((?:[^"\\\n]|\\(?:["'\\nrt]|u[0-9a-fA-F]{4}))*)"/y
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The words of an expression, one ahead. */
class Words {
  private readonly source: string
  private place = 0
  private next: Word | undefined

  constructor(source: string) {
    this.source = source
    this.advance()
  }

  get ended(): boolean {
    return this.next === undefined
  }

  is(value: string): boolean {
    return this.next !== undefined && this.next.kind !== 'text' && this.next.value === value
  }

  /** Takes this word if it is next. */
  skip(value: string): boolean {
    const found = this.is(value)
    if (found) this.advance()
    return found
  }

  expect(value: string): void {
    if (!this.skip(value)) this.refuse(shown(value))
  }

  /** Takes the next word where it is of one of these kinds. */
  take(...kinds: readonly Word['kind'][]): string {
    const word = this.next
    if (word === undefined || !kinds.includes(word.kind)) return this.refuse(kinds.join(' or '))
    this.advance()
    return word.value
  }

  refuse(expected: string): never {
    const found = this.next === undefined ? 'it ends' : `there is ${shown(this.next.value)} at ${this.next.at}`
    return refuse(`the expression cannot be read: ${expected} is expected, and ${found}.`)
  }

  private advance(): void {
    this.match(SPACE)
    const at = this.place
    this.next = undefined
    if (at >= this.source.length) return
    const text = this.match(TEXT)
    if (text !== undefined) {
      this.next = { kind: 'text', value: unescaped(text.slice(1, -1)), at }
      return
    }
    const name = this.match(NAME)
    const value = name ?? this.match(SIGN)
    if (value === undefined) refuse(`the expression cannot be read at ${at}: ${shown(this.source.slice(at))}.`)
    this.next = { kind: name === undefined ? 'sign' : 'name', value: value!, at }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.place
    const found = pattern.exec(this.source)?.[0]
    if (found !== undefined) this.place += found.length
    return found
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(u([0-9a-fA-F]{4})|.)/g, (_all, letter: string, code: string | undefined) =>
    code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

function readJoined(words: Words, depth: number): readonly Clause[] {
  if (depth > DEPTH_MAX) refuse(`the expression is nested deeper than ${DEPTH_MAX} levels.`)
  const parts = [readNegated(words, depth)]
  const joint = words.is('AND') ? 'AND' : 'OR'
  while (words.skip(joint)) parts.push(readNegated(words, depth))
  if (words.is('AND') || words.is('OR')) refuse('the expression has AND beside OR: put parentheses around one of them.')
  return joint === 'AND' ? and(parts) : or(parts)
}

function readNegated(words: Words, depth: number): readonly Clause[] {
  let negated = false
  while (words.skip('NOT') || words.skip('-')) negated = !negated
  const clauses = readTerm(words, depth)
  return negated ? not(clauses) : clauses
}

function readTerm(words: Words, depth: number): readonly Clause[] {
  if (words.skip('(')) {
    const clauses = readJoined(words, depth + 1)
    words.expect(')')
    return clauses
  }
  if (words.skip('hasPrefix')) {
    words.expect('(')
    words.expect('attributes')
    words.expect('.')
    const name = readName(words)
    words.expect(',')
    const begin = textOf(words.take('text'), 'the text of hasPrefix')
    words.expect(')')
    return some(name, [[prefix(begin, 'hasPrefix')]])
  }
  words.expect('attributes')
  if (words.skip(':')) return exists(readName(words), true)
  words.expect('.')
  const name = readName(words)
  const isEqual = words.skip('=')
  if (!isEqual) words.expect('!=')
  const value = textOf(words.take('text'), 'a text')
  const equal = some(name, [[oneOfValues([value], name)]])
  return isEqual ? equal : not(equal)
}

function readName(words: Words): string {
  const name = words.take('name', 'text')
  return attributeName(name, shown(name))
}

/** Filters of Google Pub/Sub. */
export const pubSubLanguage: Language = {
  name: 'pubsub',
  title: 'filters of Google Pub/Sub: attributes:a, attributes.a = "x", !=, hasPrefix, AND, OR, NOT',
  form: 'text',
  example: 'attributes.symbol = "ACME" AND NOT hasPrefix(attributes.market, "test")',
  parse: pubSub,
}
