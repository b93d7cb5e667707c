// The command line: one file a command. Only the file of the command that was asked for is loaded, so that a server
// does not carry the weight of the laboratory.

import type { Command } from 'commander'
import { cannot } from '../runtime/files.ts'
import { commands, loadCommand } from './commands.ts'
import { EXIT_USAGE, fail, newCommand, warn } from './output.ts'
import { ownVersion } from './version.ts'

const AFTER = `
Start here:
  $ coterie up                     a group of seven servers on this machine, one of which may lie
  $ coterie lock invoices -- ./send-invoices.sh
                                   run a command while holding a lock
  $ coterie COMMAND --help         every command has an example

Exit codes: 0 it worked, 1 it failed, 2 wrong usage or settings that cannot work.`

async function main(): Promise<void> {
  const line = unfolded(process.argv.slice(2))
  const asked = line.find(word => !word.startsWith('-'))
  const program = newCommand('coterie')
    .description('Coordination for parties that do not fully trust each other, or the machines between them.')
    .version(ownVersion(), '-v, --version')
    .enablePositionalOptions()
    .addHelpText('after', AFTER)
  if (asked !== undefined && Object.hasOwn(commands, asked)) program.addCommand(await loadCommand(asked))
  else listCommands(program)
  if (line.length === 0) {
    program.outputHelp()
    process.exitCode = EXIT_USAGE
    return
  }
  await program.parseAsync(line, { from: 'user' })
}

/** Names and descriptions alone: for the list of commands, and for words that are none. */
function listCommands(program: Command): void {
  for (const [name, { usage, description }] of Object.entries(commands)) {
    program.addCommand(newCommand(name).description(description).usage(usage))
  }
  const usual = program.createHelp()
  program.configureHelp({
    subcommandTerm: command => {
      const entry = commands[command.name()]
      return entry === undefined ? usual.subcommandTerm(command) : `${command.name()} ${entry.usage}`.trimEnd()
    },
  })
}

/**
 * `help member admit` is `member admit --help`: commander's own help knows the first word only. A word that is no command is
 * refused as where it stands alone: commander would print the whole help without saying why.
 */
function unfolded(line: readonly string[]): readonly string[] {
  const [help, command, ...rest] = line
  if (help !== 'help' || command === undefined) return line
  return Object.hasOwn(commands, command) ? [command, ...rest, '--help'] : [command, ...rest]
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0)
  fail(cannot('write', 'standard output', error))
  process.exit()
})

// What a program is told by a warning of the process, a command says as its other warnings: without the process's number.
const usual = process.listeners('warning')
process.removeAllListeners('warning')
process.on('warning', warning => {
  if (warning.name === 'CoterieWarning') warn(`warning: ${warning.message}`)
  else for (const listener of usual) listener.call(process, warning)
})

await main().catch(fail)
