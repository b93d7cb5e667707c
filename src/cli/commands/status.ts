// coterie status: which servers answer, and what they say of themselves.

import type { Command } from 'commander'
import type { GroupStatus } from '../../client/group.ts'
import { type Accusation, versionsBehind } from '../../client/inspect-objects.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { inWords } from '../duration.ts'
import { action, colour, EXIT_FAILED, newCommand, print } from '../output.ts'
import { allPrintable } from '../printable.ts'

interface Options extends ConnectionOptions {
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie status --config shop/clients/admin

A server that contradicted itself or the others is named, with what it said and who says so; such a line needs a client
that saw it and more servers that were told than can lie.

Exit codes: 0 locks work, 1 too few servers are ready, 2 wrong usage.`

const CONNECT_MS = 2_000

export function statusCommand(): Command {
  return withConnection(newCommand('status'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(status))
}

async function status(options: Options): Promise<void> {
  await using group = await connectFrom(options, { timeout: CONNECT_MS, anyway: true })
  const found = await group.status()
  print(options.json, JSON.parse(JSON.stringify(found, readable)), () => describeStatus(allPrintable(found)))
  if (!found.locksWork) process.exitCode = EXIT_FAILED
}

export function describeStatus(status: GroupStatus): string {
  const width = Math.max(...status.servers.map(server => server.server.length))
  const lines = status.servers.map(server => {
    const name = server.server.padEnd(width)
    switch (server.state) {
      case 'unreachable':
        return `  ${colour.red('●')} ${name}  does not answer${server.why === undefined ? '' : `: ${server.why}`}`
      case 'recovering':
        return `  ${colour.yellow('●')} ${name}  recovering: grants locks in ${inWords(server.recoveringMs!)}`
      case 'ready': {
        const objects = describeObjects(status, server.server)
        const locks = server.held === 1 ? '1 lock out' : `${server.held} locks out`
        return `  ${colour.green('●')} ${name}  ready, up ${inWords(server.uptimeMs!)}, answers in ${server.roundTripMs} ms, ${locks}${objects}`
      }
    }
    return name
  })
  const verdict = status.locksWork ? colour.green('locks work') : colour.red('too few servers are ready for locks')
  return [status.explanation, ...lines, ...status.accusations.map(describeAccusation), verdict].join('\n')
}

function describeObjects({ objects, trust }: GroupStatus, server: string): string {
  const own = objects.find(info => info.server === server)
  if (own === undefined) return ''
  if (own.rejoining > 0)
    return colour.yellow(`, rejoining: takes part in objects in ${inWords(own.rejoining)} or later`)
  const count = own.objects.length === 1 ? '1 object' : `${own.objects.length} objects`
  const behind = versionsBehind(objects, server, trust.liars)
  return `, ${count}${behind === 0 ? '' : colour.yellow(`, ${behind} versions behind`)}`
}

/** Who says so stands beside it: an accusation is worth what its clients are. */
function describeAccusation({ server, what, object, version, clients }: Accusation): string {
  const evidence = `${what} (object '${object}', version ${version})`
  return colour.red(`  ! ${server} lied: ${evidence}, says ${clients.join(', ')}`)
}

/** Digests as people compare them. */
function readable(_field: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
