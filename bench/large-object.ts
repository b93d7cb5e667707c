// An object of 100 MB, over real servers: 100 properties of 1 MB each. One operation that changes one of them moves
// that one, and not the whole. And a server that has lost its disk takes all of it from the others.
//
// npm run bench -- large-object [--properties 100] [--servers 3]

import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { connect } from '../src/client/connect.ts'
import { initGroup } from '../src/runtime/setup/group.ts'
import type { Print } from './support/figures.ts'
import { coterieProgram, freePorts, makeFolder, type Running, start, stopAll, untilReady } from './support/processes.ts'

const MEGABYTE = 1_000_000
const METRICS_ABOVE = 100
const REJOIN_MS = 180_000
const WAIT = { timeout: 120_000 }

interface Fill {
  readonly property: string
  readonly letter: string
}

const definition = {
  initial: (): Record<string, string> => ({}),
  apply: (state: Record<string, string>, { property, letter }: Fill) => {
    const after = { ...state, [property]: letter.repeat(MEGABYTE) }
    return { state: after, result: Object.keys(after).length }
  },
}

/** Bytes that a process has read from files and sockets so far (Linux). */
async function bytesRead({ pid }: Running): Promise<number> {
  return Number(/rchar: (\d+)/.exec(await readFile(`/proc/${pid}/io`, 'utf8'))?.[1])
}

export async function run(print: Print = console.log, args: readonly string[] = []) {
  const { values } = parseArgs({
    args: [...args],
    options: { properties: { type: 'string', default: '100' }, servers: { type: 'string', default: '3' } },
  })
  try {
    return await measure(print, Number(values.properties), Number(values.servers))
  } finally {
    await stopAll()
  }
}

async function measure(print: Print, properties: number, servers: number) {
  const folder = await makeFolder('large-object')
  const basePort = await freePorts(servers, METRICS_ABOVE)
  const group = await initGroup({ dir: join(folder, 'group'), servers, liars: 0, basePort })
  const running = group.serverFolders.map(server => start(process.execPath, [coterieProgram(), 'serve', server]))
  for (const server of running) await untilReady('a server', server, () => server.output().includes('listening'))
  const config = group.clientFolders[0]!
  await using writer = await connect({ config, blockedMax: 0 })
  const large = writer.object('large', definition)
  const filling = performance.now()
  for (let at = 0; at < properties; at++) await large.submit({ property: `p${at}`, letter: 'a' }, WAIT)
  const fillMs = Math.round(performance.now() - filling)
  print(`${properties} MB written in ${fillMs} ms`)

  const before = await Promise.all(running.map(bytesRead))
  const changing = performance.now()
  await large.submit({ property: 'p0', letter: 'b' }, WAIT)
  const changeMs = Math.round(performance.now() - changing)
  const after = await Promise.all(running.map(bytesRead))
  const moved = Math.max(...after.map((bytes, at) => bytes - before[at]!))
  print(`one property changed in ${changeMs} ms; a server read at most ${(moved / MEGABYTE).toFixed(2)} MB for it`)

  await using reader = await connect({ config, blockedMax: 0 })
  const reading = performance.now()
  const { state } = await reader.object('large', definition).read(WAIT)
  const readMs = Math.round(performance.now() - reading)
  const whole = Object.values(state).every(value => value.length === MEGABYTE) && state.p0!.startsWith('b')
  print(`another process read ${Object.keys(state).length} MB in ${readMs} ms: ${whole ? 'whole' : 'BROKEN'}`)
  const rejoinMs = await loseDisk(group.serverFolders.at(-1)!, running.at(-1)!, basePort + servers - 1 + METRICS_ABOVE)
  print(`a server that lost its disk had everything ${rejoinMs} ms after its start (it waits for a minute first)`)
  return { properties, fillMs, changeMs, movedBytes: moved, readMs, whole, rejoinMs }
}

/** Until the server votes again and has the content of all that it knows to be decided. */
async function loseDisk(folder: string, server: Running, metricsPort: number): Promise<number> {
  server.child.kill('SIGKILL')
  await server.ended
  await rm(join(folder, 'store'), { recursive: true })
  const again = start(process.execPath, [coterieProgram(), 'serve', '--rejoin', folder])
  const began = performance.now()
  const url = `http://127.0.0.1:${metricsPort}/metrics`
  const figure = (metrics: string, name: string) =>
    Number(new RegExp(`^\\w*${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1])
  const hasEverything = async () => {
    const metrics = await fetch(url).then(
      answer => answer.text(),
      () => '',
    )
    return figure(metrics, 'object_entries') > 0 && figure(metrics, 'object_versions_behind') === 0
  }
  await untilReady('the server that lost its disk', again, hasEverything, REJOIN_MS)
  return Math.round(performance.now() - began)
}
