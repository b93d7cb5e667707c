// All commands, by name, each loaded only when it is asked for.

import type { Command } from 'commander'
import { newCommand } from './output.ts'

export const commands: Readonly<Record<string, () => Promise<Command>>> = {
  up: async () => (await import('./commands/up.ts')).upCommand(),
  init: async () => (await import('./commands/init.ts')).initCommand(),
  client: async () => (await import('./commands/client.ts')).clientCommand(),
  member: async () => (await import('./commands/member.ts')).memberCommand(),
  renew: async () => (await import('./commands/renew.ts')).renewCommand(),
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand(),
  status: async () => (await import('./commands/status.ts')).statusCommand(),
  lock: async () => (await import('./commands/lock.ts')).lockCommand(),
  unlock: async () => (await import('./commands/unlock.ts')).unlockCommand(),
  locks: async () => (await import('./commands/locks.ts')).locksCommand(),
  members: async () => (await import('./commands/members.ts')).membersCommand(),
  coordinator: async () => (await import('./commands/coordinator.ts')).coordinatorCommand(),
  lead: async () => (await import('./commands/lead.ts')).leadCommand(),
  slots: async () => (await import('./commands/slots.ts')).slotsCommand(),
  join: async () => (await import('./commands/join.ts')).joinCommand(),
  get: async () => (await import('./commands/get.ts')).getCommand(),
  set: async () => (await import('./commands/set.ts')).setCommand(),
  delete: async () => (await import('./commands/delete.ts')).deleteCommand(),
  list: async () => (await import('./commands/list.ts')).listCommand(),
  watch: async () => (await import('./commands/watch.ts')).watchCommand(),
  txn: async () => (await import('./commands/txn.ts')).txnCommand(),
  object: async () => (await import('./commands/object.ts')).objectCommand(),
  dump: async () => (await import('./commands/dump.ts')).dumpCommand(),
  restore: async () => (await import('./commands/restore.ts')).restoreCommand(),
  sim: async () => (await import('./commands/sim.ts')).simCommand(),
  explore: async () => (await import('./commands/explore.ts')).exploreCommand(),
  dedup: async () => (await import('./commands/dedup.ts')).dedupCommand(),
  lab: async () => (await import('./commands/lab.ts')).labCommand(),
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
