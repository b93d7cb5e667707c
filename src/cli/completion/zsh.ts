// Completion in zsh: a function for each command, with zsh's own _arguments.

import { allOf, type Outlined, type OutlinedArgument, type OutlinedOption, type Value } from '../outline.ts'

export function zshScript(commands: readonly Outlined[]): string {
  const whole = { path: [], options: [], arguments: [], commands } as const
  return `#compdef coterie
# zsh completion for coterie. Made by: coterie completion zsh

${[whole, ...allOf(commands)].map(functionOf).join('\n')}
if [ "$funcstack[1]" = _coterie ]; then
  _coterie "$@"
else
  compdef _coterie coterie
fi
`
}

type Shape = Pick<Outlined, 'path' | 'options' | 'arguments' | 'commands'>

function functionOf(shape: Shape): string {
  return shape.commands.length === 0 ? leafFunction(shape) : branchFunction(shape)
}

function leafFunction({ path, options, arguments: list }: Shape): string {
  const specs = [...options.map(optionSpec), ...list.map(argumentSpec)]
  return `${nameOf(path)}() {
  _arguments -s -S ${specs.join(' \\\n    ')}
}
`
}

/** A word that is none of its commands is an argument of its own, where it takes one. */
function branchFunction({ path, options, arguments: list, commands }: Shape): string {
  const described = commands.map(child => quoted(`${child.path.at(-1)}:${child.description.replaceAll(':', '\\:')}`))
  const own =
    path.length === 0
      ? [`'(- *)--help[display help for command]'`, `'(- *)--version[output the version number]'`]
      : options.map(optionSpec)
  const calls = commands.map(child => `        ${child.path.at(-1)}) ${nameOf(child.path)} ;;`)
  return `${nameOf(path)}() {
  local curcontext="$curcontext" state line
  _arguments -C ${[...own, `'1: :->command'`, `'*:: :->rest'`].join(' \\\n    ')}
  case $state in
    command)
      local -a found
      found=(
        ${described.join('\n        ')}
      )
      _describe command found${list.some(({ value }) => value.kind === 'file') ? '\n      _files' : ''} ;;
    rest)
      case $words[1] in
${[...calls, ...(list.length === 0 ? [] : [`        *) _arguments -s -S ${[...options.map(optionSpec), ...list.map(argumentSpec)].join(' ')} ;;`])].join('\n')}
      esac ;;
  esac
}
`
}

function nameOf(path: readonly string[]): string {
  return ['_coterie', ...path].join('_')
}

function optionSpec({ long, short, value, description, placeholder }: OutlinedOption): string {
  // The value may follow as the next word, or behind an equals sign.
  const whole = value === undefined ? long : `${long}=`
  const name = short === undefined ? `'*${whole}` : `'(${short} ${long})'{${short},${whole}}'`
  const text = `[${inSpec(description)}]`
  return `${name}${text}${value === undefined ? '' : `:${inSpec(placeholder)}:${actionOf(value)}`}'`
}

function argumentSpec({ name, value, variadic }: OutlinedArgument, place: number): string {
  // What follows is another command line, with its own completion.
  if (value.kind === 'command') return `'*:::${inSpec(name)}: _normal'`
  return `'${variadic ? '*' : `${place + 1}`}:${inSpec(name)}:${actionOf(value)}'`
}

function actionOf(value: Value): string {
  switch (value.kind) {
    case 'words':
      return `(${value.words.join(' ')})`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'command':
      return '_normal'
    case 'free':
      return ' '
  }
}

/** Inside single quotes, and inside what _arguments reads: colons and brackets would end the part. */
function inSpec(text: string): string {
  return text.replace(/[\\:[\]]/g, letter => `\\${letter}`).replaceAll("'", `'\\''`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
