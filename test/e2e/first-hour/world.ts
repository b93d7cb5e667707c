// A folder in which a new user works: a clone of what is committed, the command on the PATH, and lines typed into shells.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Typed {
  /** Where; the default is the user's folder. */
  readonly in?: string
  /** How it must end; the default is 0. */
  readonly code?: number | string
  /** What it must print, on either output. */
  readonly says?: RegExp
  readonly environment?: Readonly<Record<string, string>>
}

/** A line of an example, and what it must do. */
export interface Scene extends Typed {
  readonly line: string
  readonly as?: string
}

export interface Running {
  output(): string
  /** Sends the signal, and looks how it ends. */
  stop(signal: NodeJS.Signals, ended: number | string): Promise<void>
}

/** A line that takes longer hangs. */
const LINE_MS_MAX = 60_000
const READY_MS_MAX = 45_000
const LOOK_MS = 20
/** Of what a failed line printed. */
const SHOWN_CHARACTERS = 600

export class World {
  readonly root: string
  readonly folder: string
  readonly clone: string
  readonly failures: string[] = []
  played = 0
  private readonly running = new Set<ChildProcess>()

  private constructor(root: string, folder: string) {
    this.root = root
    this.folder = folder
    this.clone = join(folder, 'coterie')
  }

  static async make(root: string): Promise<World> {
    const world = new World(root, mkdtempSync(join(tmpdir(), 'coterie-first-hour-')))
    world.cloneAll()
    return world
  }

  /** Types a line into a shell, and waits for its end. */
  async line(text: string, typed: Typed = {}, shown = text): Promise<string> {
    const began = performance.now()
    const child = this.spawn(text, typed)
    const said = listenTo(child)
    const late = setTimeout(() => signalAll(child, 'SIGKILL'), LINE_MS_MAX)
    const [exit, signal] = await once(child, 'close')
    clearTimeout(late)
    this.running.delete(child)
    const wrong = this.wrongWith(exit ?? signal, said(), typed)
    this.judge(shown, wrong, said(), performance.now() - began)
    return said()
  }

  /** Starts a line that goes on, and waits until it has said this. */
  async start(text: string, ready: RegExp, typed: Typed = {}, shown = text): Promise<Running> {
    const began = performance.now()
    // So that a signal reaches the program and not the shell.
    const child = this.spawn(`exec ${text}`, typed)
    const said = listenTo(child)
    const closed = once(child, 'close')
    while (!ready.test(said()) && child.exitCode === null && performance.now() - began < READY_MS_MAX) {
      await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    }
    const wrong = ready.test(said()) ? undefined : `it never said ${ready}`
    this.judge(shown, wrong, said(), performance.now() - began)
    return {
      output: said,
      stop: async (signal, code) => {
        const late = setTimeout(() => signalAll(child, 'SIGKILL'), LINE_MS_MAX)
        // As Ctrl-C does: to all that the line started.
        signalAll(child, signal)
        const [exit, by] = await closed
        clearTimeout(late)
        this.running.delete(child)
        const ended = this.wrongWith(exit ?? by, '', { code })
        if (ended !== undefined) this.failed(`${shown} (stopped by ${signal})`, `${ended}\n${tail(said())}`)
      },
    }
  }

  failed(what: string, why: string): void {
    this.failures.push(`${what}\n${why.replace(/^/gm, '  ')}`)
  }

  async end(): Promise<void> {
    for (const child of this.running) signalAll(child, 'SIGKILL')
    await Promise.all(
      [...this.running].map(child => child.exitCode === null && child.signalCode === null && once(child, 'close')),
    )
    rmSync(this.folder, { recursive: true, force: true })
  }

  judge(shown: string, wrong: string | undefined, said: string, tookMs: number): void {
    this.played++
    process.stdout.write(
      `${wrong === undefined ? 'ok    ' : 'FAILED'} ${(tookMs / 1000).toFixed(1).padStart(5)} s  ${shown}\n`,
    )
    if (wrong !== undefined) this.failed(shown, `${wrong}\n${tail(said)}`)
  }

  private wrongWith(ended: number | string, said: string, { code = 0, says }: Typed): string | undefined {
    if (ended !== code) return `it ended with ${ended}, not ${code}`
    return says === undefined || says.test(said) ? undefined : `it did not say ${says}`
  }

  private spawn(text: string, typed: Typed): ChildProcess {
    const { COTERIE_CONFIG: _none, ...mine } = process.env
    const path = `${join(this.folder, 'bin')}:${process.env.PATH}`
    const child = spawn('bash', ['-c', text], {
      cwd: typed.in ?? this.folder,
      // A group of its own, so that nothing that it started is left over.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...mine, PATH: path, HOME: join(this.folder, 'home'), NO_COLOR: '1', ...typed.environment },
    })
    this.running.add(child)
    return child
  }

  /** What npm ci would bring is here already: packages by a link, what was built by a copy. */
  private cloneAll(): void {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', this.root, this.clone])
    symlinkSync(join(this.root, 'node_modules'), join(this.clone, 'node_modules'))
    for (const built of ['src', 'lab', 'page']) {
      const from = join(this.root, 'dist', built)
      if (!existsSync(from)) throw new Error(`${from} is missing: npm run build`)
      cpSync(from, join(this.clone, 'dist', built), { recursive: true })
    }
    for (const name of ['bin', 'home']) mkdirSync(join(this.folder, name))
    symlinkSync(join(this.clone, 'bin', 'coterie'), join(this.folder, 'bin', 'coterie'))
  }
}

function listenTo(child: ChildProcess): () => string {
  let said = ''
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', piece => {
      said += piece
    })
  }
  return () => said
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid!, signal)
  } catch {
    // It is gone.
  }
}

function tail(said: string): string {
  return said.length <= SHOWN_CHARACTERS ? said : `… ${said.slice(-SHOWN_CHARACTERS)}`
}
