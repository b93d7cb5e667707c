// coterie client add NAME: a new client for a group.

import type { Command } from 'commander'
import { addClient } from '../../runtime/setup/group.ts'
import { action, colour, newCommand, print } from '../output.ts'

interface Options {
  readonly group: string
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie client add till-3 --group shop
      makes shop/clients/till-3: copy that folder to the machine of the client

Exit codes: 0 made, 1 it could not be made, 2 wrong usage or a name that cannot be.`

export function clientCommand(): Command {
  const add = newCommand('add')
    .description('make the folder of a new client: certificate, key and config file')
    .argument('<name>', 'name of the client: lower-case letters, digits and hyphens')
    .option('--group <dir>', "the group's folder, with the key of its authority", '.coterie')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(addNamed))
  return newCommand('client')
    .addCommand(add)
    .addHelpText('after', '\nExample:\n  $ coterie client add till-3 --group shop')
}

async function addNamed(name: string, options: Options): Promise<void> {
  const folder = await addClient(options.group, name)
  print(options.json, { name, folder }, () => `${colour.green('made')} client ${colour.bold(name)} in ${folder}`)
}
