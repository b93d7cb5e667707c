// The command line: one file a command. Only the file of the command that was asked for is loaded, so that a server
// does not carry the weight of the laboratory.

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { EXIT_USAGE, fail, newCommand } from './output.ts'

const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).upCommand(),
  init: async () => (await import('./init.ts')).initCommand(),
  client: async () => (await import('./client.ts')).clientCommand(),
  renew: async () => (await import('./renew.ts')).renewCommand(),
  serve: async () => (await import('./serve.ts')).serveCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  status: async () => (await import('./status.ts')).statusCommand(),
  lock: async () => (await import('./lock.ts')).lockCommand(),
  unlock: async () => (await import('./unlock.ts')).unlockCommand(),
  locks: async () => (await import('./locks.ts')).locksCommand(),
  sim: async () => (await import('./sim.ts')).simCommand(),
  explore: async () => (await import('./explore.ts')).exploreCommand(),
  lab: async () => (await import('./lab.ts')).labCommand(),
}

const AFTER = `
Start here:
  $ coterie up                     a group of seven servers on this machine, one of which may lie
  $ coterie lock invoices -- ./send-invoices.sh
                                   run a command while holding a lock
  $ coterie COMMAND --help         every command has an example

Exit codes: 0 it worked, 1 it failed, 2 wrong usage or settings that cannot work.`

async function main(): Promise<void> {
  const asked = process.argv.slice(2).find(word => !word.startsWith('-'))
  const program = newCommand('coterie')
    .description('Coordination for parties that do not fully trust each other, or the machines between them.')
    .version(version(), '-v, --version')
    .addHelpText('after', AFTER)
  const wanted = asked !== undefined && asked in commands ? [asked] : Object.keys(commands)
  for (const name of wanted) program.addCommand(await commands[name]!())
  if (process.argv.length <= 2) {
    program.outputHelp()
    process.exitCode = EXIT_USAGE
    return
  }
  await program.parseAsync()
}

function version(): string {
  const file = new URL('../../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', error => {
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') process.exit(0)
  throw error
})

await main().catch(fail)
