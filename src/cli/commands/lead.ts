// coterie lead NAME -- command: a member that runs a command while it leads, and ends it before somebody else can.

import { constants } from 'node:os'
import type { Command } from 'commander'
import { join } from '../../client/join.ts'
import type { Term } from '../../client/peers/term.ts'
import { SettingsError } from '../../core/index.ts'
import { createLog } from '../../runtime/json-log.ts'
import { action, EXIT_FAILED, logOption, newCommand, several } from '../output.ts'
import { FENCE_HELP, fenceOption, runUnder, type UnderOptions } from '../under/run.ts'

interface Options extends UnderOptions {
  readonly config: string
  readonly attribute?: string[]
  readonly log: string
}

const EXAMPLE = `
Example:
  $ coterie lead jobs --config shop/members/member-1 -- ./run-the-jobs.sh
      joins the group; while this member leads 'jobs', the command runs with COTERIE_TERM set
  $ coterie lead jobs --config shop/members/member-2 --attribute battery=0.8 -- ./run-the-jobs.sh

When the term ends (too few members renew it), the command gets SIGTERM before anybody else can lead, and SIGKILL
shortly before the end. If the command ends by itself, this member steps down and leaves with the command's exit code.
If coterie itself is ended by kill -9, the command goes on while another member leads, and only the watchdog or guards
that check the term help (docs/guide/fencing.md).

${FENCE_HELP}

Exit codes: the command's own; 1 it could not join, 2 wrong usage, 127 the command could not be started, 128 + n it was
ended by signal n.`

export function leadCommand(): Command {
  return newCommand('lead')
    .argument('<name>', 'name of the place')
    .argument('<command...>', 'the command and its arguments, after --')
    .requiredOption('--config <folder>', "the member's folder")
    .option('--attribute <name=number>', 'what this member says of itself; may be repeated', several)
    .addOption(logOption())
    .addOption(fenceOption())
    .addHelpText('after', EXAMPLE)
    .action(action(lead))
}

async function lead(name: string, command: string[], options: Options): Promise<void> {
  await using group = await join({
    config: options.config,
    attributes: readAttributes(options.attribute ?? []),
    log: createLog('member', options.log),
  })
  let end: (code: number) => void = () => {}
  const ended = new Promise<number>(resolve => {
    end = resolve
  })
  const stop = (signal: NodeJS.Signals) => end(128 + constants.signals[signal])
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const candidacy = await group.coordinator(name, {
    async lead(term: Term) {
      const environment = { COTERIE_COORDINATOR: name, COTERIE_TERM: String(term.number) }
      const code = await runUnder(term, command, environment, options)
      // A command that was ended because the term was over is started again in the next.
      if (!term.signal.aborted) end(code)
    },
  })
  // A member that ends by itself, because its disk failed, stands no more.
  process.exitCode = await Promise.race([ended, candidacy.ended.then(() => EXIT_FAILED)])
}

export function readAttributes(given: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    given.map(text => {
      const parts = /^([a-z][a-z0-9.-]*)=(-?\d+(?:\.\d+)?)$/.exec(text)
      if (parts === null)
        throw new SettingsError(`--attribute ${JSON.stringify(text)} must be a name, "=" and a number.`)
      return [parts[1]!, Number(parts[2])]
    }),
  )
}
