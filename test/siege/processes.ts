// The processes of a siege: each tells in lines of JSON, is measured from outside, and is ended by its starter.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The bundle stands in dist/siege. */
const here = fileURLToPath(new URL('.', import.meta.url))
export const root = resolve(here, '../..')
const ERRORS_MAX = 4_000
const PAGE_BYTES = 4_096
const MS_PER_TICK = 10
const START_MS = 60_000
const STOP_MS = 15_000

export type Line = Readonly<Record<string, unknown>>

const running = new Set<Child>()

export class Child {
  readonly name: string
  readonly ended: Promise<void>
  private readonly child: ChildProcess
  private readonly heard = new Set<string>()
  private said = ''
  /** Killed or asked to stop: its end is no surprise. */
  private isExpected = false

  constructor(name: string, args: readonly string[], line: (line: Line) => void = () => {}) {
    this.name = name
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['pipe', 'pipe', 'pipe'] })
    this.child = child
    child.stdin.on('error', () => {})
    createInterface({ input: child.stdout }).on('line', text => {
      const parsed = parse(text)
      if (typeof parsed?.msg === 'string') this.heard.add(parsed.msg)
      if (parsed !== undefined) line(parsed)
    })
    child.stderr.on('data', data => {
      this.said = `${this.said}${data}`.slice(-ERRORS_MAX)
    })
    running.add(this)
    this.ended = once(child, 'close').then(() => {
      running.delete(this)
    })
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** What it said when it ended by itself; undefined while it runs, or was meant to end. */
  get failure(): string | undefined {
    if (this.isRunning || this.isExpected) return undefined
    const why = this.child.exitCode ?? this.child.signalCode
    return this.child.exitCode === 0 ? undefined : `${this.name} ended by itself (${why}): ${this.said.trim()}`
  }

  async started(message: string): Promise<this> {
    await until(`${this.name} says '${message}'`, START_MS, () => {
      if (!this.isRunning) throw new Error(`${this.name} ended: ${this.said}`)
      return this.heard.has(message)
    })
    return this
  }

  send(line: string): void {
    if (this.isRunning) this.child.stdin?.write(`${line}\n`)
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.isRunning) this.child.kill(name)
  }

  async kill(): Promise<void> {
    this.isExpected = true
    this.child.kill('SIGKILL')
    await this.ended
  }

  /** Asks it to finish; kills it where it does not. */
  async finish(): Promise<boolean> {
    this.isExpected = true
    this.send('stop')
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS)
    await this.ended
    clearTimeout(timer)
    return this.child.exitCode === 0
  }

  /** Processor time that it has used, or undefined where this system does not say. */
  processorMs(): number | undefined {
    try {
      return ticksIn(readFileSync(`/proc/${this.pid}/stat`, 'utf8')) * MS_PER_TICK
    } catch {
      return undefined
    }
  }

  /** Bytes in memory, or undefined where this system does not say. */
  memory(): number | undefined {
    try {
      return Number(readFileSync(`/proc/${this.pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
    } catch {
      return undefined
    }
  }
}

/** Whose fields 14 and 15, behind the name, count ticks in its own code and in the system's. */
function ticksIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

function parse(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : undefined
  } catch {
    return undefined
  }
}

export const program = (name: string): string => resolve(here, `${name}.js`)
export const coterie = resolve(root, 'bin/coterie')

/** All that this siege started, and nothing else. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map(child => child.kill()))
}

export async function until(what: string, limitMs: number, test: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms for: ${what}`)
    await new Promise(wake => setTimeout(wake, 50))
  }
}
