// Real server and client processes for end-to-end tests. Everything started here is ended by `endAll`.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { isFree } from '../../src/cli/ports.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const program = fileURLToPath(new URL('../../bin/coterie', import.meta.url))

export interface Running {
  readonly child: ChildProcess
  output(): string
  errors(): string
  /** The exit code, or the signal's name. */
  readonly ended: Promise<number | string>
}

const started = new Set<Running>()

export function run(command: string, args: readonly string[], environment: Record<string, string> = {}): Running {
  const child = spawn(command, args, { cwd: root, env: { ...process.env, ...environment } })
  let output = ''
  let errors = ''
  child.stdout.on('data', data => {
    output += data
  })
  child.stderr.on('data', data => {
    errors += data
  })
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const running = { child, ended, output: () => output, errors: () => errors }
  started.add(running)
  ended.finally(() => started.delete(running))
  return running
}

export function coterie(args: readonly string[]): Running {
  return run(process.execPath, [program, ...args])
}

export async function waitFor(what: string, test: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await test())) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms for: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 25))
  }
}

/** Starts a server and waits until it listens. */
export async function serve(folder: string, options: readonly string[] = []): Promise<Running> {
  const server = coterie(['serve', ...options, folder])
  await waitFor(`${folder} listens`, () => {
    if (server.child.exitCode !== null) throw new Error(`server ended: ${server.output()} ${server.errors()}`)
    return server.output().includes('"msg":"listening"')
  })
  return server
}

export async function endAll(): Promise<void> {
  const all = [...started]
  for (const { child } of all) child.kill('SIGKILL')
  await Promise.all(all.map(running => running.ended))
}

/** A port from which `count` in a row are free now, and their metrics ports a hundred above. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = 20_000 + Math.floor(Math.random() * 10_000)
    const ports = Array.from({ length: count }, (_, place) => [base + place, base + 100 + place]).flat()
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return base
  }
}
