// coterie init DIR: makes a group's folder.

import { relative } from 'node:path'
import type { Command } from 'commander'
import { explainTrust } from '../../core/index.ts'
import { BASE_PORT_DEFAULT, initGroup, type NewGroup } from '../../runtime/setup/group.ts'
import { duration } from '../duration.ts'
import { action, choiceOption, colour, newCommand, print, several, wholeNumber } from '../output.ts'

interface Options {
  readonly name?: string
  readonly servers?: number
  readonly liars?: number
  readonly crashes?: number
  readonly hosts?: string[]
  readonly basePort?: number
  readonly ttlMax?: number
  readonly members?: number
  readonly memberHosts?: string[]
  readonly memberLiars?: number
  readonly memberClients?: boolean
  readonly ballots?: string
  readonly client?: string[]
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie init shop --liars 1
      seven servers on this machine, one of which may lie
  $ coterie init shop --hosts a.example.org,b.example.org,c.example.org --client till-1 --client till-2
      three servers on three machines, one of which may be gone, and two clients, of which till-1 is operator

Exit codes: 0 made, 1 it could not be written, 2 wrong usage or settings that cannot work.`

export function initCommand(): Command {
  return newCommand('init')
    .argument('<dir>', 'folder to make; it must not exist, or be empty')
    .option('--name <name>', 'name of the group (default: the name of the folder)')
    .option('--servers <number>', 'how many servers (default: the fewest that can do everything)', wholeNumber)
    .option('--liars <number>', 'servers that may do anything (default: 0)', wholeNumber)
    .option('--crashes <number>', 'servers that may be gone, liars included (default: liars, at least 1)', wholeNumber)
    .option('--hosts <hosts>', 'one host for each server, or one for all (default: 127.0.0.1)', several)
    .option('--base-port <port>', `port of the first server on a host (default: ${BASE_PORT_DEFAULT})`, wholeNumber)
    .option(
      '--ttl-max <duration>',
      'the longest lease, and the wait of a server after a crash (default: 60s)',
      duration,
    )
    .option('--client <name>', 'a client to make; may be repeated; the first is operator (default: admin)', several)
    .option('--members <number>', 'processes that elect, gossip and share slots (default: none)', wholeNumber)
    .option('--member-hosts <hosts>', 'one host for each member, or one for all (default: 127.0.0.1)', several)
    .option('--member-clients', 'each member is a client of the servers, too, by a second certificate')
    .option('--member-liars <number>', 'members that may do anything (default: 0)', wholeNumber)
    .addOption(
      choiceOption(
        '--ballots <kind>',
        'what members learn of each ballot: all once it is counted, or never (default: sealed)',
        ['sealed', 'secret'],
      ),
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(init))
}

async function init(dir: string, options: Options): Promise<void> {
  const { json, client, ...settings } = options
  const made = await initGroup({ dir, ...settings, ...(client === undefined ? {} : { clients: client }) })
  print(json, made, () => describe(made))
}

function describe(made: NewGroup): string {
  const { group } = made
  const here = relative(process.cwd(), made.dir) || '.'
  const shown = here.startsWith('..') ? made.dir : here
  return [
    `${colour.green('made')} group ${colour.bold(group.name)} in ${shown}`,
    explainTrust(group.trust),
    '',
    `  ${shown}/group.toml     the settings`,
    `  ${shown}/authority/     signs certificates: keep authority.key safe, no server needs it`,
    `  ${shown}/servers/       one folder for each server, to be copied to its machine`,
    `  ${shown}/clients/       one folder for each client: ${made.clientFolders.length}; operators: ${group.operators.join(', ')}`,
    ...(made.memberFolders.length === 0
      ? []
      : [`  ${shown}/members/       one folder for each member: ${made.memberFolders.length}`]),
    '',
    `Next, for each server: coterie serve ${shown}/servers/${group.servers[0]!.name}`,
  ].join('\n')
}
