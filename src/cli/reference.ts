// The reference of the command line: every command's help, as one page.

import type { Command } from 'commander'
import { commands, loadCommand } from './commands.ts'
import { newCommand } from './output.ts'

export async function commandReference(): Promise<string> {
  const pages = [
    '# The command line',
    'Made from the commands themselves by `npm run docs`; a test checks that it is current.',
  ]
  for (const name of Object.keys(commands)) {
    const command = await loadCommand(name)
    // Its usage line begins with the name of what it belongs to.
    newCommand('coterie').addCommand(command)
    pages.push(...pagesOf(command, 'coterie'))
  }
  return `${pages.join('\n\n')}\n`
}

function pagesOf(command: Command, parent: string): string[] {
  const name = `${parent} ${command.name()}`
  return [
    `## ${name}`,
    `\`\`\`text\n${helpOf(command)}\n\`\`\``,
    ...command.commands.flatMap(child => pagesOf(child, name)),
  ]
}

// Only `outputHelp` includes the examples; it writes where it is told to.
function helpOf(command: Command): string {
  let text = ''
  command.configureHelp({ helpWidth: 110 })
  command.configureOutput({
    writeOut: part => {
      text += part
    },
  })
  command.outputHelp()
  return text.trimEnd()
}
