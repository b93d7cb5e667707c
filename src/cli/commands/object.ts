// coterie object [NAME]: the objects of a group, as its servers have them.

import type { Command } from 'commander'
import type { ObjectServerInfo } from '../../client/inspect-objects.ts'
import type { DeletedObject } from '../../client/objects/delete.ts'
import type { RepairedObject } from '../../client/objects/repair.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { action, colour, EXIT_FAILED, newCommand, print } from '../output.ts'
import { allPrintable } from '../printable.ts'

interface Options extends ConnectionOptions {
  readonly json?: boolean
}

/** One object at one server. */
interface Row {
  readonly object: string
  readonly server: string
  readonly version: number
  readonly digest: string
  readonly entries: number
  readonly sessions: number
  readonly pending: number
  readonly lags: number
}

const EXAMPLE = `
Example:
  $ coterie object
      every object at every server: its version, how many entries, sessions and waiting operations it has
  $ coterie object stock
      one object; two servers that show different digests for one version cannot both be right

Entries are those of the object's table, internals counted: a tree keeps links and its last changes beside each entry.

Exit codes: 0 shown, 1 there is no such object or the group could not be reached, 2 wrong usage.`

export function objectCommand(): Command {
  return (
    withConnection(newCommand('object'))
      // Options behind `repair` and `delete` are their own.
      .enablePositionalOptions()
      .addCommand(repairCommand())
      .addCommand(deleteCommand())
      .argument('[name]', 'one object (default: all)')
      .option('--json', 'print the result as JSON')
      .addHelpText('after', EXAMPLE)
      .action(action(show))
  )
}

const REPAIR_EXAMPLE = `
Example:
  $ coterie object repair stock
      when coterie status says that it stands still: a client asked for a turn far in the future, or said that a version
      is decided that nobody has

Servers let go of such promises and versions, and log who did it. That breaks a promise: what a client had under way may be
lost, and if a server that is not up has the version, that is lost too. Bring up all servers you can first, and stop the
client that did it (its name is in the servers' logs). Who may repair is in the servers' coterie.toml: operators.

Exit codes: 0 repaired, or nothing to repair; 1 not an operator, or too few servers answered; 2 wrong usage.`

function repairCommand(): Command {
  return withConnection(newCommand('repair'))
    .description('for operators: lets an object go on that a client has spoiled')
    .argument('<name>', 'name of the object')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', REPAIR_EXAMPLE)
    .action(action(repair))
}

async function repair(name: string, options: Options): Promise<void> {
  await using group = await connectFrom(options)
  const done = await group.repairObject(name)
  print(options.json, done, () => describeRepair(done))
}

const DELETE_EXAMPLE = `
Example:
  $ coterie object delete stock
      its content goes, and the servers forget it: the name counts for nobody any more

Everything that is written there is lost, for good. Every session of it ends: a client that holds something there (a lock of the tree, an
ephemeral entry) loses it and is told; operations that wait certainly do not happen. A process that goes on using the name
begins with nothing, and makes the object again: stop those first. Versions go on from where they were, so that a late
message of the object's earlier life is never taken for one of the next. The group's tree is the object 'tree'.
The servers log who did it. Who may delete is in the servers' coterie.toml: operators.

Exit codes: 0 deleted, or there was none; 1 not an operator, in use again, or too few servers answered; 2 wrong usage.`

function deleteCommand(): Command {
  return withConnection(newCommand('delete'))
    .description('for operators: an object goes, with all that is written there')
    .argument('<name>', 'name of the object')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', DELETE_EXAMPLE)
    .action(action(deleteOne))
}

async function deleteOne(name: string, options: Options): Promise<void> {
  await using group = await connectFrom(options)
  const done = await group.deleteObject(name)
  print(options.json, done, () => describeDelete(done))
}

export function describeDelete({ name, deleted, absent }: DeletedObject): string {
  if (deleted.length === 0) return `nothing to delete: ${absent.length} servers have no object '${name}'`
  return `deleted object '${name}' on ${deleted.join(', ')}`
}

export function describeRepair({ name, version, repaired, sound }: RepairedObject): string {
  if (repaired.length === 0) return `nothing to repair: ${sound.length} servers say that object '${name}' is sound`
  return `repaired object '${name}' on ${repaired.join(', ')}; it goes on from version ${version} or a later one`
}

async function show(name: string | undefined, options: Options): Promise<void> {
  await using group = await connectFrom(options)
  const { objects } = await group.status()
  const rows = rowsOf(objects).filter(row => name === undefined || row.object === name)
  print(options.json, rows, () => describe(allPrintable(rows), name))
  if (rows.length === 0 && name !== undefined) process.exitCode = EXIT_FAILED
}

export function rowsOf(servers: readonly ObjectServerInfo[]): Row[] {
  const rows = servers.flatMap(({ server, objects }) =>
    objects.map(({ object, committed, applied, entries, sessions, pending }) => ({
      object,
      server,
      version: committed.version,
      digest: Buffer.from(committed.digest).toString('hex'),
      entries,
      sessions,
      pending,
      lags: committed.version - applied,
    })),
  )
  return rows.sort((one, other) => (one.object === other.object ? 0 : one.object < other.object ? -1 : 1))
}

const DIGITS = 12

function count(number: number, one: string, several: string): string {
  return `${number} ${number === 1 ? one : several}`
}

function describe(rows: readonly Row[], name: string | undefined): string {
  if (rows.length === 0) return name === undefined ? 'no objects' : `no server has an object '${name}'`
  const width = Math.max(...rows.map(row => row.object.length))
  return rows
    .map(row => {
      const entries = `${count(row.entries, 'entry', 'entries')} with internals`
      const counts = `${entries}, ${count(row.sessions, 'session', 'sessions')}, ${row.pending} pending`
      const lags = row.lags > 0 ? colour.yellow(`, ${row.lags} versions behind`) : ''
      const version = `version ${row.version} ${colour.dim(row.digest.slice(0, DIGITS))}`
      return `  ${row.object.padEnd(width)}  ${row.server}  ${version}  ${counts}${lags}`
    })
    .join('\n')
}
