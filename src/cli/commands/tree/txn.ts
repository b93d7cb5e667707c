// coterie txn: several conditions and writes, all or none.

import type { Command } from 'commander'
import type { TransactionWrite } from '../../../client/objects/tree-options.ts'
import { SettingsError } from '../../../core/index.ts'
import type { TreeCondition } from '../../../ordering/tree/index.ts'
import { action, newCommand } from '../../output.ts'
import { checkedPath, pathAndValue, type TreeCommandOptions, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly if?: string[]
  readonly set?: string[]
  readonly create?: string[]
  readonly delete?: string[]
}

const EXAMPLE = `
Example:
  $ coterie txn --if '/colour = blue' --set '/colour green' --create '/colour/before blue'
      sets and creates, but only if the value of /colour is blue

Conditions: '/path = value', '/path exists', '/path absent', '/path version 3'.
Writes happen in the order set, create, delete.

Exit codes: 0 done, 1 a condition does not hold (nothing was written) or the group could not be reached, 2 wrong usage.`

export function txnCommand(): Command {
  return withTreeOptions(newCommand('txn'))
    .option('--if <condition>', 'must hold; may be repeated', collect)
    .option('--set <path value>', 'set an entry; may be repeated', collect)
    .option('--create <path value>', 'create an entry; may be repeated', collect)
    .option('--delete <path>', 'delete an entry; may be repeated', collect)
    .addHelpText('after', EXAMPLE)
    .action(action(txn))
}

/** Values may hold commas: one for each time the option is given. */
function collect(value: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), value]
}

async function txn(options: Options): Promise<void> {
  const conditions = (options.if ?? []).map(readCondition)
  const writes: TransactionWrite[] = [
    ...(options.set ?? []).map(text => ({ kind: 'set', version: undefined, ...encoded(text, '--set') }) as const),
    ...(options.create ?? []).map(
      text => ({ kind: 'create', ephemeral: false, sequential: false, ...encoded(text, '--create') }) as const,
    ),
    ...(options.delete ?? []).map(
      path => ({ kind: 'delete', path: checkedPath(path, '--delete'), version: undefined }) as const,
    ),
  ]
  if (writes.length === 0) throw new SettingsError('a transaction needs a --set, a --create or a --delete.')
  await withTree(options, async tree => {
    await tree.txn({ if: conditions, do: writes })
  })
}

function encoded(text: string, option: string): { path: string; value: Uint8Array } {
  const { path, value } = pathAndValue(text, option)
  return { path, value: new TextEncoder().encode(value) }
}

export function readCondition(text: string): TreeCondition {
  const [, path, word, rest] = /^(\/\S*) (=|exists|absent|version)(?: (.*))?$/s.exec(text) ?? []
  if (path !== undefined && (word === 'exists' || word === 'absent') && rest === undefined) return { kind: word, path }
  if (path !== undefined && word === '=') return { kind: 'value', path, value: new TextEncoder().encode(rest ?? '') }
  if (path !== undefined && word === 'version' && /^\d{1,15}$/.test(rest ?? '')) {
    return { kind: 'version', path, version: Number(rest) }
  }
  throw new SettingsError(
    `condition ${JSON.stringify(text)} must be '/path = value', '/path exists', '/path absent' or '/path version 3'.`,
  )
}
