// coterie up: a whole group on this machine, each server a process of its own, and a live view of it.

import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Command } from 'commander'
import { connect } from '../../client/connect.ts'
import type { Group } from '../../client/group.ts'
import { explainTrust, FileError, SettingsError, trust } from '../../core/index.ts'
import { GROUP_FILE, type GroupSettings, loadGroup, STORE_FOLDER } from '../../runtime/config/config.ts'
import { exists } from '../../runtime/files.ts'
import { BASE_PORT_DEFAULT, initGroup } from '../../runtime/setup/group.ts'
import { holderOf } from '../../runtime/storage/holder.ts'
import { GROUP_FOLDER } from '../connection.ts'
import { inWords } from '../duration.ts'
import { askingFolder } from '../live.ts'
import { action, colour, newCommand, tell, wholeNumber } from '../output.ts'
import { freeBasePort } from '../ports.ts'
import { forTerminal } from '../printable.ts'
import { describeLocks, describeWaiters } from './locks.ts'
import { describeStatus } from './status.ts'

interface Options {
  readonly dir: string
  readonly servers?: number
  readonly liars?: number
  readonly crashes?: number
}

const EXAMPLE = `
Example:
  $ coterie up
      makes a group in ${GROUP_FOLDER} the first time, and starts its seven servers; Ctrl-C stops them
  $ coterie up --dir /var/lib/shop --liars 0
      three servers, none of which may lie

Exit codes: 0 stopped, 1 the group could not be started, 2 wrong usage or settings that cannot work.`

/** A first group shows what it is for. */
const LIARS_DEFAULT = 1
const REFRESH_MS = 500
/** A server that ends by itself is started again after this long. */
const RESTART_MS = 1_000
/** How long a server may take to stop before it is killed. */
const STOP_MS = 10_000
const START_MS = 30_000
/** In the place of a reason, once it was said that a server cannot be restarted. */
const HOPELESS = ''

export function upCommand(): Command {
  return newCommand('up')
    .option('--dir <folder>', "the group's folder", GROUP_FOLDER)
    .option(
      '--servers <number>',
      'for a new group: how many servers (default: the fewest that can do everything)',
      wholeNumber,
    )
    .option('--liars <number>', 'for a new group: servers that may do anything (default: 1)', wholeNumber)
    .option('--crashes <number>', 'for a new group: servers that may be gone, liars included', wholeNumber)
    .addHelpText('after', EXAMPLE)
    .action(action(up))
}

async function up(options: Options): Promise<void> {
  const started = Date.now()
  const group = await openGroup(options)
  const servers = new Servers(options.dir, group)
  const stopped = new Promise<void>(resolve => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  try {
    await Promise.race([servers.start(), stopped])
    await using client = await connect({
      config: clientIn(options.dir),
      timeout: START_MS,
      anyway: true,
    })
    const view = new View(client, options.dir, started)
    servers.tell = text => view.announce(text)
    await Promise.race([view.run(), stopped])
    view.end()
  } finally {
    await servers.stop()
  }
  tell('all servers stopped')
}

/** A group that coterie init made may have clients of any names. */
function clientIn(dir: string): string {
  return askingFolder(dir) ?? join(dir, 'clients', 'admin')
}

async function openGroup(options: Options): Promise<GroupSettings> {
  const { dir, servers, liars = LIARS_DEFAULT, crashes } = options
  if (await exists(join(dir, GROUP_FILE))) {
    const group = await loadGroup(dir)
    refuseOther(options, group)
    await checkNotRunning(dir, group)
    tell(`group ${group.name} in ${dir}: ${explainTrust(group.trust)}`)
    return group
  }
  const numbers = {
    liars,
    ...(servers === undefined ? {} : { servers }),
    ...(crashes === undefined ? {} : { crashes }),
  }
  const basePort = await freeBasePort(BASE_PORT_DEFAULT, trust(numbers).servers)
  const { group } = await initGroup({ dir, basePort, ...numbers })
  tell(`made a new group in ${dir}: ${explainTrust(group.trust)}`)
  return group
}

/** A group that is there keeps its numbers: a user who asks for others is told so, and is not given what is there. */
export function refuseOther(options: Options, { trust: has }: Pick<GroupSettings, 'trust'>): void {
  for (const number of ['servers', 'liars', 'crashes'] as const) {
    const asked = options[number]
    if (asked === undefined || asked === has[number]) continue
    throw new SettingsError(
      `--${number} is ${asked}, and the group in ${options.dir} differs: ${explainTrust(has)} ` +
        'Leave the option out to start it, or name a new folder with --dir.',
    )
  }
}

async function checkNotRunning(dir: string, group: GroupSettings): Promise<void> {
  for (const { name } of group.servers) {
    const pid = await holderOf(join(dir, 'servers', name, STORE_FOLDER))
    if (pid === undefined) continue
    throw new FileError(
      `this group is already running (process ${pid} is its ${name}). Use it, or stop it where it was started.`,
    )
  }
}

/** The server processes. They end when this one does, whatever ends it: the channel between them closes. */
class Servers {
  private readonly dir: string
  private readonly group: GroupSettings
  private readonly running = new Map<string, ChildProcess>()
  /** Servers that ended and have not come back, with what was said of it. */
  private readonly away = new Map<string, string>()
  private stopping = false
  tell: (text: string) => void = text => process.stdout.write(`${text}\n`)

  constructor(dir: string, group: GroupSettings) {
    this.dir = dir
    this.group = group
  }

  async start(): Promise<void> {
    mkdirSync(join(this.dir, 'logs'), { recursive: true })
    await Promise.all(this.group.servers.map(({ name }) => this.startOne(name, true)))
  }

  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all([...this.running.values()].map(endProcess))
  }

  private startOne(name: string, first: boolean): Promise<void> {
    const log = openSync(this.logOf(name), 'a')
    const program = new URL('../main.js', import.meta.url)
    const child = fork(program, ['serve', join(this.dir, 'servers', name)], {
      stdio: ['ignore', log, log, 'ipc'],
      // Ctrl-C in the terminal goes to the whole foreground; the servers are stopped in order by us instead.
      detached: true,
    })
    closeSync(log)
    this.running.set(name, child)
    return new Promise((resolve, reject) => {
      child.once('message', () => {
        this.cameBack(name)
        resolve()
      })
      child.once('exit', (code, signal) => {
        this.running.delete(name)
        if (this.stopping) return resolve()
        if (first) reject(this.couldNotStart(name, code))
        this.wentAway(name, signal ?? `exit code ${code}`)
        setTimeout(() => this.stopping || this.startOne(name, false).catch(() => {}), RESTART_MS)
      })
    })
  }

  private wentAway(name: string, why: string): void {
    const before = this.away.get(name)
    this.away.set(name, before ?? why)
    // One that cannot start ends again every second: it is said once.
    if (before !== undefined && before !== HOPELESS) {
      this.tell(`${name} ended (${before}), and again while it was restarted (${why}): see ${this.logOf(name)}`)
      this.away.set(name, HOPELESS)
    }
  }

  private cameBack(name: string): void {
    const why = this.away.get(name)
    this.away.delete(name)
    if (why !== undefined) this.tell(`${name} ${why === HOPELESS ? 'runs again' : `ended (${why}), restarted`}`)
  }

  private logOf(name: string): string {
    return join(this.dir, 'logs', `${name}.log`)
  }

  private couldNotStart(name: string, code: number | null): FileError {
    const folder = join(this.dir, 'servers', name)
    return new FileError(
      `${name} ended with code ${code} while starting. Its log says why: ${this.logOf(name)}. coterie doctor ${folder} may too.`,
    )
  }
}

