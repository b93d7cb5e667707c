// Completion in the shells themselves: each is given the script and a line, and says what it would offer. A shell that is
// not installed is left out, with a sentence.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/support/command.ts'
import { commands } from '../commands.ts'
import { allOf, outline } from '../outline.ts'
import { bashScript } from './bash.ts'
import { completionCommand } from './command.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

const folder = mkdtempSync(join(tmpdir(), 'coterie-completion-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'shop-folder'))
writeFileSync(join(folder, 'shop-file'), '')

const outlined = await outline(commands)

/** Old enough to be everywhere, and not what the test's own environment says. */
const environment = { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'dumb', LC_ALL: 'C' }
const run = (program: string, args: readonly string[]) =>
  execFileSync(program, args, { cwd: folder, env: environment, encoding: 'utf8' })
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const sorted = (text: string) => [...new Set(text.split('\n').filter(line => line !== ''))].sort()

interface Shell {
  readonly name: string
  /** Offers for the last word of the line. */
  complete(line: string): string[]
}

const bash: Shell = {
  name: 'bash',
  complete(line) {
    const script = file('coterie.bash', bashScript(outlined))
    // As readline splits it: an = is a word of its own.
    const words = line.split(' ').flatMap(word => word.split(/(=)/).filter((part, at) => part !== '' || at === 0))
    const quoted = words.map(word => `'${word}'`).join(' ')
    const call = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _coterie; printf '%s\\n' "\${COMPREPLY[@]}"`
    return sorted(run('bash', ['--norc', '-c', `source ${script}; ${call}`]))
  },
}

const fish: Shell = {
  name: 'fish',
  complete(line) {
    const script = file('coterie.fish', fishScript(outlined))
    const told = run('fish', ['--no-config', '-c', `source ${script}; complete -C '${line}'`])
    // With descriptions; folders end with a slash; behind an = the option is shown again.
    return sorted(
      told
        .replace(/\t.*$/gm, '')
        .replace(/\/$/gm, '')
        .replace(/^--[a-z-]+=/gm, ''),
    )
  },
}

/** A terminal of its own, in which every match is written down. */
const zsh: Shell = {
  name: 'zsh',
  complete(line) {
    const script = file('_coterie', zshScript(outlined))
    const [found, done] = [join(folder, 'found'), join(folder, 'done')]
    for (const old of [found, done]) rmSync(old, { force: true })
    const setup = file(
      'setup.zsh',
      `autoload -Uz compinit; compinit -u -D
source ${script}
compadd() {
  local -a hits
  [[ \${argv[(i)-[OAD]*]} -le $#argv ]] || { builtin compadd -O hits "$@"; print -l -- $hits >> ${found} }
  builtin compadd "$@"
}
_report() { _main_complete; : > ${done} }
zle -C report complete-word _report
bindkey '^I' report
`,
    )
    const drive = file(
      'drive.zsh',
      `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'source ${setup}'
zpty -w -n shell '${line}'$'\\t'
for ((i = 0; i < 400; i++)); do
  [[ -f ${done} ]] && break
  zpty -r -t shell out
  sleep 0.05
done
zpty -d shell
`,
    )
    run('zsh', ['-f', drive])
    return existsSync(found) ? sorted(readFileSync(found, 'utf8').replace(/[/=]$/gm, '')) : []
  },
}

for (const shell of [bash, zsh, fish]) {
  const there = spawnSync(shell.name, ['--version']).status === 0
  const title = there
    ? `completion in ${shell.name}`
    : `completion in ${shell.name}: left out, since it is not installed`
  describe.skipIf(!there)(title, () => {
    it.each([
      ['commands', 'coterie mem', ['member', 'members']],
      ['commands below a command', 'coterie member ', ['add', 'admit', 'expel']],
      ['options', 'coterie init shop --li', ['--liars']],
      ['options of a command below', 'coterie member add till --po', ['--port']],
      ['words of an option', 'coterie serve --log-level ', ['debug', 'error', 'info', 'silent', 'warn']],
      ['words behind an =', 'coterie serve --log-level=w', ['warn']],
      ['words of an argument', 'coterie completion ', ['bash', 'fish', 'zsh']],
      ['folders where one is meant', 'coterie doctor shop-', ['shop-folder']],
      ['files where one is meant', 'coterie dedup --key-file shop-', ['shop-file', 'shop-folder']],
      ['nothing for a name', 'coterie lock ', []],
      ['nothing for a number', 'coterie up --servers ', []],
    ])('%s', (_, line, offers) => expect(shell.complete(line)).toEqual(offers))
    it('programs behind --', () => expect(shell.complete('coterie lock invoices -- bas')).toContain('bash'))
    it('every command', () => expect(shell.complete('coterie ')).toEqual(expect.arrayContaining(Object.keys(commands))))
  })
}

it('names need no quotes in a shell', () => {
  for (const { path, options, arguments: list } of allOf(outlined)) {
    const values = [...options, ...list].flatMap(({ value }) => (value?.kind === 'words' ? value.words : []))
    for (const word of [...path, ...options.map(({ long }) => long), ...values]) expect(word).toMatch(/^[a-z0-9-]+$/)
  }
})

it('coterie completion prints the script, and refuses a shell that it does not know', async () => {
  const complete = (...line: string[]) => runCommand([completionCommand(commands)], ['completion', ...line])
  expect(await complete('fish')).toMatchObject({ code: 0, out: fishScript(outlined) })
  expect(await complete('tcsh')).toMatchObject({ code: 2, err: expect.stringMatching(/bash, zsh, fish/) })
})
