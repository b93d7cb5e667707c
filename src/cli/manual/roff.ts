// Manual pages in the language of man: a page for each command, made from the command itself.

import { allOf, type Outlined } from '../outline.ts'

export interface Page {
  readonly file: string
  readonly text: string
}

/** The page of the program, and one for each of its commands. */
export function manualPages(commands: readonly Outlined[], about: string, version: string): Page[] {
  const title = (name: string) => `.TH ${name.toUpperCase()} 1 "" "coterie ${escaped(version)}" "Coterie"`
  const list = commands.flatMap(({ path, description }) => [
    '.TP',
    `.BR coterie\\-${escaped(path[0]!)} (1)`,
    escaped(description),
  ])
  const whole = [
    title('coterie'),
    ...section('NAME', [`coterie \\- ${escaped(about)}`]),
    ...section('SYNOPSIS', ['.B coterie', '.I command', '[options]', '[arguments]']),
    ...section('COMMANDS', list),
    ...section('EXIT STATUS', [
      '0 it worked, 1 it failed, 2 wrong usage or settings that cannot work. A command that has others says so.',
    ]),
    ...section('ENVIRONMENT', [
      ...['.TP', '.B COTERIE_CONFIG', "The client's folder, where \\-\\-config is not given."],
      ...['.TP', '.B NO_COLOR', 'No colours, on terminals either.'],
    ]),
  ]
  return [{ file: 'coterie.1', text: textOf(whole) }, ...commands.map(command => pageOf(command, title))]
}

function pageOf(command: Outlined, title: (name: string) => string): Page {
  const name = `coterie-${command.path[0]}`
  const lines = [
    title(name),
    ...section('NAME', [`${escaped(name)} \\- ${escaped(command.description)}`]),
    ...section(
      'SYNOPSIS',
      allOf([command]).flatMap(({ usage }) => [`.B ${escaped(usage)}`, '.br']),
    ),
    ...bodyOf(command),
    ...allOf(command.commands).flatMap(child => [
      ...section(escaped(`coterie ${child.path.join(' ')}`).toUpperCase(), [escaped(child.description)]),
      ...bodyOf(child, '.SS'),
    ]),
    ...section('SEE ALSO', ['.BR coterie (1)']),
  ]
  return { file: `${name}.1`, text: textOf(lines) }
}

function bodyOf({ arguments: list, options, after }: Outlined, macro = '.SH'): string[] {
  const { examples, prose, exits } = partsOf(after)
  const named = list.flatMap(({ name, description }) => ['.TP', `.I ${escaped(name)}`, escaped(description)])
  const flags = options.flatMap(({ flags: shown, description }) => [
    '.TP',
    `.B ${escaped(shown)}`,
    escaped(description),
  ])
  return [
    ...section('ARGUMENTS', named, macro),
    ...section('OPTIONS', flags, macro),
    ...section('EXAMPLES', examples.length === 0 ? [] : ['.nf', ...examples.map(escaped), '.fi'], macro),
    ...section('NOTES', prose, macro),
    ...section('EXIT STATUS', exits, macro),
  ]
}

/** What stands behind the options in a help: lines of examples, paragraphs, and the exit codes at the end. */
function partsOf(after: string): { examples: string[]; prose: string[]; exits: string[] } {
  const examples: string[] = []
  const prose: string[] = []
  const exits: string[] = []
  for (const paragraph of after.split(/\n{2,}/)) {
    const lines = paragraph.split('\n').filter(line => line !== 'Example:')
    if (lines[0]?.startsWith('Exit codes: '))
      exits.push(...lines.map(line => escaped(line.replace('Exit codes: ', ''))))
    else {
      // An example may follow a sentence without a gap.
      const text = lines.filter(line => !line.startsWith('  '))
      examples.push(...lines.filter(line => line.startsWith('  ')))
      if (text.length > 0) prose.push(...(prose.length === 0 ? [] : ['.PP']), ...text.map(escaped))
    }
  }
  return { examples, prose, exits }
}

function section(name: string, lines: readonly string[], macro = '.SH'): string[] {
  return lines.length === 0 ? [] : [`${macro} ${name}`, ...lines]
}

/** A backslash begins an escape, a hyphen may be broken or drawn long, a point or quote at the beginning is a macro. */
function escaped(text: string): string {
  return (
    text
      .replaceAll('\\', '\\e')
      .replaceAll('-', '\\-')
      // A terminal that knows only ASCII has no such letter.
      .replaceAll('…', '...')
      .replace(/^(\s*)([.'])/, '$1\\&$2')
  )
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}
