// coterie restore: puts a dump back.

import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { SettingsError } from '../../../core/index.ts'
import { action, newCommand, warn } from '../../output.ts'
import { put, type TreeCommandOptions, withTree, withTreeOptions } from '../../tree.ts'
import type { Dumped } from './dump.ts'

const EXAMPLE = `
Example:
  $ coterie restore < tree.jsonl
      sets every entry of the dump; entries that are not in it stay as they are

Exit codes: 0 restored, 1 the group could not be reached, 2 wrong usage or a line that is none of a dump.`

export function restoreCommand(): Command {
  return withTreeOptions(newCommand('restore')).addHelpText('after', EXAMPLE).action(action(restore))
}

async function restore(options: TreeCommandOptions): Promise<void> {
  await withTree(options, async tree => {
    let number = 0
    for await (const line of createInterface({ input: process.stdin })) {
      number++
      if (line.trim() === '') continue
      const { path, base64 } = readLine(line, number)
      await put(tree, path, Buffer.from(base64, 'base64'))
    }
    warn(`${number} ${number === 1 ? 'entry' : 'entries'} restored`)
  })
}

export function readLine(line: string, number: number): Dumped {
  try {
    const { path, base64 } = JSON.parse(line) as Partial<Dumped>
    if (typeof path === 'string' && typeof base64 === 'string') return { path, base64 }
  } catch {
    // Told below, with the others.
  }
  throw new SettingsError(`line ${number} is no line of a dump: {"path": …, "base64": …} is expected.`)
}
