// The 51 cases of Event Ruler's own tests (github.com/aws/event-ruler 337e8d9, Apache-2.0), with what the real library says of
// each: test/events/ruler/cases.json, made by test/events/ruler/ask.mjs. Ours says the same, or refuses with a sentence:
// lists of objects are refused, and nothing else is.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { InvalidEvent, Matcher, matches } from '../index.ts'
import { eventBridge, flatten } from './index.ts'

interface Case {
  readonly name: string
  readonly rule: unknown
  readonly event: unknown
  readonly verdict: string
}

const { cases } = JSON.parse(
  readFileSync(new URL('../../../test/events/ruler/cases.json', import.meta.url), 'utf8'),
) as { cases: readonly Case[] }

/** What ours says: a verdict, or the sentence of a refusal. */
function ours({ rule, event }: Case): string {
  const filter = eventBridge(rule)
  try {
    const attributes = flatten(event)
    const matcher = new Matcher<string>()
    matcher.add('rule', filter)
    const matched = matches(filter, attributes)
    if ((matcher.count(attributes) === 1) !== matched) return 'the index says something else'
    return String(matched)
  } catch (error) {
    if (error instanceof InvalidEvent) return error.message
    throw error
  }
}

/** Whether a list holds an object or a list, anywhere. */
function hasListOfObjects(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value) && value.some(item => typeof item === 'object' && item !== null)) return true
  return Object.values(value).some(hasListOfObjects)
}

describe('cases of Event Ruler', () => {
  it.each(cases.map(one => [one.name, one] as const))('%s', (_name, one) => {
    if (hasListOfObjects(one.event)) expect(ours(one)).toMatch(/is a list of objects or lists: which fields/)
    else expect(ours(one)).toBe(one.verdict)
  })

  it('there are 51, of both verdicts, with and without lists of objects', () => {
    expect(cases).toHaveLength(51)
    const flat = cases.filter(({ event }) => !hasListOfObjects(event))
    expect(new Set(flat.map(({ verdict }) => verdict))).toEqual(new Set(['true', 'false']))
    expect(flat).toHaveLength(23)
  })
})
