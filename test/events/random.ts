// Random filters of every language, and random events, small enough that both outcomes are common. Written with a seed.

import { type Random, seededRandom } from '../../src/core/index.ts'

/** A source of small choices. */
export interface Dice {
  below(count: number): number
  chance(share: number): boolean
  of<T>(items: readonly T[]): T
}

export function diceOf(seed: number): Dice {
  const random: Random = seededRandom(seed)
  const below = (count: number) => random.below(count)
  return {
    below,
    chance: share => below(1000) < share * 1000,
    of: items => items[below(items.length)]!,
  }
}

const NAMES = ['a', 'b', 'c', '__proto__', 'constructor', 'detail.state']
const TEXTS = [
  '',
  'x',
  'xy',
  'xyz',
  'XY',
  'yx',
  'xx',
  'straße',
  'STRASSE',
  '3',
  'é',
  '😀',
  'x*y',
  'xAy',
  '10.1.2.3',
  '10.200.0.1',
  '::1',
]
const NUMBERS = [0, 1, 2, 3, -1, 2.5, 1e300, -1e300, 5e-324, 300]
const LEVELS = ['eu', 'us', 'x', '', '$sys', 'ACME']

export type Value = string | number | boolean | null
export type Event = Record<string, Value | readonly Value[]>

function value(dice: Dice): Value {
  const kind = dice.below(10)
  if (kind < 4) return dice.of(TEXTS)
  if (kind < 8) return dice.of(NUMBERS)
  return kind === 8 ? dice.chance(0.5) : null
}

function topic(dice: Dice): string {
  const separator = dice.chance(0.5) ? '/' : '.'
  return Array.from({ length: 1 + dice.below(4) }, () => dice.of(LEVELS)).join(separator)
}

/** An event with few names, some lists, some topics. */
export function randomEvent(dice: Dice): Event {
  const event: Event = Object.create(null)
  for (const name of NAMES) {
    if (dice.chance(0.45)) continue
    const many = () => Array.from({ length: dice.below(4) }, () => value(dice))
    event[name] = dice.chance(0.25) ? many() : value(dice)
  }
  if (dice.chance(0.7)) event.topic = dice.chance(0.1) ? [topic(dice), topic(dice)] : topic(dice)
  return event
}

type Json = unknown
const named = (entries: readonly (readonly [string, Json])[]) => {
  const object: Record<string, Json> = Object.create(null)
  for (const [name, item] of entries) object[name] = item
  return object
}
const list = <T>(dice: Dice, least: number, most: number, make: () => T) =>
  Array.from({ length: least + dice.below(most - least + 1) }, make)

function ownOperators(dice: Dice, depth: number): Json {
  const operators: [string, Json][] = []
  for (let i = 1 + dice.below(2); i > 0; i--) {
    operators.push(
      dice.of<() => [string, Json]>([
        () => [dice.of(['lt', 'lte', 'gt', 'gte']), dice.of(NUMBERS)],
        () => ['in', list(dice, 0, 4, () => value(dice))],
        () => ['equal', value(dice)],
        () => ['not', list(dice, 1, 3, () => value(dice))],
        () => ['not', value(dice)],
        () => ['not', depth > 0 ? ownOperators(dice, 0) : value(dice)],
        () => ['prefix', dice.of(TEXTS)],
        () => ['suffix', dice.of(TEXTS)],
        () => ['ignoreCase', dice.of(TEXTS)],
        () => ['wildcard', dice.of(['x*', '*y', '*', 'x*y', 'x\\*y', '*x*', 'xy'])],
        () => ['cidr', dice.of(['10.0.0.0/8', '10.1.0.0/16', '10.1.2.3', '::/0'])],
        () => ['topic', mqttPattern(dice)],
      ])(),
    )
  }
  // `not` inside `not` is refused, and so it is not drawn.
  return named(depth > 0 ? operators : operators.filter(([name]) => name !== 'not').concat([['prefix', 'x']]))
}

function own(dice: Dice, depth: number): Json {
  const parts: [string, Json][] = []
  for (let i = dice.below(3); i >= 0; i--) {
    const name = dice.chance(0.15) ? 'topic' : dice.of(NAMES)
    const kind = dice.below(12)
    if (kind < 3) parts.push([name, dice.of([...NUMBERS, 'x', 'xy', true, null])])
    else if (kind < 4) parts.push([name, list(dice, 0, 3, () => value(dice))])
    else if (kind < 5) parts.push([name, { exists: dice.chance(0.5) }])
    else if (kind < 9 || depth === 0) parts.push([name, ownOperators(dice, 1)])
    else if (kind < 10) parts.push(['$not', own(dice, depth - 1)])
    else parts.push([dice.of(['$or', '$and']), list(dice, 1, 3, () => own(dice, depth - 1))])
  }
  return named(parts)
}

