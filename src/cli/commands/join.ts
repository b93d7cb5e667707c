// coterie join: a member that is here, answers and votes, and does nothing else.

import type { Command } from 'commander'
import { join } from '../../client/join.ts'
import { createLog } from '../../runtime/json-log.ts'
import { action, colour, logOption, newCommand, several, tell } from '../output.ts'
import { readAttributes } from './lead.ts'

interface Options {
  readonly config: string
  readonly attribute?: string[]
  readonly log: string
}

const EXAMPLE = `
Example:
  $ coterie join --config shop/members/member-1 --attribute battery=0.8
      a member of the group until Ctrl-C; it gossips, votes and grants

Exit codes: 0 left cleanly, 1 it could not join, 2 wrong usage.`

export function joinCommand(): Command {
  return newCommand('join')
    .requiredOption('--config <folder>', "the member's folder")
    .option('--attribute <name=number>', 'what this member says of itself; may be repeated', several)
    .addOption(logOption())
    .addHelpText('after', EXAMPLE)
    .action(action(run))
}

async function run(options: Options): Promise<void> {
  await using group = await join({
    config: options.config,
    attributes: readAttributes(options.attribute ?? []),
    log: createLog('member', options.log),
  })
  tell(`${colour.green('joined')} as ${group.name}; Ctrl-C leaves`)
  await new Promise<void>(resolve => {
    process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
  })
}
