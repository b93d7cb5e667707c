import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { commands, loadCommand } from './commands.ts'
import { commandReference } from './reference.ts'

it('the reference of the command line is current (npm run docs)', async () => {
  const written = await readFile(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8')
  expect(written).toBe(await commandReference())
})

it('every command says what it is for, and has an example or commands of its own', async () => {
  const pages = (await commandReference()).split('\n## ').slice(1)
  expect(pages.length).toBeGreaterThan(10)
  for (const page of pages) expect(page).toMatch(/Example|Commands:/)
})

it.each(Object.keys(commands))('%s is in the list of commands as it is', async name => {
  const command = await loadCommand(name)
  const help = command.createHelp()
  expect(help.subcommandTerm(command)).toBe(`${name} ${commands[name]!.usage}`.trimEnd())
  expect(help.subcommandDescription(command)).toBe(commands[name]!.description)
})
