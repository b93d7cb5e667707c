// coterie watch PATH: every change of an entry of the tree, as it happens.

import type { Command } from 'commander'
import type { WatchEvent } from '../../../client/recipes/tree.ts'
import { action, newCommand, printLine, wholeNumber } from '../../output.ts'
import { printable } from '../../printable.ts'
import { type TreeCommandOptions, textOf, treePath, withTree, withTreeOptions } from '../../tree.ts'

interface Options extends TreeCommandOptions {
  readonly recursive?: boolean
  readonly values?: boolean
  readonly from?: number
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie watch /services --recursive
      a line for every change, in order, until Ctrl-C: its number, what happened, and where
  $ coterie watch /services --recursive --values --json
      a line of JSON for each: with "value" and "before", or "base64" and "beforeBase64" where bytes are no text

Nothing is missed, also across a lost connection; after a very long one a line says "missed": look again then.

Exit codes: 0 stopped by Ctrl-C, 1 the group could not be reached, 2 wrong usage.`

export function watchCommand(): Command {
  return withTreeOptions(newCommand('watch'))
    .argument('<path>', 'the entry', treePath)
    .option('--recursive', 'also what is below it')
    .option('--values', 'with its value, and the one before')
    .option('--from <change>', 'also what happened from this change on, while the servers remember it', wholeNumber)
    .option('--json', 'a line of JSON for each change')
    .addHelpText('after', EXAMPLE)
    .action(action(watch))
}

async function watch(path: string, options: Options): Promise<void> {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  await withTree(options, async tree => {
    const { signal } = stopped
    const { recursive = false, values = false, from } = options
    const watched = tree.watch(path, { recursive, values, signal, ...(from === undefined ? {} : { from }) })
    for await (const event of watched) printLine(options.json, shown(event), () => line(event))
  })
}

/** For a program: values as text, or as base64 under another name where bytes are no text. */
function shown(event: WatchEvent): Readonly<Record<string, unknown>> {
  if (event.kind === 'missed') return { ...event }
  const { value, before, ...rest } = event
  return { ...rest, ...named('value', 'base64', value), ...named('before', 'beforeBase64', before) }
}

function named(text: string, base64: string, value: Uint8Array | undefined): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  const read = textOf(value)
  return read === undefined ? { [base64]: Buffer.from(value).toString('base64') } : { [text]: read }
}

/** For a person: nothing that others chose reaches the terminal as it is. */
function line(event: WatchEvent): string {
  const words = `${event.change} ${event.kind} ${printable(event.path)}`
  if (event.kind === 'missed' || event.value === undefined) return words
  return `${words} ${printable(textOf(event.value) ?? `(${event.value.length} bytes that are no text)`)}`
}
