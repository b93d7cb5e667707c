// How commands reach a group: a client's folder, by option, by environment, or the one `coterie up` made.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type ConnectOptions, connectAs, type Parts } from '../client/connect.ts'
import { Group } from '../client/group.ts'
import { SettingsError } from '../core/index.ts'

export const GROUP_FOLDER = '.coterie'
const DEFAULT_CLIENT = join(GROUP_FOLDER, 'clients', 'admin')

export interface ConnectionOptions {
  readonly config?: string
}

export function withConnection(command: Command): Command {
  return command.option(
    '--config <folder>',
    `the client's folder (default: COTERIE_CONFIG, else ${DEFAULT_CLIENT} if it is there)`,
  )
}

export function clientFolder(options: ConnectionOptions): string {
  const given = options.config ?? process.env.COTERIE_CONFIG
  if (given !== undefined) return given
  if (existsSync(DEFAULT_CLIENT)) return DEFAULT_CLIENT
  throw new SettingsError(
    `which group? There is no ${DEFAULT_CLIENT} here: run coterie up in this folder, or name a client's folder with --config.`,
  )
}

/** `ledgers`, `events`, `recipes`: for commands about these; the others start without what only those need. */
export function connectFrom(
  options: ConnectionOptions,
  { ledgers = false, events = false, recipes = false, ...more }: Partial<ConnectOptions> & Parts = {},
): Promise<Group> {
  // No command blocks its main thread: a thread for renewal would only make it start more slowly.
  return connectAs(Group, { config: clientFolder(options), blockedMax: 0, ...more }, { ledgers, events, recipes })
}
