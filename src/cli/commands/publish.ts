// coterie publish: one event, by hand or from a script.

import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { type Command, InvalidArgumentError } from 'commander'
import { SettingsError } from '../../core/index.ts'
import { InvalidEvent } from '../../events/index.ts'
import { levelsOf, TOPIC_BYTES_MAX, TOPIC_LEVELS_MAX } from '../../events/topics.ts'
import { type AttributeValue, isScalar } from '../../events/values.ts'
import { CHANNEL_BYTES_MAX, isName } from '../../events/wire.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { duration, durationOption } from '../duration.ts'
import { action, cannotRead, choiceOption, newCommand, print, warn } from '../output.ts'
import { type LineKind, publishLines } from '../publish-lines.ts'

interface Options extends ConnectionOptions {
  readonly channel: string
  readonly file?: string
  readonly payload?: string
  readonly lines?: LineKind
  readonly live?: boolean
  readonly retained?: boolean
  readonly expires?: number
  readonly timeout: number
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie publish eu/xetra/ACME price=9.5 halted=false --payload '{"volume": 300}'
      the first word without = is the attribute topic; values are numbers, true, false, null, lists of these in JSON
      (tags='["sale", "new"]'), or text; what is in double quotes is text, and so is what has leading zeros: order='"17"' zip=01234
  $ generate-report | coterie publish reports/daily --file -
      what it carries comes from standard input: JSON, text, or the bytes as they are
  $ coterie publish state/door open=true --retained
      kept as the newest of its topic, for who subscribes later with --retained; --expires 1ms beside it takes it away again
  $ coterie publish --lines attributes < events.jsonl
      an event for each line: a JSON object of attributes, as coterie filter test reads it, beside which the words are of
      each; or with --lines payload what it carries. Ids are printed in the order of the lines, as they are accepted: so many
      lines are, and of 256 more some may be

It is accepted once enough servers hold it that no fault that is allowed for can lose it; its id is printed.

Exit codes: 0 accepted; 1 not accepted in time (it may be delivered all the same), refused, or the group could not be
reached; 2 wrong usage.`

export function publishCommand(): Command {
  return withConnection(newCommand('publish'))
    .argument('[attributes...]', 'the topic, and attributes as name=value')
    .option('--channel <name>', 'where to', channelName, 'default')
    .option('--payload <text>', 'what it carries: JSON, or else text')
    .option('--file <path>', 'what it carries: a file, - for standard input; JSON, else text, else bytes')
    .addOption(
      choiceOption('--lines <as>', 'an event for each line of standard input, or of --file, which is its', [
        'payload',
        'attributes',
      ]),
    )
    .option('--retained', 'keep it as the newest of its topic')
    .option('--live', 'for who is there now: servers do not save it')
    .option('--expires <duration>', 'after this nobody is to have it', duration)
    .addOption(durationOption('--timeout <duration>', 'how long to wait until it is accepted', '10s'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(publish))
}

/** The name of a channel, or of a subscription. */
export function channelName(value: string): string {
  if (isName(value)) return value
  throw new InvalidArgumentError(`It must be 1 to ${CHANNEL_BYTES_MAX} bytes without control characters.`)
}

async function publish(words: string[], options: Options): Promise<void> {
  const attributes = attributesFrom(words)
  checkTopic(attributes.topic)
  const { retained = false, live = false, expires, timeout, channel: name, lines, file, json } = options
  if (lines !== undefined && options.payload !== undefined)
    throw new SettingsError('--lines and --payload both say what it carries: give one of them.')
  if (words.length === 0 && lines !== 'attributes')
    throw new SettingsError('an event needs a topic, or an attribute as name=value: by these it is found.')
  const payload = lines === undefined ? await payloadFrom(options) : undefined
  await using group = await connectFrom(options, { events: true })
  const how = { timeout, retained, ...(expires !== undefined && { expires }) }
  const channel = group.events(name, { durable: !live })
  const one = (own: object, carried: unknown) => channel.publish({ ...attributes, ...own }, carried, how)
  try {
    if (lines !== undefined) return await publishLines({ file, kind: lines, json, payloadOf: parsed, publish: one })
    const receipt = await one({}, payload)
    print(json, receipt, () => receipt.id)
  } catch (error) {
    throw error instanceof InvalidEvent ? new SettingsError(error.message) : error
  }
}

/** A word without = is the topic; there may be one. */
export function attributesFrom(words: readonly string[]): Record<string, AttributeValue> {
  const attributes: Record<string, AttributeValue> = Object.create(null)
  for (const word of words) {
    const at = word.indexOf('=')
    const [name, value] = at < 0 ? ['topic', word] : [word.slice(0, at), valueFrom(word, word.slice(at + 1))]
    if (name === '') throw new SettingsError(`${word} has no name before its =: write name=value.`)
    if (name in attributes) throw new SettingsError(givenTwice(name, word))
    attributes[name] = value
  }
  return { ...attributes }
}

/** An attribute may be longer; but no pattern would fit it, and nobody who subscribes to topics would have it. */
function checkTopic(topic: unknown): void {
  if (typeof topic !== 'string' || topic === '') return
  const parts = topic.split('/')
  if (parts.some(part => part === '+' || part === '#'))
    warn(`warning: the topic ${topic} has wildcards, which are of filters: here + and # are a level like any other`)
  if (levelsOf('mqtt', topic) !== undefined) return
  const [bytes, levels] = [Buffer.byteLength(topic), parts.length]
  throw new SettingsError(
    `the topic has ${bytes} bytes and ${levels} levels: of more than ${TOPIC_BYTES_MAX} bytes or ${TOPIC_LEVELS_MAX} levels no filter of topics fits it.`,
  )
}

