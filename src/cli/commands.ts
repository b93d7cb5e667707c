// All commands, by name, each loaded only when it is asked for.

import type { Command } from 'commander'
import { newCommand } from './output.ts'

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./up.ts')).upCommand(),
  init: async () => (await import('./init.ts')).initCommand(),
  client: async () => (await import('./client.ts')).clientCommand(),
  member: async () => (await import('./member.ts')).memberCommand(),
  renew: async () => (await import('./renew.ts')).renewCommand(),
  serve: async () => (await import('./serve.ts')).serveCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  status: async () => (await import('./status.ts')).statusCommand(),
  lock: async () => (await import('./lock.ts')).lockCommand(),
  unlock: async () => (await import('./unlock.ts')).unlockCommand(),
  locks: async () => (await import('./locks.ts')).locksCommand(),
  members: async () => (await import('./members.ts')).membersCommand(),
  coordinator: async () => (await import('./coordinator.ts')).coordinatorCommand(),
  lead: async () => (await import('./lead.ts')).leadCommand(),
  slots: async () => (await import('./slots.ts')).slotsCommand(),
  join: async () => (await import('./join.ts')).joinCommand(),
  get: async () => (await import('./get.ts')).getCommand(),
  set: async () => (await import('./set.ts')).setCommand(),
  delete: async () => (await import('./delete.ts')).deleteCommand(),
  list: async () => (await import('./list.ts')).listCommand(),
  watch: async () => (await import('./watch.ts')).watchCommand(),
  txn: async () => (await import('./txn.ts')).txnCommand(),
  object: async () => (await import('./object.ts')).objectCommand(),
  dump: async () => (await import('./dump.ts')).dumpCommand(),
  restore: async () => (await import('./restore.ts')).restoreCommand(),
  sim: async () => (await import('./sim.ts')).simCommand(),
  explore: async () => (await import('./explore.ts')).exploreCommand(),
  dedup: async () => (await import('./dedup.ts')).dedupCommand(),
  lab: async () => (await import('./lab.ts')).labCommand(),
}

/** Every command's help, as one page. */
export async function commandReference(): Promise<string> {
  const pages = [
    '# The command line',
    'Made from the commands themselves by `npm run docs`; a test checks that it is current.',
  ]
  for (const load of Object.values(commands)) {
    const command = await load()
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
