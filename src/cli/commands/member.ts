// coterie member add, admit, expel: a new member for a group, and whether it votes.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { ASK_MS, type Asker, type MemberAnswer, openAsker } from '../../client/peers/asking.ts'
import { Refused, Unavailable } from '../../core/index.ts'
import { addMember } from '../../runtime/setup/group.ts'
import { type ConnectionOptions, clientFolder, withConnection } from '../connection.ts'
import { action, colour, newCommand, print, wholeNumber } from '../output.ts'

interface Options {
  readonly group: string
  readonly host: string
  readonly port: number
  readonly client?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie member add till-3 --port 7650 --group shop
      makes shop/members/till-3: copy that folder to the machine of the member

It joins as a guest, that is seen and gossips. Once it is there, coterie member admit till-3 lets it vote and lead.

Exit codes: 0 made, 1 it could not be made, 2 wrong usage or a name that cannot be.`

export function memberCommand(): Command {
  const add = newCommand('add')
    .description('make the folder of a new member: certificate, key and config file')
    .argument('<name>', 'name of the member: lower-case letters, digits and hyphens')
    .requiredOption('--port <port>', 'where it listens', wholeNumber)
    .option('--host <host>', 'where its peers find it', '127.0.0.1')
    .option('--client', 'it is a client of the servers, too, by a second certificate')
    .option('--group <dir>', "the group's folder, with the key of its authority", '.coterie')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(addNamed))
  return newCommand('member')
    .addCommand(add)
    .addCommand(votersCommand('admit', 'let a guest vote and lead (operators only)'))
    .addCommand(votersCommand('expel', 'let a member vote and lead no longer (operators only)'))
    .addHelpText('after', '\nExample:\n  $ coterie member add till-3 --port 7650 --group shop')
}

function votersCommand(change: 'admit' | 'expel', description: string): Command {
  const example = `
Example:
  $ coterie member ${change} till-3
      every member is asked to agree; who leads proposes the new list, and more than half of the old one sign it

Somebody must lead. Who may ask is in the members' coterie.toml: operators.

Exit codes: 0 done; 1 not an operator, or not within ${DONE_MS / 1000} s; 2 wrong usage.`
  return withConnection(newCommand(change).description(description))
    .argument('<name>', 'name of the member')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', example)
    .action(
      action((name: string, options: ConnectionOptions & { json?: boolean }) => changeVoters(change, name, options)),
    )
}

/** Time for an election in between. */
const DONE_MS = 15_000
const AGAIN_MS = 300

async function changeVoters(
  change: 'admit' | 'expel',
  name: string,
  options: ConnectionOptions & { readonly json?: boolean },
): Promise<void> {
  const asker = await openAsker(clientFolder(options))
  try {
    const answers = await asker.ask({ kind: change, member: name }, ASK_MS)
    const refusals = answers.flatMap(({ member, refused }) => (refused === undefined ? [] : [`${member}: ${refused}`]))
    if (2 * refusals.length > answers.length) throw new Refused(refusals[0]!)
    await untilKnown(asker, change, name)
    print(
      options.json,
      { name, change },
      () => `${colour.bold(name)} ${change === 'admit' ? 'votes' : 'votes no longer'}`,
    )
  } finally {
    await asker.close()
  }
}

/** Most of those who answer have the new list. */
async function untilKnown(asker: Asker, change: 'admit' | 'expel', name: string): Promise<void> {
  const knows = ({ members }: MemberAnswer) => {
    return (members.find(member => member.name === name)?.voter ?? false) === (change === 'admit')
  }
  const end = performance.now() + DONE_MS
  while (performance.now() < end) {
    const answers = await asker.ask({ kind: 'members' }, ASK_MS)
    if (2 * answers.filter(knows).length > answers.length) return
    await sleep(AGAIN_MS)
  }
  throw new Unavailable(`${name}: the list has not changed within ${DONE_MS / 1000} s. Does anybody lead?`)
}

async function addNamed(name: string, options: Options): Promise<void> {
  const folder = await addMember(options.group, name, options.host, options.port, {
    client: options.client ?? false,
  })
  print(options.json, { name, folder }, () => `${colour.green('made')} member ${colour.bold(name)} in ${folder}`)
}
