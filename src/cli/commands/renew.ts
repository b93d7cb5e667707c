// coterie renew DIR [NAME…]: new certificates before the old ones expire.

import type { Command } from 'commander'
import { renewCertificates } from '../../runtime/certificates/renew.ts'
import { action, colour, newCommand, print } from '../output.ts'

const EXAMPLE = `
Example:
  $ coterie renew shop
      new certificates for all servers, clients and members in the group's folder
  $ coterie renew shop server-1 till-3
      for these two only

Copy each new certificate to its machine and restart that node. Servers can be restarted one after the other.

Exit codes: 0 renewed, 1 a file could not be read or written, 2 wrong usage or an unknown name.`

export function renewCommand(): Command {
  return newCommand('renew')
    .argument('<dir>', "the group's folder, with the key of its authority")
    .argument('[names...]', 'servers, clients and members (default: all)')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(renew))
}

async function renew(dir: string, names: string[], options: { readonly json?: boolean }): Promise<void> {
  const renewed = await renewCertificates(dir, names)
  print(options.json, { renewed }, () => renewed.map(file => `${colour.green('renewed')} ${file}`).join('\n'))
}
