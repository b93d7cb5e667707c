// Levels `curious` and `strong` among real members over mutual TLS: five share two slots under leases of a second, and one
// of them is killed. Never two in one slot, the others are served without it, and it is served when it comes back.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { initGroup } from '../../src/runtime/setup/group.ts'
import { coterie, endAll, freePorts, type Running, root, run, waitFor } from '../support/processes.ts'
import { checkSeats, readSeats } from './seat-journal.ts'

const MEMBERS = 5
/** The ports of members lie this far above those of servers, of which none run here. */
const MEMBERS_ABOVE = 200
const LEASE_MS = 1_000
const SLOTS = 'zanzibar,quagmire'
/** The machine may be busy. */
const SERVED_MS = 60_000

const LEVELS = ['curious', 'strong']
let firstPort: number

beforeAll(async () => {
  firstPort = await freePorts(LEVELS.length * MEMBERS)
})
afterAll(() => endAll())

describe('five members share two slots, lose one to kill -9, and take it in again', () => {
  it.concurrent.each(LEVELS)(
    'at level %s',
    async level => {
      const dir = await mkdtemp(join(tmpdir(), `coterie-${level}-`))
      const journal = join(dir, 'journal')
      await writeFile(journal, '')
      const basePort = firstPort + LEVELS.indexOf(level) * MEMBERS - MEMBERS_ABOVE
      const { memberFolders } = await initGroup({ dir: join(dir, 'group'), basePort, members: MEMBERS })
      const start = (folder: string) =>
        run(process.execPath, [join(root, 'test/e2e/seat-user.mjs'), folder, journal, String(LEASE_MS), SLOTS, level])
      const [victim, ...others] = memberFolders as [string, ...string[]]
      const survivors = others.map(start)
      const killed = start(victim)
      await waitFor('somebody has a seat', async () => (await readFile(journal, 'utf8')) !== '', SERVED_MS)
      await sleep(LEASE_MS)
      killed.child.kill('SIGKILL')
      await killed.ended
      const went = () => survivors.every(member => member.output().includes('"live":true') && epochsOf(member) > 0)
      await waitFor('the others go on', went, SERVED_MS)

      // What it promised stands in its store: it cannot come back at another level.
      const line = ['--config', victim, '--slots', SLOTS, '--lease', `${LEASE_MS}ms`, '--level', 'verified']
      const refused = coterie(['slots', 'channels', 'join', ...line])
      expect(await refused.ended).toBe(2)
      expect(refused.errors()).toContain('it was opened with other slots, lease, level')

      const back = start(victim)
      const all = [...survivors, back]
      for (const member of all) member.child.stdin!.write('last\n')
      const unserved = () => all.filter(member => !member.output().includes('"finished":true'))
      await waitFor('everybody is served', () => unserved().length === 0, SERVED_MS)
      const report = checkSeats(readSeats(await readFile(journal, 'utf8')))
      expect(report.problems).toEqual([])
      expect(report.served.length).toBe(MEMBERS)
      for (const member of all) {
        expect(member.errors()).toBe('')
        for (const slot of SLOTS.split(',')) expect(member.output()).not.toContain(slot)
        member.child.kill('SIGTERM')
      }
      expect(await Promise.all(all.map(member => member.ended))).toEqual(all.map(() => 0))
      await rm(dir, { recursive: true, force: true })
    },
    3 * SERVED_MS,
  )
})

/** The newest epoch that it told of. */
function epochsOf(member: Running): number {
  const numbers = [...member.output().matchAll(/"kind":"epoch","number":(\d+)/g)].map(found => Number(found[1]))
  return Math.max(0, ...numbers)
}
