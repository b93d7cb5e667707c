// Completion in bash: one function that walks the words before the cursor. It needs no helper of bash-completion, so
// that it works wherever bash does.

import { allOf, type Outlined, type Value } from '../outline.ts'

export function bashScript(commands: readonly Outlined[]): string {
  const all = allOf(commands)
  return `# bash completion for coterie. Made by: coterie completion bash

_coterie_words() {
  case "$1" in
${cases([{ path: [], commands }, ...all.filter(one => one.commands.length > 0)].map(wordsCase))}
  esac
}

_coterie_options() {
  case "$1" in
    '') echo '--help --version' ;;
${cases(all.map(({ path, options }) => [path.join(' '), options.map(({ long }) => long).join(' ')]))}
  esac
}

# What comes behind an option: nothing where it takes no value.
_coterie_value() {
  case "$1 $2" in
${cases(all.flatMap(valueCases))}
  esac
}

# What an argument is, by its place; a * stands for all that follow.
_coterie_argument() {
  case "$1 $2" in
${cases(all.flatMap(argumentCases))}
  esac
}

${WALK}`
}

/** The same for all commands: what the functions above answer decides. */
const WALK = `_coterie_offer() {
  local kind=$1 word=$2
  case "$kind" in
    files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    folders) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    commands) mapfile -t COMPREPLY < <(compgen -c -- "$word" | sort -u) ;;
    words:*) mapfile -t COMPREPLY < <(compgen -W "\${kind#words:}" -- "$word") ;;
  esac
}

_coterie() {
  local path='' place=0 at word=\${COMP_WORDS[COMP_CWORD]} option='' kind
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    local one=\${COMP_WORDS[at]}
    if [[ $one == -- ]]; then
      # A command of the user's own: its name, then files.
      if ((at + 1 == COMP_CWORD)); then _coterie_offer commands "$word"; else _coterie_offer files "$word"; fi
      return
    elif [[ $one == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $one == -* ]]; then
      [[ -n $(_coterie_value "$path" "$one") ]] && option=$one
    elif [[ " $(_coterie_words "$path") " == *" $one "* && $place == 0 ]]; then
      path=\${path:+$path }$one
    else
      place=$((place + 1))
    fi
  done
  # Bash takes an = for a word of its own.
  [[ $word == '=' ]] && word=''
  if [[ -n $option ]]; then
    _coterie_offer "$(_coterie_value "$path" "$option")" "$word"
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_coterie_options "$path")" -- "$word")
  else
    kind=$(_coterie_argument "$path" "$place")
    [[ -z $kind ]] && kind=$(_coterie_argument "$path" '*')
    _coterie_offer "$kind" "$word"
    if ((place == 0)); then
      local words=("\${COMPREPLY[@]}")
      mapfile -t COMPREPLY < <(compgen -W "$(_coterie_words "$path")" -- "$word")
      COMPREPLY+=("\${words[@]}")
    fi
  fi
}

complete -F _coterie coterie
`

type Case = readonly [pattern: string, answer: string]

/** Names of commands, options and choices have no quotes: a test looks. */
function cases(list: readonly Case[]): string {
  return list
    .filter(([, answer]) => answer !== '')
    .map(
      ([pattern, answer]) =>
        `    ${pattern.includes('*') ? `'${pattern.replace('*', "'\\*''")}` : `'${pattern}'`}) echo '${answer}' ;;`,
    )
    .join('\n')
}

function wordsCase({ path, commands }: Pick<Outlined, 'path' | 'commands'>): Case {
  return [path.join(' '), commands.map(child => child.path.at(-1)).join(' ')]
}

function valueCases({ path, options }: Outlined): Case[] {
  return options.flatMap(({ long, short, value }) => {
    if (value === undefined) return []
    return [long, ...(short === undefined ? [] : [short])].map(
      (name): Case => [`${path.join(' ')} ${name}`, kindOf(value)],
    )
  })
}

function argumentCases({ path, arguments: list }: Outlined): Case[] {
  return list.flatMap(({ value, variadic }, place): Case[] => {
    // What follows -- is found by that.
    if (value.kind === 'free' || value.kind === 'command') return []
    return [[`${path.join(' ')} ${variadic ? '*' : place}`, kindOf(value)]]
  })
}

function kindOf(value: Value): string {
  switch (value.kind) {
    case 'words':
      return `words:${value.words.join(' ')}`
    case 'file':
      return 'files'
    case 'folder':
      return 'folders'
    case 'command':
      return 'commands'
    case 'free':
      return 'free'
  }
}
