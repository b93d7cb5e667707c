// coterie status: which servers answer, and what they say of themselves.

import type { Command } from 'commander'
import type { GroupStatus } from '../client/group.ts'
import { type ConnectionOptions, connectFrom, withConnection } from './connection.ts'
import { inWords } from './duration.ts'
import { action, colour, EXIT_FAILED, newCommand, print } from './output.ts'

interface Options extends ConnectionOptions {
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie status --config shop/clients/admin

Exit codes: 0 locks work, 1 too few servers are ready, 2 wrong usage.`

const CONNECT_MS = 2_000

export function statusCommand(): Command {
  return withConnection(newCommand('status').description('show which servers of the group answer'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(status))
}

async function status(options: Options): Promise<void> {
  await using group = await connectFrom(options, { timeout: CONNECT_MS, anyway: true })
  const found = await group.status()
  print(options.json, found, () => describeStatus(found))
  if (!found.locksWork) process.exitCode = EXIT_FAILED
}

export function describeStatus(status: GroupStatus): string {
  const width = Math.max(...status.servers.map(server => server.server.length))
  const lines = status.servers.map(server => {
    const name = server.server.padEnd(width)
    switch (server.state) {
      case 'unreachable':
        return `  ${colour.red('●')} ${name}  does not answer`
      case 'recovering':
        return `  ${colour.yellow('●')} ${name}  recovering: grants locks in ${inWords(server.recoveringMs!)}`
      case 'ready': {
        const locks = server.held === 1 ? '1 lock out' : `${server.held} locks out`
        return `  ${colour.green('●')} ${name}  ready, up ${inWords(server.uptimeMs!)}, answers in ${server.roundTripMs} ms, ${locks}`
      }
    }
    return name
  })
  const verdict = status.locksWork ? colour.green('locks work') : colour.red('too few servers are ready for locks')
  return [status.explanation, ...lines, verdict].join('\n')
}
