// coterie coordinator NAME: who leads, as the members know it.

import type { Command } from 'commander'
import { ASK_MS, type MemberAnswer, openAsker } from '../../client/peers/asking.ts'
import { type ConnectionOptions, clientFolder, withConnection } from '../connection.ts'
import { action, colour, EXIT_FAILED, newCommand, print, printLine } from '../output.ts'
import { allPrintable } from '../printable.ts'
import { untilStopped } from '../watching.ts'

interface Options extends ConnectionOptions {
  readonly watch?: boolean
  readonly json?: boolean
}

interface Leading {
  readonly coordinator: string | undefined
  readonly term: number
  /** Members that say so, of those that answered. */
  readonly known: number
  readonly asked: number
}

const EXAMPLE = `
Example:
  $ coterie coordinator jobs
      who leads 'jobs', and since which term
  $ coterie coordinator jobs --watch

A member in a minority knows of no coordinator, and says so. Of those that answer, the newest term counts.

Exit codes: 0 there is a coordinator, 1 there is none or no member could be reached, 2 wrong usage.`

export function coordinatorCommand(): Command {
  return withConnection(newCommand('coordinator'))
    .argument('<name>', 'name of the place')
    .option('--watch', 'go on, and show every change')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(coordinator))
}

async function coordinator(name: string, options: Options): Promise<void> {
  const asker = await openAsker(clientFolder(options))
  try {
    const show = (found: Leading) => printLine(options.json, found, () => describe(name, allPrintable(found)))
    const question = { kind: 'coordinator', name } as const
    if (options.watch) return await untilStopped(asker, question, newest, show)
    const found = newest(await asker.ask(question, ASK_MS))
    print(options.json, found, () => describe(name, allPrintable(found)))
    if (found.coordinator === undefined) process.exitCode = EXIT_FAILED
  } finally {
    await asker.close()
  }
}

export function newest(found: readonly MemberAnswer[]): Leading {
  const infos = found.flatMap(answer => answer.coordinator ?? [])
  const sitting = infos.filter(info => info.coordinator !== undefined).sort((one, other) => other.term - one.term)[0]
  const term = sitting?.term ?? Math.max(0, ...infos.map(info => info.term))
  const known = infos.filter(info => info.term === term && info.coordinator === sitting?.coordinator).length
  return { coordinator: sitting?.coordinator, term, known, asked: found.length }
}

function describe(name: string, { coordinator: who, term, known, asked }: Leading): string {
  if (who === undefined) return `nobody leads '${name}', as far as ${asked} members can tell`
  return `${colour.bold(who)} leads '${name}' in term ${term}, as ${known} of ${asked} members know`
}
