// What all commands share: how they print, how they fail, and what their exit code means.
//
//   0  it worked
//   1  the thing asked for failed: a problem was found, a file could not be written, a server did not answer
//   2  the command cannot work as given: wrong usage, or settings that cannot be
//
// Results go to standard output, everything else to standard error, so that `--json | jq` never meets a stray line.

import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import picocolors from 'picocolors'
import { CoterieError, FileError, SettingsError } from '../core/index.ts'
import { cannot } from '../runtime/files.ts'
import { asTyped } from './duration.ts'
import { isOutOfFiles, NO_MORE_FILES } from './open-files.ts'
import { forTerminal, jsonOf } from './printable.ts'
import { meant } from './similar.ts'

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** NO_COLOR (no-color.org) always wins; else colours are for terminals only, so that files and pipes stay plain. */
export function wantsColour(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  if (environment.NO_COLOR) return false
  return stream.isTTY === true && environment.TERM !== 'dumb'
}

export const colour = picocolors.createColors(wantsColour(process.stdout, process.env))

/**
 * A command whose wrong usage ends with exit code 2; commander's own default is 1. What commander says of a wrong word holds
 * that word, which somebody else may have chosen: no terminal obeys it.
 */
export function newCommand(name: string): Command {
  return new Command(name)
    .configureOutput({ writeErr: text => process.stderr.write(forTerminal(text)) })
    .exitOverride(error => process.exit(error.exitCode === 0 ? 0 : EXIT_USAGE))
}

/** Prints a result, as JSON for programs or as text for people. */
export function print(json: boolean | undefined, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? jsonOf(value, 2) : forTerminal(text())}\n`)
}

/** One of many lines of results, as they come: JSON for programs, or text for people. */
export function printLine(json: boolean | undefined, value: unknown, text: () => string): void {
  process.stdout.write(`${json ? jsonOf(value) : forTerminal(text())}\n`)
}

/** A line of text for people that is no result. */
export function tell(text: string): void {
  process.stdout.write(`${forTerminal(text)}\n`)
}

/** The same on standard error. */
export function warn(text: string): void {
  process.stderr.write(`${forTerminal(text)}\n`)
}

/** Says why it failed and sets the exit code. A sentence of ours needs no stack; anything else is a bug and shows it. */
export function fail(error: unknown): void {
  if (error instanceof CoterieError) {
    const sign = picocolors.createColors(wantsColour(process.stderr, process.env)).red('error:')
    warn(`${sign} ${asTyped(error.message)}`)
    process.exitCode = error instanceof SettingsError ? EXIT_USAGE : EXIT_FAILED
    return
  }
  if (isOutOfFiles(error)) warn(`error: ${NO_MORE_FILES}`)
  else warn(`this is a bug, please report it: ${error instanceof Error ? error.stack : String(error)}`)
  process.exitCode = EXIT_FAILED
}

/** Of a file that the user named, and that need not come from a group's folder. */
export function cannotRead(file: string, error: unknown): FileError {
  const gone = (error as NodeJS.ErrnoException).code === 'ENOENT'
  return gone ? new FileError(`cannot read ${file}: there is no such file.`) : cannot('read', file, error)
}

/** Makes an action of commander that ends in `fail` where the work throws. */
export function action<Arguments extends unknown[]>(work: (...given: Arguments) => Promise<void>) {
  return (...given: Arguments): Promise<void> => work(...given).catch(fail)
}

/** For options that take a whole number. */
export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number of at most nine digits.')
  return Number(value)
}

/** For options that take a number of things of which there must be one. */
export function oneOrMore(value: string): number {
  const count = wholeNumber(value)
  if (count === 0) throw new InvalidArgumentError('It must be 1 or more.')
  return count
}

/** An option that takes one of these words. Another one is refused with the option's name, and the word that was meant. */
export function choiceOption(flags: string, description: string, words: readonly string[]): Option {
  return new Option(flags, description).choices(words).argParser(value => {
    if (words.includes(value)) return value
    throw new InvalidArgumentError(`It must be ${listed(words)}.${meant(value, words)}`)
  })
}

/** An argument that is one of these words; the command says what is wrong with another. */
export function choiceArgument(name: string, description: string, words: readonly string[]): Argument {
  return new Argument(name, description).choices(words).argParser(value => value)
}

/** a, b or c. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent']

/** How much a member that was started by a command logs. */
export function logOption(): Option {
  return choiceOption('--log <level>', 'how much to log', LOG_LEVELS).default('warn')
}

/** For options that take several values, repeated or with commas between. */
export function several(value: string, before: readonly string[] | undefined): string[] {
  const values = value.split(',').map(item => item.trim())
  return [...(before ?? []), ...values]
}