function givenTwice(name: string, word: string): string {
  if (name !== 'topic') return `${name} is given twice.`
  return `topic is given twice: ${JSON.stringify(word)} has no =. Attributes are name=value, and --channel names a channel.`
}

const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null }

/** A number as JSON writes it: 01234 is a code, not a number. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i
const QUOTED = /^".*"$/s
const LIST = /^\[.*\]$/s

function valueFrom(word: string, value: string): AttributeValue {
  if (Object.hasOwn(WORDS, value)) return WORDS[value]!
  if (LIST.test(value)) return listIn(word, value)
  if (QUOTED.test(value)) return textIn(value)
  if (!NUMBER.test(value)) return value
  // Published as another number, nobody who asks for this one would have it.
  if (/^-?\d+$/.test(value) && !Number.isSafeInteger(Number(value)))
    throw new SettingsError(`${word}: numbers keep 15 digits; in double quotes it is text: ${quotedAs(word, value)}.`)
  return Number(value)
}

function quotedAs(word: string, value: string): string {
  return `${word.slice(0, word.length - value.length)}'"${value}"'`
}

function textIn(value: string): string {
  const found = parsed(value)
  return typeof found === 'string' ? found : value
}

/** What is in brackets and no list of values is text, as typed. */
function listIn(word: string, value: string): AttributeValue {
  const found = parsed(value)
  if (!Array.isArray(found) || !found.every(isScalar)) return value
  if (found.some(item => Number.isInteger(item) && !Number.isSafeInteger(item)))
    throw new SettingsError(`${word}: numbers keep 15 digits; in double quotes it is text.`)
  return found
}

async function payloadFrom({ file, payload }: Options): Promise<unknown> {
  if (file !== undefined && payload !== undefined)
    throw new SettingsError('--file and --payload both say what it carries: give one of them.')
  if (payload !== undefined) return told(parsed(payload))
  if (file === undefined) return undefined
  if (file === '-') return told(payloadIn(await buffer(process.stdin)))
  try {
    return told(payloadIn(await readFile(file)))
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/** Text that begins as JSON does was most likely meant to be JSON. */
function told(payload: unknown): unknown {
  if (typeof payload !== 'string' || !/^\s*[{[]/.test(payload)) return payload
  const why = whyNoJson(payload)
  if (why !== undefined) warn(`warning: what it carries begins like JSON and is none (${why}): it is carried as text`)
  return payload
}

function whyNoJson(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message.slice(0, 100)
  }
}

/** What is no text stays as it is: with another letter in the place of what cannot be read it would be something else. */
export function payloadIn(given: Uint8Array): unknown {
  try {
    return parsed(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(given))
  } catch {
    return new Uint8Array(given)
  }
}

function parsed(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    // Text then.
    return given
  }
}
