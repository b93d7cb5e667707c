// Every command line that a document shows, and every one that an error of ours advises, is one that the commands understand: names,
// options, and how many words. What the lines do is played elsewhere; a line that is not even understood is a newcomer's first wall.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../src/cli/commands.ts'
import { newCommand } from '../src/cli/output.ts'

const root = join(import.meta.dirname, '..')

interface Shown {
  readonly where: string
  readonly line: string
}

function filesIn(folder: string, ending: string): string[] {
  const found = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  return found.filter(file => file.endsWith(ending)).map(file => join(folder, file))
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const documents = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md'],
  ...['docs', 'src'].flatMap(folder => filesIn(folder, '.md')).filter(file => !file.startsWith('docs/reference/api')),
]

/** Lines of blocks for a shell. A line may go on behind a backslash. */
function typedIn(file: string): Shown[] {
  const blocks = [...read(file).matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```/gm)]
  const lines = blocks.flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
  return lines.flatMap(line => callsIn(line).map(call => ({ where: file, line: call })))
}

/** What is said in passing: `coterie lock NAME`. It may be a part of a line. */
function mentionedIn(file: string): Shown[] {
  const prose = read(file).replace(/^```[\s\S]*?^```/gm, '')
  const spans = [...prose.matchAll(/`((?:npx )?coterie [^`]+)`/g)].map(([, span]) => span!.replaceAll(/\s+/g, ' '))
  return spans.flatMap(span => callsIn(span).map(call => ({ where: file, line: call })))
}

/** The calls of our command in a line: without the comment, and apart from what stands around them. */
function callsIn(line: string): string[] {
  const plain = line.replace(/\s#\s.*$/, '').replace(/^\s*\$\s/, '')
  return plain
    .split(/\s*(?:&&|\|\||[|;])\s*(?![^']*'(?:[^']*'[^']*')*[^']*$)/)
    .map(call => call.trim().replace(/^(?:npx |exec |[A-Z_]+=\S+ )+/, ''))
    .filter(call => call.startsWith('coterie ') && !/…|\.\.\.|COMMAND/.test(call))
}

/** The words as a shell would make them. */
function wordsOf(call: string): string[] {
  const command = call.replace(/\s[<>]{1,2}\s*\S+/g, '').replace(/\s&$/, '')
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].slice(1).map(([word]) => word.replaceAll(/['"]/g, ''))
}

let program: () => Command

beforeAll(async () => {
  const loads = Object.entries(commands).map(async ([name, { load }]) => [name, await load()] as const)
  const loaded = await Promise.all(loads)
  program = () => {
    const made = newCommand('coterie').version('0').enablePositionalOptions()
    for (const [, command] of loaded) made.addCommand(command)
    harmless(made)
    return made
  }
})

/** It reads its line and does nothing. */
function harmless(command: Command): void {
  command.exitOverride().configureOutput({ writeOut() {}, writeErr() {} })
  // A command with others below it may do something by itself, too; one that does not must go on saying what it lacks.
  const acts = (command as unknown as { readonly _actionHandler: unknown })._actionHandler !== null
  if (acts) command.action(() => {})
  for (const child of command.commands) harmless(child)
}

/** No errors: what was asked for is printed. */
const ANSWERS = ['helpDisplayed', 'version']
/** What a part of a line may do without. */
const LACKS = ['missingArgument', 'missingMandatoryOptionValue', 'optionMissingArgument', 'help']

/** Why the line is not understood. A part of a line may lack words, and names in capitals stand for any. */
function whyNot(line: string, isPart: boolean): string | undefined {
  try {
    program().parse(wordsOf(line), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const excused = [
      ...ANSWERS,
      ...(isPart ? LACKS : []),
      ...(/(?:^|\s)[A-Z]+(?=\s|$)/.test(line) ? ['invalidArgument'] : []),
    ]
    return excused.includes(error.code.replace('commander.', '')) ? undefined : error.message
  }
  return undefined
}

const wrongOf = (shown: readonly Shown[], isPart: boolean) =>
  shown.flatMap(({ where, line }) => {
    const why = whyNot(line, isPart)
    return why === undefined ? [] : [`${where}: ${line}: ${why}`]
  })

describe('a command line', () => {
  it('that a document shows for a shell is understood', () => {
    const shown = documents.flatMap(typedIn)
    expect(shown.length).toBeGreaterThan(50)
    expect(wrongOf(shown, false)).toEqual([])
  })

  it('that a document mentions is understood, as far as it goes', () => {
    const shown = documents.flatMap(mentionedIn)
    expect(shown.length).toBeGreaterThan(100)
    expect(wrongOf(shown, true)).toEqual([])
  })

  it('that is none is noticed: a command, an option, a word too many', () => {
    expect(whyNot('coterie up shop', false)).toContain('too many arguments')
    expect(whyNot('coterie stauts', true)).toContain("unknown command 'stauts'")
    expect(whyNot('coterie lock a --tll 5s -- true', true)).toContain("unknown option '--tll'")
    expect(whyNot('coterie set /a', false)).toContain("missing required argument 'value'")
    expect(whyNot('coterie set /a', true)).toBeUndefined()
  })
})
