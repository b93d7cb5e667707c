// Completion in fish: a line for each command, option and argument, with the condition under which it is offered.

import { allOf, type Outlined, type OutlinedOption, type Value } from '../outline.ts'

export function fishScript(commands: readonly Outlined[]): string {
  const all = allOf(commands)
  const paths = all.map(({ path }) => quoted(path.join(' ')))
  const taking = all.flatMap(({ path, options }) =>
    options
      .filter(({ value }) => value !== undefined)
      .flatMap(({ long, short }) => [long, ...(short === undefined ? [] : [short])])
      .map(name => quoted([...path, name].join(' '))),
  )
  return `# fish completion for coterie. Made by: coterie completion fish

# The command that the words before the cursor call, and how many arguments it was given.
function __coterie_place
    set -l known ${paths.join(' ')}
    set -l taking ${taking.join(' ')}
${WALK}${commandLines([], commands).join('\n')}
${all.flatMap(linesOf).join('\n')}
`
}

/** The same for all commands: the two lists above decide. */
const WALK = `    set -l path
    set -l count 0
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
        else if test "$word" = --
            echo behind
            echo 0
            return
        else if string match -q -- '-*' "$word"
            contains -- (string join ' ' -- $path $word) $taking; and set skip 1
        else if test $count = 0; and contains -- (string join ' ' -- $path $word) $known
            set -a path $word
        else
            set count (math $count + 1)
        end
    end
    echo "$path"
    echo $count
end

function __coterie_at
    set -l place (__coterie_place)
    test "$place[1]" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test "$argv[2]" = many -o "$place[2]" = "$argv[2]"
end

# What a command of the user's own would be completed with.
function __coterie_rest
    set -l words (commandline -opc)
    set -l at (contains -i -- -- $words)
    complete -C (string join ' ' -- $words[(math $at + 1)..] (commandline -ct))
end

function __coterie_behind
    set -l place (__coterie_place)
    test "$place[1]" = behind
end

complete -c coterie -f
complete -c coterie -n '__coterie_behind' -a '(__coterie_rest)'
complete -c coterie -n '__coterie_at "" 0' -l help -d 'display help for command'
complete -c coterie -n '__coterie_at "" 0' -l version -d 'output the version number'
`

function commandLines(path: readonly string[], commands: readonly Outlined[]): string[] {
  return commands.map(
    child => `complete -c coterie ${at(path, '0')} -a ${child.path.at(-1)} -d ${quoted(child.description)}`,
  )
}

function linesOf({ path, commands, options, arguments: list }: Outlined): string[] {
  const arguments_ = list.flatMap(({ value, variadic, description }, place) => {
    if (value.kind === 'free' || value.kind === 'command') return []
    return [
      `complete -c coterie ${at(path, variadic ? 'many' : `${place}`)} ${offerOf(value)} -d ${quoted(description)}`,
    ]
  })
  return [...commandLines(path, commands), ...options.map(option => optionLine(path, option)), ...arguments_]
}

function optionLine(path: readonly string[], { long, short, value, description }: OutlinedOption): string {
  const names = `-l ${long.slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`
  const takes = value === undefined ? '' : ` -r ${offerOf(value)}`.trimEnd()
  return `complete -c coterie ${at(path)} ${names}${takes} -d ${quoted(description)}`
}

function at(path: readonly string[], place?: string): string {
  return `-n ${quoted(`__coterie_at "${path.join(' ')}"${place === undefined ? '' : ` ${place}`}`)}`
}

function offerOf(value: Value): string {
  switch (value.kind) {
    case 'words':
      return `-f -a ${quoted(value.words.join(' '))}`
    case 'file':
      return '-F'
    case 'free':
      return '-f'
    case 'folder':
      return `-f -a '(__fish_complete_directories)'`
    case 'command':
      return ''
  }
}

/** In single quotes fish reads only \\\\ and \\'. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, letter => `\\${letter}`)}'`
}
