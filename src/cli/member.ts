// coterie member add NAME: a new member for a group: a process that its peers may dial.

import type { Command } from 'commander'
import { addMember } from '../runtime/setup.ts'
import { action, colour, newCommand, print, wholeNumber } from './output.ts'

interface Options {
  readonly group: string
  readonly host: string
  readonly port: number
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie member add till-3 --port 7650 --group shop
      makes shop/members/till-3: copy that folder to the machine of the member

Exit codes: 0 made, 1 it could not be made, 2 wrong usage or a name that cannot be.`

export function memberCommand(): Command {
  const add = newCommand('add')
    .description('make the folder of a new member: certificate, key and config file')
    .argument('<name>', 'name of the member: lower-case letters, digits and hyphens')
    .requiredOption('--port <port>', 'where it listens', wholeNumber)
    .option('--host <host>', 'where its peers find it', '127.0.0.1')
    .option('--group <dir>', "the group's folder, with the key of its authority", '.coterie')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(addNamed))
  return newCommand('member')
    .description('manage the members of a group: processes that elect, gossip and share slots')
    .addCommand(add)
    .addHelpText('after', '\nExample:\n  $ coterie member add till-3 --port 7650 --group shop')
}

async function addNamed(name: string, options: Options): Promise<void> {
  const folder = await addMember(options.group, name, options.host, options.port)
  print(options.json, { name, folder }, () => `${colour.green('made')} member ${colour.bold(name)} in ${folder}`)
}
