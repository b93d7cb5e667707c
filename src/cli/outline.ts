// All commands as plain data, for what is made from them: completion of shells and manual pages.

import type { Argument, Command, Option } from 'commander'
import { LaboratoryMissing } from './laboratory/installed.ts'
import { newCommand } from './output.ts'

/** What a value may be, as far as a shell can help with it. */
export type Value =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  /** A command and its arguments. */
  | { readonly kind: 'command' }
  /** A name, a number: nothing that a shell knows. */
  | { readonly kind: 'free' }

export interface OutlinedOption {
  readonly short: string | undefined
  readonly long: string
  /** As in the help: `-E, --conflict-exit-code <number>`. */
  readonly flags: string
  readonly description: string
  /** Undefined: it takes none. */
  readonly value: Value | undefined
  /** What the value is called. */
  readonly placeholder: string
}

export interface OutlinedArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly variadic: boolean
  readonly value: Value
}

export interface Outlined {
  /** The words that call it, without `coterie`. */
  readonly path: readonly string[]
  readonly description: string
  readonly usage: string
  readonly options: readonly OutlinedOption[]
  readonly arguments: readonly OutlinedArgument[]
  readonly commands: readonly Outlined[]
  /** What its help says behind the list of options: examples, explanations, exit codes. */
  readonly after: string
}

/** As in the list of commands, which is handed in: one of its commands is made from all of them. */
interface Listed {
  readonly description: string
  load(): Promise<Command>
}

/** Every command, in the order of the list. */
export async function outline(commands: Readonly<Record<string, Listed>>): Promise<Outlined[]> {
  const found: Outlined[] = []
  for (const [name, { description, load }] of Object.entries(commands)) {
    const command = (await load().catch(nameAlone(name))).description(description)
    // Its usage line begins with the name of what it belongs to.
    newCommand('coterie').addCommand(command)
    found.push(outlineOf(command, []))
  }
  return found
}

/** What a package offers that is not installed is known by its name. */
function nameAlone(name: string): (error: unknown) => Command {
  return error => {
    if (error instanceof LaboratoryMissing) return newCommand(name)
    throw error
  }
}

/** With everything below it. */
export function allOf(outlined: readonly Outlined[]): Outlined[] {
  return outlined.flatMap(one => [one, ...allOf(one.commands)])
}

function outlineOf(command: Command, above: readonly string[]): Outlined {
  const path = [...above, command.name()]
  const help = command.createHelp()
  return {
    path,
    description: command.description(),
    usage: help.commandUsage(command),
    options: help.visibleOptions(command).map(optionOf),
    arguments: command.registeredArguments.map(argumentOf),
    commands: command.commands.map(child => outlineOf(child, path)),
    after: afterHelp(command),
  }
}

function optionOf(option: Option): OutlinedOption {
  const placeholder = /[<[](.+?)[>\]]/.exec(option.flags)?.[1] ?? ''
  const takes = option.required || option.optional
  return {
    short: option.short,
    long: option.long!,
    flags: option.flags,
    description: describe(option),
    value: takes ? readAs(placeholder, option.argChoices) : undefined,
    placeholder,
  }
}

/** With its words and its default, as in the help. */
function describe({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const words = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`
  const shown = defaultValueDescription ?? (typeof defaultValue === 'boolean' ? undefined : defaultValue)
  return `${description}${words}${shown === undefined ? '' : ` (default: ${shown})`}`
}

function argumentOf(argument: Argument): OutlinedArgument {
  const name = argument.name()
  return {
    name,
    description: argument.description,
    required: argument.required,
    variadic: argument.variadic,
    value: readAs(name, argument.argChoices, argument.description),
  }
}

/** The words in the place of a value say what it is: `--out <dir>`. A path of the tree is no path of a file. */
function readAs(placeholder: string, choices: readonly string[] | undefined, description = ''): Value {
  if (choices !== undefined) return { kind: 'words', words: choices }
  if (placeholder === 'command') return { kind: 'command' }
  if (/^files?$/.test(placeholder)) return { kind: 'file' }
  if (/^(folder|dir)$/.test(placeholder) || /^folder\b/.test(description)) return { kind: 'folder' }
  return { kind: 'free' }
}

// Only `outputHelp` includes it; it writes where it is told to.
function afterHelp(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: part => {
      text += part
    },
  })
  command.outputHelp()
  return text.slice(command.helpInformation().length).trim()
}