function amazonAlternative(dice: Dice): Json {
  const text = () => dice.of(TEXTS)
  return dice.of<() => Json>([
    () => value(dice),
    () => value(dice),
    () => ({ prefix: text() }),
    () => ({ suffix: text() }),
    () => ({ prefix: { 'equals-ignore-case': text() } }),
    () => ({ 'equals-ignore-case': text() }),
    () => ({ wildcard: dice.of(['x*', '*y', 'x*y', '*x*']) }),
    () => ({ cidr: '10.0.0.0/8' }),
    () => ({ numeric: [dice.of(['=', '<', '<=', '>', '>=']), dice.of(NUMBERS)] }),
    () => ({ numeric: ['>', dice.of([-1, 0, 1]), '<=', dice.of([2, 2.5, 300])] }),
    () => ({ exists: dice.chance(0.5) }),
    () => ({ 'anything-but': value(dice) }),
    () => ({ 'anything-but': list(dice, 1, 3, () => value(dice)) }),
    () => ({ 'anything-but': { prefix: text() } }),
    () => ({ 'anything-but': { suffix: [text(), text()] } }),
  ])()
}

function amazon(dice: Dice, depth: number): Json {
  const parts: [string, Json][] = []
  for (let i = 1 + dice.below(2); i > 0; i--) {
    const name = dice.of(['a', 'b', 'c', '__proto__', 'constructor'])
    const kind = dice.below(8)
    if (kind === 0 && depth > 0) parts.push(['$or', list(dice, 2, 3, () => amazon(dice, depth - 1))])
    else if (kind === 1) parts.push(['detail', named([['state', list(dice, 1, 3, () => amazonAlternative(dice))]])])
    else parts.push([name, list(dice, 1, 3, () => amazonAlternative(dice))])
  }
  return named(parts)
}

const quoted = (text: string) => JSON.stringify(text)

function pubSubTerm(dice: Dice, depth: number): string {
  const name = dice.of(['a', 'b', 'c', '"constructor"', '"__proto__"', '"detail.state"'])
  const kind = dice.below(8)
  if (kind < 2) return `attributes:${name}`
  if (kind < 4) return `attributes.${name} ${dice.of(['=', '!='])} ${quoted(dice.of(TEXTS))}`
  if (kind === 4) return `hasPrefix(attributes.${name}, ${quoted(dice.of(TEXTS))})`
  if (kind === 5) return `${dice.of(['NOT ', '-'])}${pubSubTerm(dice, depth)}`
  return depth === 0 ? `attributes:${name}` : `(${pubSub(dice, depth - 1)})`
}

function pubSub(dice: Dice, depth: number): string {
  return list(dice, 1, 3, () => pubSubTerm(dice, depth)).join(dice.of([' AND ', ' OR ']))
}

function cloudEvent(dice: Dice, depth: number): Json {
  const texts = () => named(list(dice, 1, 2, () => [dice.of(NAMES), dice.of(TEXTS)] as const))
  const kind = dice.below(depth > 0 ? 9 : 6)
  if (kind < 2) return { exact: texts() }
  if (kind < 4) return { prefix: texts() }
  if (kind < 6) return { suffix: texts() }
  if (kind === 6) return { not: cloudEvent(dice, depth - 1) }
  return { [dice.of(['all', 'any'])]: list(dice, 1, 3, () => cloudEvent(dice, depth - 1)) }
}

function mqttPattern(dice: Dice): string {
  const levels = Array.from({ length: 1 + dice.below(4) }, () => (dice.chance(0.4) ? '+' : dice.of(LEVELS)))
  if (dice.chance(0.3)) levels[levels.length - 1] = '#'
  return levels.join('/') || 'eu'
}

function natsPattern(dice: Dice): string {
  const named = LEVELS.filter(level => level !== '')
  const tokens = Array.from({ length: 1 + dice.below(4) }, () => (dice.chance(0.4) ? '*' : dice.of(named)))
  if (dice.chance(0.3)) tokens[tokens.length - 1] = '>'
  return tokens.join('.')
}

/** For each language, by its name, a random filter. */
export const randomFilters: Readonly<Record<string, (dice: Dice) => unknown>> = {
  own: dice => own(dice, 2),
  sns: dice => amazon(dice, 2),
  eventbridge: dice => amazon(dice, 2),
  pubsub: dice => pubSub(dice, 2),
  cloudevents: dice => list(dice, 0, 2, () => cloudEvent(dice, 2)),
  mqtt: mqttPattern,
  nats: natsPattern,
}
