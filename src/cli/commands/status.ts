// coterie status: which servers answer, and what they say of themselves.

import type { Command } from 'commander'
import type { GroupStatus } from '../../client/group.ts'
import type { ServerInfo } from '../../client/inspect.ts'
import { type Accusation, type SpoiledObject, versionsBehind } from '../../client/inspect-objects.ts'
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
that saw it and more servers that were told than can lie. Where fewer clients say so than servers can lie, it is called accused.
About events servers say so, too, and are counted like clients and apart from them; about ledgers only servers do.
A server that is silent or slow is called that: it may be the network.

Exit codes: 0 locks work, 1 too few servers are ready, 2 wrong usage.`

const CONNECT_MS = 2_000

export function statusCommand(): Command {
  return withConnection(newCommand('status'))
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(status))
}

async function status(options: Options): Promise<void> {
  await using group = await connectFrom(options, { timeout: CONNECT_MS, anyway: true, events: true, ledgers: true })
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
        return `  ${colour.red('●')} ${name}  ${server.manner ?? 'does not answer'}${server.why === undefined ? '' : `: ${server.why}`}`
      case 'recovering':
        return `  ${colour.yellow('●')} ${name}  ${describeRecovering(server)}`
      case 'ready': {
        const objects = describeObjects(status, server.server)
        const locks = server.held === 1 ? '1 lock out' : `${server.held} locks out`
        const tokens = describeTokens(server)
        return `  ${colour.green('●')} ${name}  ready, up ${inWords(server.uptimeMs!)}, ${describeSpeed(server)}, ${locks}${objects}${tokens}`
      }
    }
    return name
  })
  const verdict = status.locksWork ? colour.green('locks work') : colour.red('too few servers are ready for locks')
  return [
    status.explanation,
    ...lines,
    ...status.accusations.map(describeAccusation),
    ...status.spoiled.map(describeSpoiled),
    verdict,
  ].join('\n')
}

function describeObjects({ objects, trust }: GroupStatus, server: string): string {
  const own = objects.find(info => info.server === server)
  if (own === undefined) return ''
  if (own.rejoining > 0)
    return colour.yellow(`, rejoining: takes part in objects in ${inWords(own.rejoining)} or later`)
  const count = own.objects.length === 1 ? '1 object' : `${own.objects.length} objects`
  const behind = versionsBehind(objects, server, trust.liars)
  const lags = behind === 1 ? '1 version behind' : `${behind} versions behind`
  return `, ${count}${behind === 0 ? '' : colour.yellow(`, ${lags}`)}`
}

/** Who says so stands beside it: an accusation is worth what its clients are. */
export function describeAccusation(accusation: Accusation): string {
  const { server, what, clients, lied } = accusation
  const about = aboutWhat(accusation)
  const evidence = `${what} (${about})`
  const says = `${evidence}, says ${clients.join(', ')}`
  return lied ? colour.red(`  ! ${server} lied: ${says}`) : colour.yellow(`  ? ${server} is accused of ${says}`)
}

function aboutWhat({ object, version, lock, channel, ledger }: Accusation): string {
  if (ledger) return 'a ledger'
  if (lock !== undefined) return `lock '${lock}'`
  return channel === undefined ? `object '${object}', version ${version}` : `events of channel '${channel}'`
}

function describeSpeed({ roundTripMs, manner }: ServerInfo): string {
  const answers = `answers in ${roundTripMs} ms`
  return manner === 'slow' ? colour.yellow(`slow: ${answers}, much later than the others`) : answers
}

function describeRecovering({ recoveringMs, waitsForFloors }: ServerInfo): string {
  if (!waitsForFloors) return `recovering: grants locks in ${inWords(recoveringMs!)}`
  return `recovering: lost its store, and grants locks when enough other servers have told it which tokens were granted`
}

function describeTokens({ tokensAheadMs, clockOffMs }: ServerInfo): string {
  const words: string[] = []
  if (clockOffMs !== undefined)
    words.push(`its clock is ${inWords(Math.abs(clockOffMs))} ${clockOffMs > 0 ? 'ahead of' : 'behind'} ours`)
  if (tokensAheadMs !== undefined)
    words.push(`lock tokens are ${inWords(tokensAheadMs)} ahead of the clock (coterie unlock --reset-floor --help)`)
  return words.length === 0 ? '' : colour.yellow(`, ${words.join(', ')}`)
}

function describeSpoiled({ object, why }: SpoiledObject): string {
  return colour.red(`  ! object '${object}' stands still: ${why} (coterie object repair ${object})`)
}

/** Digests as people compare them. */
function readable(_field: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
