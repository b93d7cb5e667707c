// Topics: text in levels, and patterns over them as MQTT and NATS have them.
//
//   MQTT  a/+/c, a/#   `+` is any one level, also an empty one; `#` any number of levels, also none: a/# holds for a.
//                      A pattern that begins with a wildcard never holds for a topic that begins with `$`.
//   NATS  a.*.c, a.>   `*` is any one token; `>` one or more tokens: a.> does not hold for a. No token is empty.

import { isText } from '../core/index.ts'
import { refuse, shown } from './refusals.ts'
import { type Attributes, ITEMS_MAX, TEXT_BYTES_MAX } from './values.ts'

/** Which rules a pattern follows, and with them which character separates levels. */
export type TopicDialect = 'mqtt' | 'nats'

/** Bytes of a topic or a pattern: a name for a place, not content. */
export const TOPIC_BYTES_MAX = 512
/** Levels of a topic: each may be a key of the index. */
export const TOPIC_LEVELS_MAX = 32
/** Bytes of what an event is kept under: whoever has no library may write a list there. */
export const KEPT_TOPIC_BYTES_MAX = ITEMS_MAX * (TEXT_BYTES_MAX + 1)
/** Bytes of the name of a queue that a shared subscription of MQTT gives. */
export const QUEUE_BYTES_MAX = 64

/** Whether it can be the name of a queue: what MQTT allows in a shared subscription. */
export function isQueueName(value: unknown): value is string {
  return typeof value === 'string' && /^[^/+#\0]+$/.test(value) && isText(value, QUEUE_BYTES_MAX)
}

/** What an event is kept under, as the newest of it. */
export function keptTopic({ topic }: Attributes): string {
  return String(topic ?? '')
}

const NUL = '\0'

/** A pattern, taken apart. */
export interface TopicPattern {
  readonly dialect: TopicDialect
  /** Fixed levels, and undefined where any will do. */
  readonly levels: readonly (string | undefined)[]
  /** How many levels a topic must have at least. */
  readonly least: number
  /** And at most: as many, or any number. */
  readonly open: boolean
  /** Whether topics that begin with `$` are left out. */
  readonly plain: boolean
}

/** What separates the levels. */
export function separatorOf(dialect: TopicDialect): string {
  return dialect === 'mqtt' ? '/' : '.'
}

/** The levels of a text that is a topic in this dialect; undefined where it is none. */
export function levelsOf(dialect: TopicDialect, topic: string): readonly string[] | undefined {
  if (topic === '' || !isText(topic, TOPIC_BYTES_MAX) || topic.includes(NUL)) return undefined
  const levels = topic.split(separatorOf(dialect))
  if (levels.length > TOPIC_LEVELS_MAX || (dialect === 'nats' && levels.includes(''))) return undefined
  return levels
}

/** A pattern that was checked before, taken apart. */
export function patternOf(dialect: TopicDialect, text: string): TopicPattern {
  const words = text.split(separatorOf(dialect))
  const [one, rest] = dialect === 'mqtt' ? ['+', '#'] : ['*', '>']
  const open = words.at(-1) === rest
  const fixed = open ? words.slice(0, -1) : words
  const levels = fixed.map(word => (word === one ? undefined : word))
  const least = Math.max(1, open && dialect === 'nats' ? levels.length + 1 : levels.length)
  return { dialect, levels, least, open, plain: dialect === 'mqtt' && levels[0] === undefined }
}

/** Whether a topic fits a pattern. */
export function topicFits(pattern: TopicPattern, topic: string): boolean {
  const levels = levelsOf(pattern.dialect, topic)
  if (levels === undefined || !formFits(pattern, levels)) return false
  return pattern.levels.every((word, place) => word === undefined || word === levels[place])
}

/** Whether the number of levels fits, and the first of them. */
export function formFits({ levels, least, open, plain }: TopicPattern, topic: readonly string[]): boolean {
  if (topic.length < least || (!open && topic.length > levels.length)) return false
  return !(plain && topic[0]!.startsWith('$'))
}

/** Refuses what is no pattern of the dialect, in a sentence. */
export function checkPattern(dialect: TopicDialect, text: string): void {
  if (text === '') refuse(`an empty text is no ${nameOf(dialect)}.`)
  if (!isText(text, TOPIC_BYTES_MAX))
    refuse(`${shown(text)} is no ${nameOf(dialect)}: at most ${TOPIC_BYTES_MAX} bytes of well-formed text are needed.`)
  if (text.includes(NUL)) refuse(`${shown(text)} is no ${nameOf(dialect)}: the character NUL is not allowed in one.`)
  const levels = text.split(separatorOf(dialect))
  if (levels.length > TOPIC_LEVELS_MAX)
    refuse(`${shown(text)} has ${levels.length} levels: at most ${TOPIC_LEVELS_MAX} are allowed.`)
  if (dialect === 'mqtt') checkMqtt(text, levels)
  else checkNats(text, levels)
}

function checkMqtt(text: string, levels: readonly string[]): void {
  for (const [place, level] of levels.entries()) {
    if (level.length > 1 && /[+#]/.test(level))
      refuse(`${shown(text)} is no topic filter of MQTT: + and # stand for whole levels, and ${shown(level)} is more.`)
    if (level === '#' && place < levels.length - 1)
      refuse(`${shown(text)} is no topic filter of MQTT: # must be the last level.`)
  }
}

function checkNats(text: string, tokens: readonly string[]): void {
  if (tokens.includes('')) refuse(`${shown(text)} is no subject of NATS: no token may be empty.`)
  if (/[ \t\r\n\f]/.test(text)) refuse(`${shown(text)} is no subject of NATS: it has white space.`)
  for (const [place, token] of tokens.entries()) {
    if (token.length > 1 && /[*>]/.test(token))
      refuse(`${shown(text)} is no subject of NATS: * and > stand for whole tokens, and ${shown(token)} is more.`)
    if (token === '>' && place < tokens.length - 1)
      refuse(`${shown(text)} is no subject of NATS: > must be the last token.`)
  }
}

function nameOf(dialect: TopicDialect): string {
  return dialect === 'mqtt' ? 'topic filter of MQTT' : 'subject of NATS'
}
