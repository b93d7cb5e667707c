// coterie serve FOLDER: runs one server until it is told to stop.

import type { Command } from 'commander'
import { SettingsError } from '../../core/index.ts'
import { loadNodeConfig } from '../../runtime/config/config.ts'
import { createLog } from '../../runtime/json-log.ts'
import { startServer } from '../../runtime/server.ts'
import { action, choiceOption, EXIT_FAILED, LOG_LEVELS, newCommand } from '../output.ts'

interface Options {
  readonly logLevel: string
  readonly rejoin?: boolean
  readonly metricsHost?: string
}

const EXAMPLE = `
Example:
  $ coterie serve shop/servers/server-1
      runs until SIGTERM or Ctrl-C; logs are JSON lines on standard output
  $ coterie serve --rejoin shop/servers/server-1
      the same server with a new disk: it takes the objects from the others, and votes when it has them

A stop by SIGTERM or Ctrl-C is clean: the next start is ready at once. After a crash a server waits until every lease
it may have granted has run out (the group's ttlMax) before it grants locks again.

Exit codes: 0 stopped cleanly, 1 it could not start or its disk failed, 2 wrong usage or settings that cannot work.`

export function serveCommand(): Command {
  return newCommand('serve')
    .argument('<folder>', "the server's folder, as coterie init made it, or its coterie.toml")
    .addOption(choiceOption('--log-level <level>', 'how much to log', LOG_LEVELS).default('info'))
    .option('--rejoin', 'its store was lost: take the content from the other servers')
    .option(
      '--metrics-host <address>',
      'where /metrics and /health listen; only numbers are shown to others (default: 127.0.0.1)',
    )
    .addHelpText('after', EXAMPLE)
    .action(action(serve))
}

async function serve(folder: string, options: Options): Promise<void> {
  const config = await loadNodeConfig(folder)
  if (config.role !== 'server')
    throw new SettingsError(`${config.file} is a ${config.role}'s; serve runs a server's folder.`)
  const log = createLog(config.name, options.logLevel)
  // A node that can no longer keep its promises must be gone, not half there.
  const failed = (error: Error) => {
    log('error', 'stopping: this server can keep no promise any more', { error: error.message })
    process.exit(EXIT_FAILED)
  }
  const { rejoin: rejoins = false, metricsHost } = options
  const server = await startServer({
    config,
    log,
    failed,
    rejoins,
    ...(metricsHost === undefined ? {} : { metricsHost }),
  })
  let stopping = false
  const stop = (why: string) => {
    if (stopping) return
    stopping = true
    log('info', 'stopping', { why })
    server.stop().then(() => process.exit(0), failed)
  }
  process.on('SIGTERM', () => stop('SIGTERM'))
  process.on('SIGINT', () => stop('SIGINT'))
  // Started by `coterie up`: without it, nobody would end this process.
  if (process.send !== undefined) {
    process.on('disconnect', () => stop('the process that started it is gone'))
    process.send({ ready: true })
  }
}