function endProcess(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    child.once('exit', () => {
      clearTimeout(killer)
      resolve()
    })
    child.kill('SIGTERM')
  })
}

/** What the terminal shows. Without a terminal, one line for every change. */
class View {
  private readonly group: Group
  private readonly dir: string
  private readonly started: number
  private readonly live = process.stdout.isTTY === true
  private ended = false
  private ready = false
  private shown = ''
  private height = 0

  constructor(group: Group, dir: string, started: number) {
    this.group = group
    this.dir = dir
    this.started = started
  }

  async run(): Promise<void> {
    while (!this.ended) {
      const [status, locks] = await Promise.all([this.group.status(), this.group.locks()])
      if (this.ended) return
      if (status.locksWork && !this.ready) {
        this.ready = true
        this.print(`ready after ${inWords(Date.now() - this.started)}\n${this.advice()}\n`)
      }
      if (this.live) this.paint(`${describeStatus(status)}\n\nlocks\n${describeLocks(locks)}\n`)
      else
        this.tell(
          locks.map(lock => `${lock.name} held by ${lock.holder}${describeWaiters(lock.waiters)}`).join('; ') ||
            'no lock is held',
        )
      await new Promise(resolve => setTimeout(resolve, REFRESH_MS))
    }
  }

  end(): void {
    this.ended = true
    this.print('\nstopping all servers ...\n')
  }

  announce(text: string): void {
    this.print(`${text}\n`)
  }

  private advice(): string {
    const here = relative(process.cwd(), this.dir) || '.'
    const config = here === GROUP_FOLDER ? '' : ` --config ${clientIn(here)}`
    const program = relative(process.cwd(), process.argv[1] ?? 'coterie')
    const name = program.startsWith('..') ? 'coterie' : program
    return [
      'In a second terminal, in this folder:',
      `  ${colour.bold(`${name} lock invoices${config} -- sleep 10`)}     hold a lock for ten seconds, and see it here`,
      `  ${colour.bold(`${name} locks${config}`)}   ${colour.bold(`${name} status${config}`)}`,
      'Ctrl-C stops all servers.',
    ].join('\n')
  }

  private print(text: string): void {
    this.erase()
    process.stdout.write(forTerminal(text))
  }

  private tell(text: string): void {
    if (text === this.shown) return
    this.shown = text
    process.stdout.write(`${forTerminal(text)}\n`)
  }

  private paint(text: string): void {
    const columns = process.stdout.columns || 80
    const cut = text.split('\n').map(line => cutTo(line, columns))
    this.erase()
    process.stdout.write(forTerminal(cut.join('\n')))
    this.height = cut.length - 1
  }

  private erase(): void {
    if (this.live && this.height > 0) process.stdout.write(`\x1b[${this.height}A\r\x1b[J`)
    this.height = 0
  }
}

const ESCAPE = String.fromCharCode(27)
const COLOUR = new RegExp(`(${ESCAPE}\\[[0-9;]*m)`)

// A line that wraps would make the count of lines wrong. Colours take no room.
function cutTo(line: string, columns: number): string {
  let width = 0
  let out = ''
  for (const piece of line.split(COLOUR)) {
    if (piece.startsWith(ESCAPE)) out += piece
    else {
      const room = Math.max(0, columns - 1 - width)
      out += piece.slice(0, room)
      width += Math.min(piece.length, room)
    }
  }
  return out
}
