// coterie filter test: which events a filter matches, and why, without a group.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { FileError, SettingsError } from '../../core/index.ts'
import {
  type Explanation,
  explain,
  type Filter,
  flatten,
  InvalidEvent,
  InvalidFilter,
  languageNamed,
  languages,
  matches,
} from '../../events/index.ts'
import { looksLike } from '../../events/languages/index.ts'
import { linesOf } from '../lines.ts'
import { action, cannotRead, EXIT_FAILED, newCommand } from '../output.ts'
import { forTerminal, jsonOf } from '../printable.ts'

interface Options {
  readonly language: string
  readonly explain?: boolean
  readonly json?: boolean
}

/** Of a filter that is quoted. */
const SHOWN_MAX = 60

const LANGUAGES = languages.map(({ name, title }) => `  ${name.padEnd(12)} ${title}`).join('\n')

const EXAMPLE = `
Example:
  $ coterie filter test '{"price": {"lt": 10}}' < events.jsonl
      passes on the events that match; an event is a line of JSON, and nested names are joined by dots
  $ coterie filter test --language sns @policy.json --explain < events.jsonl
      says of each event whether it matches, and which part of the filter failed
  $ echo '{"topic": "eu/xetra/ACME"}' | coterie filter test --language mqtt 'eu/+/ACME'

Languages:
${LANGUAGES}

Exit codes: 0 at least one event matched; 1 none did, or a line is no event; 2 wrong usage, or a filter that is refused.`

export function filterCommand(): Command {
  return newCommand('filter')
    .addCommand(testCommand())
    .addHelpText('after', `\nExample:\n  $ coterie filter test '{"price": {"lt": 10}}' < events.jsonl`)
}

function testCommand(): Command {
  const names = languages.map(({ name }) => name)
  return newCommand('test')
    .description('pass on the events of standard input that a filter matches')
    .argument('<filter>', 'the filter: JSON, or text where the language is one of text; @FILE reads it from a file')
    .addOption(new Option('--language <name>', 'what it is written in').choices(names).default('own'))
    .option('--explain', 'say of each event whether it matches, and why or why not')
    .option('--json', 'with --explain: one object of JSON a line')
    .addHelpText('after', EXAMPLE)
    .action(action(test))
}

async function test(given: string, options: Options): Promise<void> {
  if (options.json && !options.explain)
    throw new SettingsError('--json goes with --explain: what matches is passed on as it is.')
  const filter = filterFrom(options.language, await filterText(given))
  let number = 0
  let matched = 0
  for await (const line of linesOf(process.stdin)) {
    number++
    if (line.trim() === '') continue
    const event = eventFrom(line, number)
    const isMatch = matches(filter, event)
    if (isMatch) matched++
    if (options.explain) await write(explained(number, explain(filter, event), options.json))
    else if (isMatch) await write(line)
  }
  if (matched === 0) process.exitCode = EXIT_FAILED
}

/** The filter itself, or what stands in the file that is named behind an @. */
export async function filterText(given: string): Promise<string> {
  if (!given.startsWith('@')) return given
  const file = given.slice(1)
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/**
 * A filter whose language was not said: JSON of ours, or topics. Text that looks like something else would be taken for a topic that
 * nobody publishes to.
 */
export function guessedFilter(text: string): Filter {
  if (text.trimStart().startsWith('{')) return filterFrom('own', text)
  const hint = looksLike('mqtt', text)
  if (hint !== '')
    throw new SettingsError(
      `the filter is ${JSON.stringify(text.slice(0, SHOWN_MAX))}, and its language was not said.${hint} Where it is a topic, say --language mqtt.`,
    )
  return filterFrom('mqtt', text)
}

/** What is refused comes from the command line: wrong usage. */
export function filterFrom(name: string, text: string): Filter {
  const language = languageNamed(name)
  try {
    return language.parse(language.form === 'text' ? text : JSON.parse(text))
  } catch (error) {
    if (error instanceof InvalidFilter) throw new SettingsError(error.message)
    if (error instanceof SyntaxError) {
      // Text where JSON is needed.
      const hint = /^\s*[{[]/.test(text) ? '' : looksLike(language.name, text)
      const example = hint || ` For example: ${JSON.stringify(language.example)}`
      throw new SettingsError(`the filter is no JSON: ${error.message}.${example}`)
    }
    throw error
  }
}

/** The attributes in a line of JSON. */
export function eventFrom(line: string, number: number) {
  try {
    return flatten(JSON.parse(line))
  } catch (error) {
    if (error instanceof SyntaxError) throw new FileError(`line ${number} is no JSON: ${error.message}.`)
    if (error instanceof InvalidEvent) throw new FileError(`line ${number}: ${error.message}`)
    throw error
  }
}

function explained(line: number, explanation: Explanation, json: boolean | undefined): string {
  if (json) return jsonOf({ line, ...explanation })
  return forTerminal(`${explanation.matches ? '✓' : '✗'} ${line}  ${explanation.why}`)
}

async function write(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}
