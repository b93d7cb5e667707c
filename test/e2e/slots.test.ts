// Eight real members over mutual TLS share three slots under leases of two seconds; members are killed and come back
// COTERIE_SLOTS_SECONDS sets for how long; test/long/slots.sh runs it for a whole minute and more.

import { createPrivateKey } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup, type NewGroup } from '../../src/runtime/setup/group.ts'
import { sized } from '../support/long.ts'
import { coterie, endAll, freePorts, type Running, root, run, waitFor } from '../support/processes.ts'
import { checkSeats, readSeats } from './seat-journal.ts'

const MEMBERS = 8
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200
const LEASE_MS = 2_000
/** Words that stand nowhere else. */
const SLOTS = ['zanzibar', 'quagmire', 'xylophone']
const SECONDS = Number(process.env.COTERIE_SLOTS_SECONDS ?? sized(7, 25))
/** Between two kills of a member: long enough for its epoch to end, every lease to run out, and the member to be taken in again. */
const KILL_EVERY_MS = sized(6_000, 12_000)
/** After healing: two epochs, and as many rounds as luck may take. The machine may be busy. */
const SERVED_MS = 120_000
const TEST_MS = SECONDS * 1_000 + 2.5 * SERVED_MS

describe('eight members as processes share three slots', () => {
  let dir: string
  let group: NewGroup
  let journal: string
  const members = new Map<string, Running>()
  let logs = ''

  const start = (folder: string) => {
    const program = join(root, 'test/e2e/seat-user.mjs')
    members.set(folder, run(process.execPath, [program, folder, journal, String(LEASE_MS), SLOTS.join(',')]))
  }
  const kill = async (folder: string) => {
    const member = members.get(folder)!
    member.child.kill('SIGKILL')
    await member.ended
    logs += member.output() + member.errors()
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'coterie-slots-'))
    journal = join(dir, 'journal')
    await writeFile(journal, '')
    const basePort = (await freePorts(MEMBERS)) - MEMBERS_ABOVE
    group = await initGroup({ dir: join(dir, 'group'), basePort, members: MEMBERS })
    for (const folder of group.memberFolders) start(folder)
  })

  afterAll(async () => {
    await endAll()
    await rm(dir, { recursive: true, force: true })
  })

  it(
    'never two in one slot while members are killed, and afterwards everybody is served',
    async () => {
      await waitFor('somebody has a seat', async () => (await readFile(journal, 'utf8')) !== '', SERVED_MS)
      const ends = performance.now() + SECONDS * 1_000
      for (let kills = 0; performance.now() + KILL_EVERY_MS <= ends; kills++) {
        const victim = group.memberFolders[(3 * kills + 1) % MEMBERS]!
        await kill(victim)
        await sleep(KILL_EVERY_MS / 4)
        start(victim)
        await sleep((KILL_EVERY_MS * 3) / 4)
      }
      for (const member of members.values()) member.child.stdin!.write('last\n')
      const unserved = () => [...members.values()].filter(member => !member.output().includes('"finished":true'))
      await waitFor('everybody is served', () => unserved().length === 0, SERVED_MS)
      const report = checkSeats(readSeats(await readFile(journal, 'utf8')))
      expect(report.problems).toEqual([])
      expect(report.served.length).toBe(MEMBERS)
      expect(report.seats).toBeGreaterThan(MEMBERS)
      for (const member of members.values()) {
        expect(member.errors()).toBe('')
        expect(member.output()).not.toContain('"kind":"cheat"')
        expect(member.output()).not.toMatch(/"lost":"SeatLost","held":true/)
      }
    },
    TEST_MS,
  )

  it('a client is told where things stand, and nothing else', async () => {
    const looked = coterie(['slots', 'channels', 'status', '--json', '--config', group.clientFolders[0]!])
    expect(await looked.ended).toBe(0)
    const status = JSON.parse(looked.output())
    expect(Object.keys(status).sort()).toEqual(['epoch', 'members', 'name', 'phase', 'rounds'])
    for (const slot of SLOTS) expect(looked.output() + looked.errors()).not.toContain(slot)
  })

  it('no slot is in any log, no key in any log or store, and the store tells of all slots alike', async () => {
    for (const member of members.values()) {
      member.child.kill('SIGTERM')
      expect(await member.ended).toBe(0)
      logs += member.output() + member.errors()
    }
    expect(logs).toContain('"seat":0')
    for (const slot of SLOTS) expect(logs).not.toContain(slot)
    for (const folder of group.memberFolders) {
      const store = Buffer.concat(await contents(join(folder, 'store')))
      for (const file of ['member.key', 'seal.key']) {
        for (const form of formsOf(await readFile(join(folder, file), 'utf8'))) {
          expect(store.includes(form)).toBe(false)
          expect(Buffer.from(logs).includes(form)).toBe(false)
        }
      }
      // The list of slots is no secret, and stands in every epoch record: whole, or not at all.
      const counts = SLOTS.map(slot => store.toString('latin1').split(slot).length - 1)
      expect(new Set(counts).size).toBe(1)
    }
  })
})

async function contents(folder: string): Promise<Buffer[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(files.filter(file => file.isFile()).map(file => readFile(join(file.parentPath, file.name))))
}

/** A private key as it might slip into a file. */
function formsOf(pem: string): (Buffer | string)[] {
  const { d } = createPrivateKey(pem).export({ format: 'jwk' })
  const secret = Buffer.from(d!, 'base64url')
  return [secret, secret.toString('hex'), secret.toString('base64'), d!]
}

describe('the check of the journal', () => {
  const line = (at: number, who: string, what: 'enter' | 'leave', slot = 'one') => ({
    at,
    who,
    what,
    slot,
    ...(what === 'enter' ? { until: at + 10 } : {}),
  })
  it('accepts who comes after the other left, or could no longer believe', () => {
    const calm = [line(1, 'a', 'enter'), line(3, 'a', 'leave'), line(4, 'b', 'enter'), line(15, 'c', 'enter')]
    expect(checkSeats(calm)).toEqual({ seats: 3, served: ['a', 'b', 'c'], unfinished: 2, problems: [] })
  })
  it('finds two inside, also behind a third', () => {
    const twice = [line(1, 'a', 'enter'), line(2, 'b', 'enter', 'two'), line(9, 'b', 'enter')]
    expect(checkSeats(twice).problems).toEqual(['one: b entered while a was inside'])
    const hidden = [line(1, 'a', 'enter'), line(2, 'b', 'enter'), line(3, 'b', 'leave'), line(9, 'c', 'enter')]
    expect(checkSeats(hidden).problems.length).toBe(2)
  })
})
