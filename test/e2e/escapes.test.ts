// Names that others chose, with everything a terminal would obey in them, given to every command, and shown by those that print
// any: not one control byte reaches standard output or standard error, nor the log of a server.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { join as joinGroup } from '../../src/client/join.ts'
import type { JoinedGroup } from '../../src/client/peers/joined-group.ts'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { freePorts, waitFor } from '../support/processes.ts'

const BIN = join(import.meta.dirname, '../../bin/coterie')
/** Clears the screen, rings, goes back, colours, turns letters around and hides. */
const EVIL = '\u001b[2J\u0007\r\u009b31m\u202egnp.exe\u200b\u2028end'
/** What a path may have of it: control characters are refused there. */
const EVIL_PATH = '\u202egnp.exe\u200bend'
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u
const PATIENCE_MS = 25_000
let dir: string
let server: ReturnType<typeof spawn>
let logged = ''
let members: readonly JoinedGroup[] = []

/** Every command, with such names. What is marked says them again, written out. */
const CASES: readonly (readonly [name: string, args: readonly string[], shows: boolean])[] = [
  ['set', ['set', `/${EVIL}`, EVIL], true],
  ['set', ['set', `/${EVIL_PATH}`, EVIL], false],
  ['set', ['set', `/${EVIL_PATH}`, EVIL, '--if-version', '7'], true],
  ['lease', ['lease', 'revoke', EVIL], false],
  ['list', ['list', '/'], true],
  ['list', ['list', '/', '--recursive', '--json'], true],
  ['get', ['get', `/${EVIL}`], true],
  ['get', ['get', `/not/${EVIL_PATH}`], true],
  ['delete', ['delete', `/not/${EVIL_PATH}`], true],
  ['txn', ['txn', '--if', `/${EVIL_PATH} version 9`, '--set', `/${EVIL_PATH} ${EVIL}`], false],
  ['lock', ['lock', EVIL, '--', 'false'], false],
  ['locks', ['locks'], false],
  ['unlock', ['unlock', EVIL, '--force'], true],
  ['object', ['object'], false],
  ['object', ['object', EVIL], true],
  ['status', ['status'], false],
  ['ledger', ['ledger', 'balance', EVIL, EVIL], true],
  ['ledger', ['ledger', 'verify', EVIL, '--descriptor', EVIL], true],
  ['watch', ['watch', `/${EVIL}`], true],
  ['coordinator', ['coordinator', EVIL], true],
  ['coordinator', ['coordinator', EVIL, '--json'], true],
  ['members', ['members'], true],
  ['members', ['members', '--json'], true],
  ['dump', ['dump'], true],
  ['restore', ['restore'], true],
  ['slots', ['slots', EVIL, 'status'], false],
  ['bandit', ['bandit', 'audit', EVIL], true],
  ['lead', ['lead', EVIL, '--', 'true'], false],
  ['doctor', ['doctor', EVIL], true],
  ['serve', ['serve', EVIL], true],
  ['renew', ['renew', EVIL], true],
  ['sim', ['sim', EVIL], true],
  ['sim', ['sim', '--play', `#run=lock&do=${EVIL}`], true],
  ['explore', ['explore', EVIL], true],
  ['dedup', ['dedup', EVIL], true],
  ['publish', ['publish', EVIL], false],
  ['publish', ['publish', EVIL, '--channel', EVIL], true],
  ['subscribe', ['subscribe', '{}', '--from', 'start', '--count', '1'], true],
  ['events', ['events'], false],
  ['filter', ['filter', EVIL], true],
  ['completion', ['completion', EVIL], true],
  ['unlock', ['unlock', '--reset-floor', EVIL], false],
  ['object', ['object', 'repair', EVIL], true],
  ['object', ['object', 'delete', EVIL], true],
  ['up', ['up', '--servers', EVIL], true],
  ['init', ['init', EVIL, '--servers', EVIL], true],
  ['client', ['client', 'add', EVIL, '--group', EVIL], true],
  ['member', ['member', 'add', EVIL, '--port', '7', '--group', EVIL], true],
  ['member', ['member', 'admit', EVIL], false],
  ['join', ['join', '--config', EVIL], true],
  ['lab', ['lab', 'run', EVIL], true],
  ['channel', ['channel', 'rotate', EVIL, '--group', EVIL], true],
  ['matcher', ['matcher', '--channel', EVIL], true],
]

function start(args: readonly string[]) {
  const env = { ...process.env, NO_COLOR: '1', COTERIE_CONFIG: join(dir, 'group/clients/admin') }
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  // What `restore` reads: a dump by somebody who means no good.
  child.stdin.on('error', () => {}).end(`${JSON.stringify({ path: `/${EVIL}`, base64: '' })}\n`)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (said += text))
  const timer = setTimeout(() => child.kill(), PATIENCE_MS)
  const ended = new Promise<string>(resolve => {
    child.once('close', () => {
      clearTimeout(timer)
      resolve(said)
    })
  })
  return { child, ended, said: () => said }
}

const run = (args: readonly string[]): Promise<string> => start(args).ended

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'coterie-escapes-'))
  const place = { dir: join(dir, 'group'), basePort: await freePorts(4) }
  const made = await initGroup({ ...place, servers: 1, liars: 0, crashes: 0, members: 3 })
  server = spawn(process.execPath, [BIN, 'serve', join(dir, 'group/servers/server-1')], { stdio: 'pipe' })
  server.stdout!.setEncoding('utf8').on('data', text => (logged += text))
  await new Promise<void>((resolve, reject) => {
    server.stdout!.on('data', () => logged.includes('listening') && resolve())
    server.once('exit', code => reject(new Error(`the server ended with ${code}`)))
  })
  // Members name their attributes, and the places that they lead, as they like.
  members = await Promise.all(made.memberFolders.map(config => joinGroup({ config, attributes: { [EVIL]: 1 } })))
})
afterAll(async () => {
  await Promise.all(members.map(member => member.close()))
  server.kill()
  await rm(dir, { recursive: true, force: true })
})

describe('hostile names', () => {
  it('are given to every command', () => {
    expect([...new Set(CASES.map(([name]) => name))].sort()).toEqual(Object.keys(commands).sort())
  })
  it.each(CASES)('%s %j', async (_name, args, shows) => {
    const said = await run(args)
    for (const line of said.split('\n')) expect(line).not.toMatch(OBEYED)
    if (shows) expect(said).toMatch(/gnp\.exe/)
  })
  it('in what is held, and in what changes while somebody looks', async () => {
    const watching = start(['watch', '/', '--recursive'])
    const holding = start(['lock', EVIL, '--', 'sleep', String(PATIENCE_MS / 1_000)])
    let locks = ''
    const isHeld = async () => {
      locks = await run(['locks'])
      return /gnp\.exe/.test(locks)
    }
    await waitFor('it is held', isHeld, PATIENCE_MS)
    await waitFor(
      'the change is seen',
      async () => {
        await run(['set', `/${EVIL_PATH}`, EVIL])
        return /gnp\.exe/.test(watching.said())
      },
      PATIENCE_MS,
    )
    // Its server logs whose lock it was, and what it is called.
    await run(['unlock', EVIL, '--force'])
    await waitFor('it is logged', async () => /gnp\.exe.*by force/.test(logged), PATIENCE_MS)
    for (const { child } of [watching, holding]) child.kill()
    await holding.ended
    for (const said of [await watching.ended, locks, logged]) {
      expect(said).toMatch(/gnp\.exe/)
      for (const line of said.split('\n')) expect(line).not.toMatch(OBEYED)
    }
  })
})
