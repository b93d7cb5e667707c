// coterie unlock NAME --force: takes a lock from its holder.

import type { Command } from 'commander'
import type { FloorReset, ForcedUnlock } from '../../client/force.ts'
import { SettingsError } from '../../core/index.ts'
import { type ConnectionOptions, connectFrom, withConnection } from '../connection.ts'
import { action, colour, newCommand, print } from '../output.ts'

interface Options extends ConnectionOptions {
  readonly force?: boolean
  readonly resetFloor?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie unlock invoices --force
      frees the lock on all servers, and says who was cut off

The holder is not asked and not stopped. It finds its lease lost when that would have ended, and until then somebody
else may hold the lock as well: only guards that check tokens keep the two apart. Stop the holder first if you can.
  $ coterie unlock --reset-floor
      where tokens are far ahead of the clock (coterie status says so) and no lock can be taken: lowers the floor of tokens
      to the servers' clocks

--reset-floor lets tokens go back. Guards that have seen larger ones refuse every new holder until they are told to forget
them, and before that nothing keeps a late writer with a large token out: stop all holders first. No lock is granted for
the group's ttlMax. A server that lost its store and cannot hear from enough others goes on as well.
Servers log who did it. Who may is in their coterie.toml: operators.

Exit codes: 0 freed, or nobody held it; 1 not an operator, or too few servers answered; 2 wrong usage.`

export function unlockCommand(): Command {
  return withConnection(newCommand('unlock'))
    .argument('[name]', 'name of the lock')
    .option('--force', 'yes, although its holder may still be at work')
    .option('--reset-floor', "instead of freeing a lock: lower the floor of tokens to the servers' clocks")
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(unlock))
}

async function unlock(name: string | undefined, options: Options): Promise<void> {
  if (options.resetFloor) return resetFloor(name, options)
  if (name === undefined) throw new SettingsError('name the lock to free: coterie unlock NAME --force.')
  if (!options.force) {
    throw new SettingsError(
      `lock '${name}' is freed by its holder, or when its lease ends. To take it from a holder that may still be at ` +
        'work, add --force: from then on only guards that check tokens protect what it locks.',
    )
  }
  await using group = await connectFrom(options)
  const freed = await group.forceUnlock(name)
  print(options.json, { ...freed, token: freed.token?.toString() }, () => describeFreed(freed))
}

async function resetFloor(name: string | undefined, options: Options): Promise<void> {
  if (name !== undefined || options.force)
    throw new SettingsError('--reset-floor is about the tokens of all locks: it goes with no name and without --force.')
  await using group = await connectFrom(options)
  const reset = await group.resetFloor()
  const servers = reset.servers.map(({ server, was, floor }) => ({ server, was: `${was}`, floor: `${floor}` }))
  print(options.json, { ...reset, servers }, () => describeReset(reset))
}

export function describeReset({ servers, mended }: FloorReset): string {
  if (mended === 0) return 'no token is ahead of the servers’ clocks: nothing was changed'
  const lines = servers.map(({ server, was, floor }) => `  ${server}: ${was} → ${floor}`)
  return [
    `lowered the floor of tokens on ${mended} of ${servers.length} servers`,
    ...lines,
    'No lock is granted until the longest lease is over. Guards that have seen larger tokens must be told to forget them.',
  ].join('\n')
}

export function describeFreed({ name, holder, token, freed }: ForcedUnlock): string {
  if (holder === undefined) return `nobody held ${colour.bold(name)}; it is free on ${freed} servers`
  return [
    `freed ${colour.bold(name)} on ${freed} servers; ${colour.yellow(`${holder} was cut off`)} (token ${token})`,
    'It may believe to hold until its lease ends. Only guards protect now: later tokens are larger than that one.',
  ].join('\n')
}
