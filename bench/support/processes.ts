// Processes and folders of a benchmark. Everything made here is gone afterwards, also after Ctrl-C or a failure.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

export interface Running {
  readonly child: ChildProcess
  readonly pid: number
  output(): string
  readonly ended: Promise<void>
}

/** Kept of what a program says: enough for the reason why it ended. */
const OUTPUT_MAX = 100_000
const STOP_MS = 5_000
/** Below the range from which systems draw ports for outgoing connections. */
const FIRST_PORT = 21_000
const LAST_PORT = 31_000

const running = new Set<Running>()
const folders = new Set<string>()
let nextPort = FIRST_PORT + Math.floor(Math.random() * 5_000)
let watching = false

/** The programs in bench/support/programs, as the runner bundled them. Also right from a chunk beside the benchmark. */
export function benchProgram(name: string): string {
  const bundles = import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/bench/') + '/dist/bench/'.length)
  return fileURLToPath(new URL(`support/programs/${name}.js`, bundles))
}

/** The command line of the checkout. */
export function coterieProgram(): string {
  const root = import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/bench/') + 1)
  return fileURLToPath(new URL('bin/coterie', root))
}

export function start(command: string, args: readonly string[], options: SpawnOptions = {}): Running {
  watch()
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  let said = ''
  const hear = (data: unknown) => {
    said = (said + String(data)).slice(-OUTPUT_MAX)
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const ended = new Promise<void>(resolve => {
    child.once('close', () => resolve())
    child.once('error', error => {
      hear(error.message)
      resolve()
    })
  })
  const started = { child, pid: child.pid ?? -1, output: () => said, ended }
  running.add(started)
  void ended.then(() => running.delete(started))
  return started
}

export async function stop(started: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const killer = setTimeout(() => started.child.kill('SIGKILL'), STOP_MS)
  started.child.kill(signal)
  await started.ended
  clearTimeout(killer)
}

/** Ends everything that is left. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(started => stop(started, 'SIGKILL')))
  removeFolders()
}

export async function makeFolder(name: string): Promise<string> {
  watch()
  const folder = await mkdtemp(join(tmpdir(), `coterie-bench-${name}-`))
  folders.add(folder)
  return folder
}

function removeFolders(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  folders.clear()
}

// Nothing may outlive the benchmark. `exit` also comes after an error that nobody caught.
function watch(): void {
  if (watching) return
  watching = true
  const end = () => {
    for (const { child } of running) child.kill('SIGKILL')
    removeFolders()
  }
  process.on('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(128 + constants.signals[signal]))
  }
}

export async function until(what: string, test: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms for: ${what}`)
    await sleep(20)
  }
}

/** As `until`, but a program that has ended is waited for no longer. */
export async function untilReady(
  what: string,
  started: Running,
  test: () => boolean | Promise<boolean>,
  limitMs?: number,
): Promise<void> {
  const ready = () => {
    if (started.child.exitCode === null && started.child.signalCode === null) return test()
    throw new Error(`${what}: the program ended: ${started.output().trim().split('\n').slice(-3).join(' | ')}`)
  }
  await until(what, ready, limitMs)
}

/** The first of `count` free ports in a row; with `above`, the ports so far above them are free as well. */
export async function freePorts(count: number, above = 0): Promise<number> {
  for (;;) {
    const first = nextPort
    nextPort += count
    if (nextPort + above >= LAST_PORT) nextPort = FIRST_PORT
    const ports = Array.from({ length: count }, (_, place) => first + place)
    const wanted = above === 0 ? ports : [...ports, ...ports.map(port => port + above)]
    if ((await Promise.all(wanted.map(isFree))).every(Boolean)) return first
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

export function listens(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    const done = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}

export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(status)?.[1]
  return kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024
}
